import type { PlannedRequests } from '../schedule/plan.ts'

/** What a consumer requests at an interval, besides prices. */
export interface RecurringRequest {
  readonly operation: Exclude<PlannedRequests['operation'], 'trade.list'>
  /** In EIP-55 form. */
  readonly address: string
  /** Requests with the same key are shared by their consumers, at the shortest interval. */
  readonly key: string
  readonly everyMs: number
  /** The cost of a request every `everyMs`, as far as it is known. */
  credits(): number
}

/** The recurring requests of a feed. */
export interface RecurringRequests {
  /** Adds a request. Returns a function that removes it. */
  add(request: RecurringRequest): () => void
  /** Those that are made: of several with one key, the one with the shortest interval. */
  list(): readonly RecurringRequest[]
}

export function createRecurringRequests(): RecurringRequests {
  const requests = new Set<RecurringRequest>()
  return {
    add(request) {
      requests.add(request)
      return () => void requests.delete(request)
    },
    list() {
      const shortest = new Map<string, RecurringRequest>()
      for (const request of requests) {
        const other = shortest.get(request.key)
        if (other === undefined || request.everyMs < other.everyMs) shortest.set(request.key, request)
      }
      return [...shortest.values()]
    },
  }
}
