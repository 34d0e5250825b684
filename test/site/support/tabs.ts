const TABS = 3

/** Works on items in several tabs at once. `next` gives a tab its next item, and undefined when none is left. */
export async function shareAmongTabs<T>(
  items: readonly T[],
  work: (next: () => T | undefined) => Promise<void>,
): Promise<void> {
  const left = [...items]
  await Promise.all(Array.from({ length: TABS }, () => work(() => left.shift())))
}
