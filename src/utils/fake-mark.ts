import { environment, setVariable } from './runtime.ts'

/**
 * The origins of the fakes that tests use now, separated by commas: a client sends nothing elsewhere. It is set by the fixtures of
 * `etn-market/vitest` and by `useFakeService`.
 */
export const FAKE_ORIGINS = 'ETN_MARKET_FAKE_ORIGINS'

/** The origins that a client may send to; empty where it may send to all. */
export const allowedOrigins = (): string[] =>
  (environment(FAKE_ORIGINS) ?? '').split(',').filter((origin) => origin !== '')

/** Whether clients may send to fakes alone. */
export function isGuarded(): boolean {
  return environment(FAKE_ORIGINS) !== undefined
}

/** Lets clients send to an origin, and to nothing that is not listed. Returns a function that takes it back. */
export function allowOrigin(origin: string): () => void {
  setVariable(FAKE_ORIGINS, [...allowedOrigins(), origin].join())
  return () => {
    const left = allowedOrigins()
    if (left.includes(origin)) left.splice(left.indexOf(origin), 1)
    setVariable(FAKE_ORIGINS, left.length > 0 ? left.join() : undefined)
  }
}

/** The key of a fake that was given none. */
export const FAKE_KEY = 'esk_test_fake'

/** Registered, because an application may load the ES module and the CommonJS copy of the package. */
const FAKE = Symbol.for('etn-market.fake')

/** Marks a `fetch` as one that reaches a fake service and nothing else. */
export function markAsFake<Fetch extends object>(fetch: Fetch): Fetch {
  return Object.assign(fetch, { [FAKE]: true })
}

export function isFake(fetch: unknown): boolean {
  return (fetch as { [FAKE]?: boolean } | null | undefined)?.[FAKE] === true
}

/** Whether a key is one of a fake, as far as a client can tell: it is no secret. */
export function isFakeKey(key: unknown): boolean {
  return key === FAKE_KEY || (isGuarded() && key === environment('ETN_MARKET_API_KEY'))
}
