import type { Clock } from '../concurrency/clock.ts'
import type { FakeWorld } from './data/world.ts'
import type { FaultHandle, FaultOptions, ScriptOptions, ScriptStep } from './faults/fault-options.ts'
import type { KeyOptions, KeyState } from './rules/accounts.ts'
import type { Expected } from './rules/expect.ts'
import type { Charge, FakeFilter, JournalEntry } from './rules/journal.ts'
import type { FakeOperation } from './rules/routes.ts'
import type { StubAnswer, StubOptions } from './rules/stubs.ts'

/** The service as a `fetch` function. */
export type FakeFetch = (input: Request | string | URL, init?: RequestInit) => Promise<Response>

/** Address of the HTTP server. */
export interface ListenOptions {
  /** @default 0, a free port */
  port?: number | undefined
  /** @default '127.0.0.1' */
  hostname?: string | undefined
  /**
   * Protects the control routes: they need it in the header `x-fake-control-token`, and may be used from anywhere.
   * @default they are for programs on this machine alone
   */
  controlToken?: string | undefined
}

/** The parts that `reset` can keep; `world` includes the stubs. */
export type ResetPart = 'world' | 'faults' | 'keys' | 'clock'

export const RESET_PARTS: readonly ResetPart[] = ['world', 'faults', 'keys', 'clock']

/**
 * Options of `fake.reset`.
 *
 * @example
 * fake.world.setPrice(BOLT, '0.019')
 * fake.reset({ keep: ['world', 'clock'] })
 */
export interface ResetOptions {
  /** The parts to keep. @default none */
  keep?: readonly ResetPart[] | undefined
}

/** The state of a fake at a moment, for `restore`. */
export interface FakeSnapshot {
  /** The fake's time in unix milliseconds. */
  readonly at: number
}

/** A fake that listens. */
export interface FakeServer {
  /** The base URL for a client. */
  readonly url: string
  /** The port that it listens on. */
  readonly port: number
  /** Closes the server and all its connections at once. */
  close(): Promise<void>
}

/** The documented service in memory, with access to everything that happens in it. */
export interface FakeService extends AsyncDisposable {
  /** A base URL that it answers below: the one of its options, else the public service's. */
  readonly baseUrl: string
  /** The first of its keys. */
  readonly key: string
  /** The service as a `fetch` for a client. If the signal aborts, it rejects with the signal's reason. It fails as a network does. */
  readonly fetch: FakeFetch
  /**
   * Serves the fake over HTTP; by default on 127.0.0.1 and a free port.
   *
   * @example
   * const { url } = await fake.listen({ controlToken: 'secret' })
   * const headers = { 'x-fake-control-token': 'secret' }
   * const body = JSON.stringify({ token: BOLT, usd: '0.019' })
   * await fetch(new URL('/_fake/world/price', url), { method: 'POST', headers, body })
   */
  listen(options?: ListenOptions): Promise<FakeServer>

  /** Every charge, in order, up to `journal.max`. A charge is made before the answer is delivered, so lost answers are included. */
  ledger(filter?: FakeFilter): Charge[]
  /** The sum of the charges, in credits. */
  charged(filter?: FakeFilter): number
  /** Every request, in order of arrival, up to `journal.max`. */
  journal(filter?: FakeFilter): JournalEntry[]
  /** The maximum of requests in flight at once; with `heavy`, of heavy requests. */
  peakInFlight(options?: { heavy?: boolean | undefined }): number

  /** The keys with their remaining credits. */
  keys(): Record<string, KeyState>
  /** Adds keys, or replaces the credits and the tier of existing ones: all of them, or none if one is wrong. */
  addKeys(keys: Record<string, KeyOptions>): void
  /** Remaining credits of a key. @default the first key */
  remaining(key?: string): number
  /** Sets the remaining credits of a key. */
  setCredits(key: string, credits: number): void

  /** Changes prices, trades and candles while the fake runs. */
  readonly world: FakeWorld

