/** The first name of an object that is not among the known ones. */
export const findUnknown = (options: object, known: readonly string[]): string | undefined =>
  Object.keys(options).find((name) => !known.includes(name))

/**
 * Refuses an unknown option in an entry that loads no errors of the package, which would be larger than the entry.
 * @throws TypeError with the code `invalid_option`
 */
export function requireKnown(what: string, options: object, known: readonly string[]): void {
  const unknown = findUnknown(options, known)
  if (unknown === undefined) return
  const message = `Unknown ${what} "${unknown}". Known: ${known.join(', ')}.`
  throw Object.assign(new TypeError(message), { code: 'invalid_option' })
}
