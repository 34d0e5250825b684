import { raceWithAbort } from '../concurrency/cancellation.ts'
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
  /** An old list serves until there is a new one. */
  #known: ReadonlySet<string> | undefined
  /** The last call; its failure is answered until the next one. */
  #call: Promise<ReadonlySet<string>> | undefined
  /** When the list is asked for again, by the age clock. */
  #dueAt = Number.NEGATIVE_INFINITY

  constructor(settings: ProxySettings) {
    this.#settings = settings
  }

  /** The addresses, in lower case; a promise while none are known. It rejects with the error of the call, or the reason of the signal. */
  get(signal: AbortSignal): ReadonlySet<string> | Promise<ReadonlySet<string>> {
    if (this.#call === undefined || this.#settings.ages.now() > this.#dueAt) {
      this.#call = this.#load()
      // Nobody waits for it where there is an old list.
      this.#call.catch(() => {})
    }
    return this.#known ?? raceWithAbort(this.#call, signal)
  }

  /** Resolves when no call is in flight. */
  async settled(): Promise<void> {
    await this.#call?.catch(() => {})
  }

  async #load(): Promise<ReadonlySet<string>> {
    const { client, ages, limit, stream } = this.#settings
    const payer = stream?.addresses === 'listed' ? stream.payer : undefined
    // Not again before this call has ended.
    this.#dueAt = Number.POSITIVE_INFINITY
    let waitMs = RETRY_MS
    try {
      // Streams need nothing of the budget of calls: visitors who use it up must not end the prices of all.
      const budget = payer ? undefined : limit
      const listed: unknown = await (payer ?? client).call('token.list', { limit: LIMIT }, {}, { budget })
      const tokens = isArray(listed) ? listed.filter(isObject) : []
      this.#known = new Set(tokens.flatMap(({ address }) => (typeof address === 'string' ? address.toLowerCase() : [])))
      waitMs = WEEK_MS
      return this.#known
    } finally {
      this.#dueAt = ages.now() + waitMs
    }
  }
}
