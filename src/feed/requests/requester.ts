import { sleep } from '../../concurrency/clock.ts'
import { ResponseError } from '../../errors/api.ts'
import { type EtnMarketError, isEtnMarketError } from '../../errors/base.ts'
import { BudgetExceededError } from '../../errors/budget.ts'
import { exponentialBackoff } from '../../utils/time-units.ts'
import type { FeedContext } from '../context.ts'
import type { FeedBoughtEvent } from '../events.ts'
import { isOverBudget, isRefusal, isServiceWide, isShortOfCredits, mayBeChargedAgain } from '../failures.ts'
import type { DailyBudget } from '../prices/daily-budget.ts'
import type { PlannedRequests } from '../types.ts'
import type { Spent } from './send.ts'

export type RequesterParts = Pick<FeedContext, 'clock' | 'send' | 'dailyBudget' | 'backoff' | 'emit' | 'isPaused'>

export interface RequesterOptions {
  readonly signal: AbortSignal
  readonly failures: FailureReport
  /** The wait after a failure that may have been charged, in milliseconds. */
  everyMs(): number
}

/** Reports what holds requests up: once, and again when the reason changes. */
export interface FailureReport {
  report(error: unknown): void
  /** Called after a success. */
  clear(): void
}

/** @param onReason called with the first of several failures in a row that have the same code */
export function createFailureReport(onReason: (error: EtnMarketError) => void): FailureReport {
  let reportedCode: string | undefined
  return {
    report(error) {
      if (!isEtnMarketError(error) || error.code === reportedCode) return
      reportedCode = error.code
      onReason(error)
    },
    clear() {
      reportedCode = undefined
    },
  }
}

export interface RequestSpec<T = unknown> {
  readonly operation: Exclude<FeedBoughtEvent['operation'], 'prices.batch'>
  /** In EIP-55 form. */
  readonly addresses: readonly string[]
  readonly worstCase: number
  readonly params: object
  /** Whether an answer can be used. With `validate: 'warn'` it may have any shape. */
  isUsable(data: T): boolean
}

export interface Answer<T> extends Spent<T> {
  /** When the request was sent, by the clock of the feed. */
  readonly sentAt: number
}

/** Makes the requests of one consumer, each within the share of the budget that the watches leave. */
export interface Requester {
  /** How long a request has to wait now, in milliseconds. It may have to wait again after that. */
  waitMs(spec: RequestSpec<unknown>): number
  /** Whether a later attempt may succeed after this failure. */
  mayRetry(error: unknown, spec: RequestSpec<unknown>): boolean
  /** Waits until nothing holds the request up, and makes one attempt. Rejects with why it failed. */
  attempt<T>(specify: () => RequestSpec<T>): Promise<Answer<T>>
  /** Repeats attempts until one succeeds. Rejects when no later attempt could. */
  request<T>(specify: () => RequestSpec<T>): Promise<Answer<T>>
}

/** How often a hidden page is checked. */
const PAUSE_MS = 1_000
const MIN_WAIT_MS = 1_000
const MAX_WAIT_MS = 60_000
/** How often it is checked whether the budget has room beside the watches. */
const SHARE_CHECK_MS = 60_000

export function createRequester(parts: RequesterParts, options: RequesterOptions): Requester {
  const { clock, send, dailyBudget, backoff, emit, isPaused } = parts
  const { signal, failures: failureReport, everyMs } = options
  /** Consecutive failures. Those of this consumer alone do not hold up others. */
  let failures = 0
  let notBefore = Number.NEGATIVE_INFINITY

  function waitMs({ operation, worstCase }: RequestSpec<unknown>): number {
    const now = clock.now()
    const until = Math.max(backoff.until, notBefore)
    if (isPaused()) return PAUSE_MS
    if (now < until) {
      failureReport.report(backoff.failure?.error)
      return until - now
    }
    if (dailyBudget.availableForRequests >= worstCase || isTooLarge(worstCase)) return 0
    failureReport.report(outOfShare(operation, worstCase, dailyBudget))
    return SHARE_CHECK_MS
  }

  /** Retry-After is a floor, and jitter only adds to it. */
  function waitAfter(error: unknown): number {
    const { retryAfterMs = 0 } = error as Partial<EtnMarketError>
    const ms = isShortOfCredits(error) ? MAX_WAIT_MS : exponentialBackoff(failures, MIN_WAIT_MS, MAX_WAIT_MS)
    return Math.max(ms, retryAfterMs) * (1 + clock.random() / 10)
  }

  /** No day of the budget has room for it. */
  function isTooLarge(worstCase: number): boolean {
    return worstCase > dailyBudget.budget.limit
  }

  /** What is requested may depend on how long it has waited. */
  async function attempt<T>(specify: () => RequestSpec<T>): Promise<Answer<T>> {
    signal.throwIfAborted()
    let spec = specify()
    for (let ms = waitMs(spec); ms > 0; ms = waitMs(spec)) {
      await sleep(clock, ms, signal)
      spec = specify()
    }
    const sentAt = clock.now()
    try {
      const answer = await send<T>(spec.operation, spec.params, { signal })
      dailyBudget.recordUnplanned(answer.credits)
      backoff.recordSuccess(sentAt)
      emit({ type: 'feed.bought', operation: spec.operation, addresses: spec.addresses, credits: answer.credits })
      if (!spec.isUsable(answer.data)) throw unusable(spec, answer)
      failures = 0
      failureReport.clear()
      return { ...answer, sentAt }
    } catch (error) {
      signal.throwIfAborted()
      notBefore = Math.max(clock.now() + waitAfter(error), mayBeChargedAgain(error, failures) ? sentAt + everyMs() : 0)
      failures++
      if (isServiceWide(error)) backoff.recordFailure(error, sentAt)
      if (!isRefusal(error)) failureReport.report(error)
      throw error
    }
  }

  function mayRetry(error: unknown, { worstCase }: RequestSpec<unknown>): boolean {
    return !isRefusal(error) && !(isOverBudget(error) && isTooLarge(worstCase))
  }

  return {
    waitMs,
    mayRetry,
    attempt,
    async request(specify) {
      for (;;) {
        try {
          return await attempt(specify)
        } catch (error) {
          if (signal.aborted || !mayRetry(error, specify())) throw error
        }
      }
    },
  }
}

function unusable<T>({ operation }: RequestSpec<T>, { data, credits }: Spent<T>): ResponseError {
  const message = `${operation}: the answer does not match the contract. It was paid for; the data is in error.body.`
  return new ResponseError(message, { operation, code: 'unexpected_shape', charge: 'charged', credits, body: data })
}

function outOfShare(operation: FeedBoughtEvent['operation'], needed: number, dailyBudget: DailyBudget) {
  const available = Math.floor(dailyBudget.availableForRequests)
  return new BudgetExceededError(
    `The request needs up to ${needed} credits, but ${available} are left beside the share of the watches. Nothing was sent.`,
    { operation, needed, available, resetsAt: dailyBudget.budget.resetsAt },
  )
}

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
