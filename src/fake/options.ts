import { FAKE_KEY } from '../utils/fake-mark.ts'
import type { WorldOptions } from './data/world-options.ts'
import { KEYS, type KeyOptions, readKeys } from './rules/accounts.ts'
import { checkFunctions, checkOptions, checkValue, readBaseUrl } from './rules/check.ts'
import { type FakeClock, MAX_WAIT_MS } from './rules/clock.ts'
import type { JournalOptions } from './rules/journal.ts'
import { RATE_LIMIT, type RateLimitOptions } from './rules/rate-limit.ts'
import type { CorsMode } from './rules/reply.ts'
import * as is from './rules/schema.ts'
import { readTape, type Tape } from './rules/tape.ts'

/**
 * Options of `createFakeService`.
 *
 * @example
 * const fake = createFakeService({
 *   seed: 7,
 *   keys: { mine: 10_000, other: { credits: 50, tier: 'gold' } },
 *   rateLimit: { requests: 2 },
 *   journal: { max: 100 },
 * })
 * const client = createClient({ apiKey: 'other', fetch: fake.fetch, retry: false })
 * await client.etn.price()
 * await client.nft.stats()
 * await client.account.me().catch((error: Error) => error.name) // 'RateLimitError'
 * fake.remaining('other') // 0
 */
export interface FakeServiceOptions {
  /** Determines all data: the same seed gives the same data on every runtime. @default 'etn-market' */
  seed?: number | string | undefined
  /** Data of your own, merged into the data of the seed. @default only the data of the seed */
  world?: WorldOptions | undefined
  /** Recorded answers to play, from `record`. Calls are checked and charged as without it. */
  tape?: Tape | undefined
  /** What answers a request that is not on the tape: 501 `no_recording`, or the data of the seed. @default 'error' */
  onMissing?: 'error' | 'world' | undefined
  /** The keys that the service accepts, with their credits. @default { esk_test_fake: 1_000_000_000 } */
  keys?: Record<string, KeyOptions> | undefined
  /** Source of the time. @default the system clock, looked up at each use, so that fake timers work */
  clock?: FakeClock | undefined
  /** Answer only below the path of this base URL, on any origin. @default the path up to its last `/v1` is ignored */
  baseUrl?: string | undefined
  /** Delay of every answer in milliseconds. @default 0 */
  latencyMs?: number | undefined
  /** Additional delay of a heavy route in milliseconds; its slot stays taken meanwhile. @default 0 */
  heavyLatencyMs?: number | undefined
  /** Heavy calls that may be in flight, all keys together. @default 2 */
  heavyConcurrency?: number | undefined
  /** Limits the calls per key and time window. @default no limit */
  rateLimit?: RateLimitOptions | undefined
  /** `true`: pages may read answers and credit headers; `'hidden'`: not the credit headers; `false`: no CORS. @default true */
  cors?: CorsMode | undefined
  /** Limits and contents of the journal. @default { max: 10_000, headers: false } */
  journal?: JournalOptions | undefined
  /** Snapshots that `POST /_fake/snapshot` keeps; a further one drops the oldest. @default 20 */
  maxSnapshots?: number | undefined
  /** Called with one line for every finished request. @default nothing is logged */
  log?: ((line: string) => void) | undefined
}

export type Settings = ReturnType<typeof readOptions>

/** The key that a fake accepts by default. */
export const fakeKey = FAKE_KEY

const DEFAULT_CREDITS = 1_000_000_000

/** Clock, world and tape are checked on their own. */
const OPTIONS = is.object({
  seed: { type: ['number', 'string'], title: 'a number or a string' },
  ...is.each({}, 'world', 'tape'),
  onMissing: is.only('error', 'world'),
  keys: KEYS,
  ...is.each({}, 'clock', 'baseUrl'),
  ...is.each(is.between(0, MAX_WAIT_MS), 'latencyMs', 'heavyLatencyMs'),
  heavyConcurrency: is.count,
  rateLimit: RATE_LIMIT,
  cors: { enum: [true, false, 'hidden'], title: "true, false or 'hidden'" },
  journal: is.object({ max: is.count, headers: is.flag }),
  maxSnapshots: is.wholeBetween(1),
  log: is.anyFunction,
})

/** Checks the options and fills in the defaults. */
export function readOptions(options: FakeServiceOptions) {
  checkOptions('createFakeService', OPTIONS, options)
  const { clock = { now: () => Date.now() }, journal, rateLimit } = options
  checkFunctions('clock', 'an object with now(), in unix milliseconds', clock, ['now'])
  if (rateLimit) checkValue('rateLimit.requests', is.count, rateLimit.requests)
  if (clock.sleep !== undefined) checkFunctions('clock', 'an object whose sleep is a function', clock, ['sleep'])
  return {
    seed: options.seed ?? 'etn-market',
    world: options.world === undefined ? {} : options.world,
    tape: options.tape && readTape(options.tape),
    onMissing: options.onMissing ?? 'error',
    clock,
    cors: options.cors ?? true,
    keys: readKeys(options.keys ?? { [fakeKey]: DEFAULT_CREDITS }),
    baseUrl: options.baseUrl === undefined ? undefined : readBaseUrl(options.baseUrl),
    latencyMs: options.latencyMs ?? 0,
    heavyLatencyMs: options.heavyLatencyMs ?? 0,
    heavyConcurrency: options.heavyConcurrency ?? 2,
    rateLimit: rateLimit && { ...rateLimit },
    journal: { max: journal?.max ?? 10_000, headers: journal?.headers ?? false },
    maxSnapshots: options.maxSnapshots ?? 20,
    log: options.log,
  }
}
