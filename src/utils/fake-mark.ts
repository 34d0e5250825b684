/** Registered, because an application may load the ES module and the CommonJS copy of the package. */
const FAKE = Symbol.for('etn-market.fake')

/** Marks a `fetch` as one that reaches a fake service and nothing else. */
export function markAsFake<Fetch extends object>(fetch: Fetch): Fetch {
  return Object.assign(fetch, { [FAKE]: true })
}

export function isFake(fetch: unknown): boolean {
  return (fetch as { [FAKE]?: boolean } | null | undefined)?.[FAKE] === true
}
