import type { ClientInternals } from '../client-internals.ts'
import { LightAbortController, raceWithAbort } from '../concurrency/cancellation.ts'
import { type Clock, monotonicNow } from '../concurrency/clock.ts'
import type { SpendingLimit } from '../credits/joint-budget.ts'
import { operations } from '../generated/operations.ts'
import { isArray, isObject } from '../operations/type-guards.ts'

const WEEK_MS = 604_800_000
/** How long a failure is answered without another call: each lost answer may have been charged. */
const RETRY_MS = 30_000
const LIMIT = operations['token.list'].credits.maxItems

/** The tokens of `token.list`, which the proxy buys at the first need, and then once a week. */
export class ListedTokens {
  readonly #client: ClientInternals
  /** Pays for the list, because everybody needs it. */
  readonly #budget: SpendingLimit
  readonly #clock: Clock
  readonly #closing = new LightAbortController()
  #known: ReadonlySet<string> | undefined
  /** When the last call ended. */
  #askedAt = Number.NEGATIVE_INFINITY
  #failure: unknown
  #loading: Promise<ReadonlySet<string>> | undefined

  constructor(client: ClientInternals, budget: SpendingLimit, clock: Clock) {
    this.#client = client
    this.#budget = budget
    this.#clock = clock
  }

  /**
   * Resolves with the addresses, in lower case.
   * @throws the error of the call, or the reason of the signal
   */
  async get(signal: AbortSignal): Promise<ReadonlySet<string>> {
    const age = monotonicNow(this.#clock) - this.#askedAt
    if (this.#known) {
      // An old list serves until there is a new one.
      if (age > (this.#failure ? RETRY_MS : WEEK_MS)) this.#start()
      return this.#known
    }
    if (this.#failure && age <= RETRY_MS) throw this.#failure
    return raceWithAbort(this.#start(), signal)
  }

  /** Resolves when no call is in flight. */
  async close(): Promise<void> {
    this.#closing.abort(new DOMException('The proxy is closed.', 'AbortError'))
    await this.#loading?.catch(() => {})
  }

  #start(): Promise<ReadonlySet<string>> {
    if (this.#loading) return this.#loading
    this.#loading = this.#load()
    // Everybody may have left.
    this.#loading.catch(() => {})
    return this.#loading
  }

  async #load(): Promise<ReadonlySet<string>> {
    try {
      const options = { signal: this.#closing }
      const listed = await this.#client.call('token.list', { limit: LIMIT }, options, { budget: this.#budget })
      this.#known = addressesOf(listed)
      this.#failure = undefined
      return this.#known
    } catch (error) {
      this.#failure = error
      throw error
    } finally {
      this.#askedAt = monotonicNow(this.#clock)
      this.#loading = undefined
    }
  }
}

function addressesOf(listed: unknown): ReadonlySet<string> {
  const addresses = new Set<string>()
  for (const token of isArray(listed) ? listed : [])
    if (isObject(token) && typeof token.address === 'string') addresses.add(token.address.toLowerCase())
  return addresses
}
