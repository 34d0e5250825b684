/**
 * Measures all names once per round. The order changes each round, so that a slow minute affects all of them.
 * @param isEnough ends it after a round
 */
export async function interleave<Name extends string, Figure>(
  rounds: number,
  names: readonly Name[],
  measure: (name: Name) => Promise<Figure>,
  isEnough: (measured: readonly Record<Name, Figure>[]) => boolean = () => false,
): Promise<Record<Name, Figure>[]> {
  const measured: Record<Name, Figure>[] = []
  for (let round = 0; round < rounds && !isEnough(measured); round++) {
    const start = round % names.length
    const order = [...names.slice(start), ...names.slice(0, start)]
    const figures: [Name, Figure][] = []
    for (const name of order) figures.push([name, await measure(name)])
    measured.push(Object.fromEntries(figures) as Record<Name, Figure>)
  }
  return measured
}