  /**
   * Adds a fault. All active faults that match a request take effect together, in the order in which they were added. Delays add up. If two faults
   * set the content, the first wins, and the second waits for its next request.
   */
  fault(options: FaultOptions): FaultHandle
  /**
   * Adds a sequence of outcomes, one for each request of an operation; `'ok'` leaves a request alone.
   *
   * @example
   * fake.script('token.price', [{ status: 429 }, { delayMs: 500 }, 'ok'])
   */
  script(operation: FakeOperation, steps: readonly ScriptStep[], options?: ScriptOptions): FaultHandle
  /**
   * Replaces the data of an operation. The request is checked first. The answer is checked against the contract, charged and sent with headers;
   * faults still apply. `undefined` answers 404. Returns a function that removes the stub, also after `restore`; that function returns whether there
   * was one.
   *
   * @example
   * const remove = fake.stub('token.get', ({ data }) => ({ ...data, name: 'x' }))
   * await client.token.get({ address: BOLT }) // name: 'x'
   * remove()
   */
  stub<Operation extends FakeOperation>(
    operation: Operation,
    answer: StubAnswer<Operation>,
    options?: StubOptions,
  ): () => boolean
  /** The faults that were added and not removed. */
  faults(): FaultHandle[]
  /**
   * Takes one of the heavy slots, as another tenant would. Returns a function that frees it. Throws when none is free.
   *
   * @example
   * const slots = [fake.holdHeavySlot(), fake.holdHeavySlot()]
   * await client.farm.list({}, { retry: false }).catch((error: Error) => error.name) // 'ServerBusyError'
   * for (const free of slots) free()
   */
  holdHeavySlot(): () => void

  /**
   * Throws, with the requests concerned in the message, unless exactly these credits were charged: in total, or per operation.
   *
   * @example
   * await client.token.list({ limit: 3 })
   * fake.expectCredits({ 'token.list': 115 })
   * fake.expectRequests(1, { key: fake.key })
   */
  expectCredits(expected: Expected, filter?: FakeFilter): void
  /**
   * Throws, with the requests concerned in the message, unless exactly these requests arrived: in total, or per operation;
   * `unknown` are requests without a route.
   */
  expectRequests(expected: Expected, filter?: FakeFilter): void
  /** Throws if a fault has hits left. A fault with a probability or without an end must have hit at least once. */
  expectNoUnusedFaults(): void

  /** The fake's time in unix milliseconds: it determines the data, `Date` and `Retry-After`. */
  now(): number
  /**
   * A clock in the fake's time for the code under test. `monotonic()` goes on where `reset` and `restore` set the time back; `random()` gives the same
   * numbers for the same seed.
   *
   * @example
   * const client = createClient({ apiKey: fake.key, fetch: fake.fetch, clock: fake.clock })
   * fake.script('etn.price', [{ status: 429, retryAfter: 30 }, 'ok'])
   * const price = client.etn.price()
   * await fake.advance(60_000)
   * await price
   */
  readonly clock: Clock
  /**
   * Moves the time forward at once. Resolves when everything that fell due has run, in order, including what it started
   * within the same span; await it if anything sleeps. While something runs, the time is the moment at which it is due.
   */
  advance(ms: number): Promise<void>
  /** Drops charges, requests, faults, stubs, held slots, changes of the data and moved time, and restores the keys of the options. Elapsed time goes on, as for `restore`. */
  reset(options?: ResetOptions): void
  /**
   * Keeps the state: keys, ledger, journal, faults, stubs, data, time, and the position on the tape. Requests in flight and
   * held slots are not part of it.
   *
   * @example
   * const before = fake.snapshot()
   * await client.etn.price()
   * fake.restore(before)
   * fake.expectCredits(0)
   */
  snapshot(): FakeSnapshot
  /** Restores the state of a snapshot of this fake. Elapsed time goes on: what waits on `clock` ends when it would have. */
  restore(snapshot: FakeSnapshot): void
  /** Closes every server at once, breaks pending requests, and refuses later ones. */
  close(): Promise<void>
}
