import { raceWithAbort } from '../concurrency/cancellation.ts'
import { monotonicNow } from '../concurrency/clock.ts'
import { operations } from '../generated/operations.ts'
import { isArray, isObject } from '../operations/type-guards.ts'
import type { ProxySettings } from './settings.ts'

const WEEK_MS = 604_800_000
/** How long a failure is answered without another call: each lost answer may have been charged. */
const RETRY_MS = 30_000
const LIMIT = operations['token.list'].credits.maxItems

/** The tokens of `token.list`, which the proxy buys at the first need, and then once a week. */
export class ListedTokens {
  readonly #settings: ProxySettings
  /** The list, or the failure of the call. An old list serves until there is a new one. */
  #newest: Promise<ReadonlySet<string>> | undefined
  #isKnown = false
  /** The call in flight. */
  #loading: Promise<void> | undefined
  /** When the list is asked for again, by the monotonic clock. */
  #dueAt = Number.NEGATIVE_INFINITY

  constructor(settings: ProxySettings) {
    this.#settings = settings
  }

  /**
   * Resolves with the addresses, in lower case.
   * @throws the error of the call, or the reason of the signal
   */
  get(signal: AbortSignal): Promise<ReadonlySet<string>> {
    if (!this.#loading && monotonicNow(this.#settings.clock) > this.#dueAt) this.#load()
    return raceWithAbort(this.#newest as Promise<ReadonlySet<string>>, signal)
  }

  /** Resolves when no call is in flight. */
  async settled(): Promise<void> {
    await this.#loading
  }

  #load(): void {
    const { client, clock, budget } = this.#settings
    // Everybody needs it, so the budget of all pays.
    const list = client.call('token.list', { limit: LIMIT }, {}, { budget }).then(addressesOf)
    if (!this.#isKnown) this.#newest = list
    const end = (waitMs: number) => {
      this.#dueAt = monotonicNow(clock) + waitMs
      this.#loading = undefined
    }
    this.#loading = list.then(
      () => {
        this.#newest = list
        this.#isKnown = true
        end(WEEK_MS)
      },
      () => end(RETRY_MS),
    )
  }
}

function addressesOf(listed: unknown): ReadonlySet<string> {
  const addresses = new Set<string>()
  for (const token of isArray(listed) ? listed : [])
    if (isObject(token) && typeof token.address === 'string') addresses.add(token.address.toLowerCase())
  return addresses
}
