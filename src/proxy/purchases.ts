import type { ClientInternals } from '../client-internals.ts'
import { LightAbortController, raceWithAbort } from '../concurrency/cancellation.ts'
import { type Clock, monotonicNow, startTimer } from '../concurrency/clock.ts'
import type { Budget } from '../credits/budget.ts'
import { isEtnMarketError } from '../errors/base.ts'
import type { BudgetExceededError } from '../errors/budget.ts'
import { type Answer, type AnswerCache, etagOf, toBody } from './answer-cache.ts'
import { Abandoned, CallBudget } from './call-budget.ts'
import type { ProxyCall } from './read-call.ts'
import { overBudget } from './refusal.ts'
import type { Visitors } from './visitors.ts'

/** The calls of the proxy. Visitors who ask for the same at the same time share one, and the first of them pays. */
export interface Purchases {
  /** @throws the error of the call, or the reason of the signal */
  buy(call: ProxyCall, visitor: string, signal: AbortSignal): Promise<Bought>
  /** Resolves when no call is in flight. */
  settled(): Promise<void>
}

export interface Bought {
  readonly answer: Answer
  /** Credits that this visitor paid. */
  readonly cost: number
}

/** A call that is under way. */
interface Purchase {
  readonly result: Promise<Answer>
  readonly callBudget: CallBudget
  readonly controller: LightAbortController
  waiting: number
  isEnded: boolean
  stopTimer(): void
}

export interface PurchaseParts {
  readonly client: ClientInternals
  readonly clock: Clock
  readonly cache: AnswerCache
  readonly visitors: Visitors | undefined
  readonly budget: Budget
}

/** How long a request that nobody waits for may take, so that its cost is known and its answer serves the next visitor. */
const ABANDONED_MS = 5_000

export function createPurchases({ client, clock, cache, visitors, budget }: PurchaseParts): Purchases {
  const inFlight = new Map<string, Purchase>()
  const live = new Set<Promise<unknown>>()

  function start(call: ProxyCall, visitor: string): Purchase {
    const { key } = call
    const callBudget = new CallBudget(visitors?.begin(visitor), budget)
    const controller = new LightAbortController()
    const run = async (): Promise<Answer> => {
      try {
        const data = await client.call(call.operation, call.params, { signal: controller }, { budget: callBudget })
        const body = client.redact(toBody(call.operation, data))
        const answer = { body, etag: etagOf(body), freshUntil: monotonicNow(clock) + call.rule.cacheMs }
        cache.set(call.operation, key, answer)
        return answer
      } finally {
        purchase.isEnded = true
        purchase.stopTimer()
        if (inFlight.get(key) === purchase) inFlight.delete(key)
        live.delete(result)
        visitors?.end(visitor)
      }
    }
    const result = Promise.resolve().then(run)
    const purchase: Purchase = { result, callBudget, controller, waiting: 0, isEnded: false, stopTimer() {} }
    // Everybody may leave before it ends.
    result.catch(() => {})
    inFlight.set(key, purchase)
    live.add(result)
    return purchase
  }

  /** Nobody waits any more: what is queued is not sent, and what is sent is read to its end for a while. */
  function abandon(purchase: Purchase, key: string): void {
    const cancel = () => {
      if (inFlight.get(key) === purchase) inFlight.delete(key)
      purchase.controller.abort(new DOMException('No visitor waits for the answer.', 'AbortError'))
    }
    purchase.callBudget.isAbandoned = true
    if (purchase.callBudget.sending > 0) purchase.stopTimer = startTimer(clock, ABANDONED_MS, cancel)
    else cancel()
  }

  async function wait(purchase: Purchase, key: string, signal: AbortSignal): Promise<Answer> {
    purchase.waiting++
    purchase.callBudget.isAbandoned = false
    purchase.stopTimer()
    try {
      return await raceWithAbort(purchase.result, signal)
    } finally {
      purchase.waiting--
      if (purchase.waiting === 0 && !purchase.isEnded) abandon(purchase, key)
    }
  }

  return {
    async buy(call, visitor, signal) {
      for (;;) {
        const running = inFlight.get(call.key)
        const purchase = running ?? start(call, visitor)
        try {
          const answer = await wait(purchase, call.key, signal)
          return { answer, cost: running ? 0 : purchase.callBudget.counted }
        } catch (error) {
          signal.throwIfAborted()
          // Another visitor could not pay for it, or has just left: this one asks alone.
          const isOfOthers =
            running !== undefined && (running.callBudget.refusedBy === 'visitor' || error instanceof Abandoned)
          if (!isOfOthers) throw nameBudget(error, purchase.callBudget, clock.now())
        }
      }
    },
    async settled() {
      while (live.size > 0) await Promise.allSettled(live)
    },
  }
}

/** Which of the budgets was exceeded decides the code of the answer. */
function nameBudget(error: unknown, { refusedBy, visitor }: CallBudget, now: number): unknown {
  if (!isEtnMarketError(error) || error.name !== 'BudgetExceededError') return error
  return overBudget(error as BudgetExceededError, now, refusedBy === 'visitor' ? visitor?.limit : undefined)
}
