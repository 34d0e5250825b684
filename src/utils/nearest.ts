/** The lowest cost of turning one list into another (edit distance): `gap` for an insertion or a deletion, `replace` for a replacement. */
export function editDistance(
  from: readonly string[],
  to: readonly string[],
  replace: (one: string, other: string) => number = (one, other) => (one === other ? 0 : 1),
  gap = 1,
): number {
  let row = [0, ...to].map((_, j) => j * gap)
  for (const [i, one] of from.entries()) {
    const next = [(i + 1) * gap]
    for (const [j, other] of to.entries()) {
      next.push(
        Math.min((row[j] as number) + replace(one, other), (row[j + 1] as number) + gap, (next[j] as number) + gap),
      )
    }
    row = next
  }
  return row.at(-1) ?? 0
}

/** A name that is misspelt, or has another ending, differs in less than this part of its letters. */
const MAX_DIFFERENCE = 0.45

/** The known name that a misspelt one was meant to be; undefined when none is like it. */
export function nearestName(typed: string, known: readonly string[]): string | undefined {
  const distances = known.map((name) => editDistance([...typed.toLowerCase()], [...name.toLowerCase()]))
  const least = Math.min(...distances)
  const name = known[distances.indexOf(least)]
  return name && least <= Math.max(1, MAX_DIFFERENCE * Math.max(name.length, typed.length)) ? name : undefined
}
