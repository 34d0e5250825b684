import { asCount, asNumber, checkNames } from './input.ts'

/** Where the fake takes the time from. A client's own clock fits. */
export interface FakeClock {
  /** Unix milliseconds. */
  now(): number
  /** How delays are waited for; `setTimeout`, looked up at each use, when it is left out. */
  sleep?(ms: number, signal?: AbortSignal): Promise<void>
}

/** What a key starts with: credits alone, or credits and a tier. */
export type KeyOptions = number | { credits: number; tier?: string }

/** A limit on calls per key and time window. The live service has one; its figures are not known. */
export interface RateLimitOptions {
  /** Calls that a key may make within a window; the next one is answered 429 with `Retry-After`. */
  requests: number
  /** Length of the window in milliseconds. @default 60_000 */
  windowMs?: number
  /** Refusals within a minute after which the key is locked. @default 20 */
  refusalsToLock?: number
  /** How long a key stays locked, in milliseconds. @default 900_000 */
  lockMs?: number
}

/** Options of `createFakeService`. */
export interface FakeServiceOptions {
  /** Decides all data: one seed, one world, on every runtime. @default 'etn-market' */
  seed?: number | string
  /** The keys that the service knows and what they start with. @default { esk_test_fake: 1_000_000_000 } */
  keys?: Record<string, KeyOptions>
  /** Where the time comes from. @default the system's, looked up at each use, so that fake timers work */
  clock?: FakeClock
  /** Answer below this base URL's path alone, on any origin. @default everything up to the last `/v1` of a path is passed over */
  baseUrl?: string
  /** Milliseconds that every answer takes. @default 0 */
  latencyMs?: number
  /** Milliseconds that an answer of a heavy route takes on top, its slot being held. @default 0 */
  heavyLatencyMs?: number
  /** Heavy calls that may be in flight, all keys together. @default 2 */
  heavyConcurrency?: number
  /** What `Retry-After` says when the heavy routes are busy, in seconds. @default 1 */
  heavyRetryAfterSeconds?: number
  /** Calls per key and window. @default no limit */
  rateLimit?: RateLimitOptions
  /** `true`: any page may read answers and credit headers; `'hidden'`: not the credit headers; `false`: no CORS. @default true */
  cors?: boolean | 'hidden'
  /** Called with one line for every request that is over. @default nothing is written anywhere */
  log?: (line: string) => void
}

/** A key as it starts. */
export interface KeyState {
  credits: number
  tier: string
}

/** Options with every default filled in. */
export interface Settings {
  seed: number | string
  keys: Record<string, KeyState>
  clock: FakeClock
  baseUrl: string | undefined
  latencyMs: number
  heavyLatencyMs: number
  heavyConcurrency: number
  heavyRetryAfterSeconds: number
  rateLimit: Required<RateLimitOptions> | undefined
  cors: boolean | 'hidden'
  log: ((line: string) => void) | undefined
}

/** The key that a fake knows unless it is given others. */
export const fakeKey = 'esk_test_fake'

/** The longest wait that a timer can hold. */
export const LONGEST_WAIT_MS = 2_147_483_647

const DEFAULT_CREDITS = 1_000_000_000
const DEFAULT_TIER = 'standard'
// biome-ignore format: a list of names
const NAMES = ['seed', 'keys', 'clock', 'baseUrl', 'latencyMs', 'heavyLatencyMs', 'heavyConcurrency', 'heavyRetryAfterSeconds', 'rateLimit', 'cors', 'log']

export function readOptions(options: FakeServiceOptions): Settings {
  checkNames('createFakeService', options, NAMES)
  const { seed = 'etn-market', clock = { now: () => Date.now() }, cors = true } = options
  if (typeof seed !== 'number' && typeof seed !== 'string') throw new TypeError('seed is a number or a string.')
  if (typeof clock.now !== 'function') throw new TypeError('clock is an object with now(), in unix milliseconds.')
  if (cors !== 'hidden' && typeof cors !== 'boolean') throw new TypeError("cors is true, false or 'hidden'.")
  const wait = (name: 'latencyMs' | 'heavyLatencyMs') => asNumber(name, options[name] ?? 0, 0, LONGEST_WAIT_MS)
  return {
    seed,
    clock,
    cors,
    keys: readKeys(options.keys ?? { [fakeKey]: DEFAULT_CREDITS }),
    baseUrl: options.baseUrl === undefined ? undefined : new URL(options.baseUrl).href.replace(/\/+$/, ''),
    latencyMs: wait('latencyMs'),
    heavyLatencyMs: wait('heavyLatencyMs'),
    heavyConcurrency: asCount('heavyConcurrency', options.heavyConcurrency ?? 2),
    heavyRetryAfterSeconds: asCount('heavyRetryAfterSeconds', options.heavyRetryAfterSeconds ?? 1),
    rateLimit: options.rateLimit && readRateLimit(options.rateLimit),
    log: options.log,
  }
}

function readKeys(keys: Record<string, KeyOptions>): Record<string, KeyState> {
  const entries = Object.entries(keys).map(([key, options]) => [key, readKey(key, options)] as const)
  return Object.fromEntries(entries)
}

/** Checks what a key is given. */
export function readKey(key: string, options: KeyOptions): KeyState {
  if (key.trim() !== key || key === '') throw new TypeError('A key is text without surrounding space.')
  if (typeof options === 'object') checkNames(`The key ${key}`, options, ['credits', 'tier'])
  const { credits, tier = DEFAULT_TIER } = typeof options === 'number' ? { credits: options } : options
  return { credits: asCount(`The credits of ${key}`, credits), tier }
}

function readRateLimit(options: RateLimitOptions): Required<RateLimitOptions> {
  checkNames('rateLimit', options, ['requests', 'windowMs', 'refusalsToLock', 'lockMs'])
  const { requests, windowMs = 60_000, refusalsToLock = 20, lockMs = 900_000 } = options
  return {
    requests: asCount('rateLimit.requests', requests),
    windowMs: asNumber('rateLimit.windowMs', windowMs, 1),
    refusalsToLock:
      refusalsToLock === Number.POSITIVE_INFINITY
        ? refusalsToLock
        : asCount('rateLimit.refusalsToLock', refusalsToLock),
    lockMs: asNumber('rateLimit.lockMs', lockMs, 0),
  }
}
