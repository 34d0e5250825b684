import type { ClientInternals } from '../client-internals.ts'
import { LightAbortController, raceWithAbort } from '../concurrency/cancellation.ts'
import { type Clock, monotonicNow } from '../concurrency/clock.ts'
import type { SpendingLimit } from '../credits/joint-budget.ts'
import { operations } from '../generated/operations.ts'
import { isArray, isObject } from '../operations/type-guards.ts'

/** The tokens of `token.list`, which the proxy buys at the first need, and then once a week. */
export interface ListedTokens {
  /**
   * Resolves with the addresses, in lower case.
   * @throws the error of the call, or the reason of the signal
   */
  get(signal: AbortSignal): Promise<ReadonlySet<string>>
  /** Resolves when no call is in flight. */
  close(): Promise<void>
}

const WEEK_MS = 604_800_000
/** How long a failure is answered without another call: each lost answer may have been charged. */
const RETRY_MS = 30_000
const LIMIT = operations['token.list'].credits.maxItems

/** @param budget pays for the list, because everybody needs it */
export function createListedTokens(client: ClientInternals, budget: SpendingLimit, clock: Clock): ListedTokens {
  const closing = new LightAbortController()
  let known: ReadonlySet<string> | undefined
  /** When the last call ended. */
  let askedAt = Number.NEGATIVE_INFINITY
  let failure: unknown
  let loading: Promise<ReadonlySet<string>> | undefined

  async function load(): Promise<ReadonlySet<string>> {
    try {
      const listed = await client.call('token.list', { limit: LIMIT }, { signal: closing }, { budget })
      known = addressesOf(listed)
      failure = undefined
      return known
    } catch (error) {
      failure = error
      throw error
    } finally {
      askedAt = monotonicNow(clock)
      loading = undefined
    }
  }

  function start(): Promise<ReadonlySet<string>> {
    if (loading) return loading
    loading = load()
    // Everybody may have left.
    loading.catch(() => {})
    return loading
  }

  return {
    async get(signal) {
      const age = monotonicNow(clock) - askedAt
      if (known) {
        // An old list serves until there is a new one.
        if (age > (failure ? RETRY_MS : WEEK_MS)) start()
        return known
      }
      if (failure && age <= RETRY_MS) throw failure
      return raceWithAbort(start(), signal)
    },
    async close() {
      closing.abort(new DOMException('The proxy is closed.', 'AbortError'))
      await loading?.catch(() => {})
    },
  }
}

function addressesOf(listed: unknown): ReadonlySet<string> {
  const addresses = new Set<string>()
  for (const token of isArray(listed) ? listed : [])
    if (isObject(token) && typeof token.address === 'string') addresses.add(token.address.toLowerCase())
  return addresses
}
