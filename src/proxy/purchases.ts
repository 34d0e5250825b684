import type { ClientInternals } from '../client-internals.ts'
import { LightAbortController, raceWithAbort } from '../concurrency/cancellation.ts'
import { type Clock, monotonicNow, startTimer } from '../concurrency/clock.ts'
import type { Budget, MemoryBudget, Reservation, ReservationDetails } from '../credits/budget.ts'
import { joinLimits, type SpendingLimit } from '../credits/joint-budget.ts'
import { BudgetExceededError } from '../errors/budget.ts'
import { type Answer, type AnswerCache, etagOf, toBody } from './answer-cache.ts'
import type { ProxyCall } from './read-call.ts'
import { overBudget } from './refusal.ts'
import type { Visitors } from './visitors.ts'

export interface Bought {
  readonly answer: Answer
  /** Credits that this visitor paid. */
  readonly cost: number
}

/** How long a request that its visitor has left may take, so that its cost is known and its answer serves the next one. */
const ABANDONED_MS = 5_000

/** The calls of the proxy. The client shares those that are equal and in flight: the first visitor pays. */
export class Purchases {
  readonly #client: ClientInternals
  readonly #clock: Clock
  readonly #cache: AnswerCache
  readonly #visitors: Visitors | undefined
  readonly #budget: Budget
  readonly #live = new Set<Promise<unknown>>()

  /** @param visitors undefined where visitors have no limit of their own */
  constructor(
    client: ClientInternals,
    clock: Clock,
    cache: AnswerCache,
    visitors: Visitors | undefined,
    budget: Budget,
  ) {
    this.#client = client
    this.#clock = clock
    this.#cache = cache
    this.#visitors = visitors
    this.#budget = budget
  }

  /** @throws the error of the call, a refusal for the visitor's own budget, or the reason of the signal */
  buy(call: ProxyCall, visitor: string, signal: AbortSignal): Promise<Bought> {
    const bought = this.#call(call, visitor, signal).finally(() => this.#live.delete(bought))
    this.#live.add(bought)
    return raceWithAbort(bought, signal)
  }

  /** Resolves when no call is in flight. */
  async settled(): Promise<void> {
    while (this.#live.size > 0) await Promise.allSettled(this.#live)
  }

  /** A visitor who leaves withdraws what is not sent. What is sent is read to its end for a while. */
  async #call({ operation, params, key, rule }: ProxyCall, visitor: string, left: AbortSignal): Promise<Bought> {
    const cutOff = new LightAbortController()
    let stopTimer = () => {}
    const onLeave = () => {
      stopTimer = startTimer(this.#clock, ABANDONED_MS, () => cutOff.abort(left.reason))
    }
    const own = this.#visitors?.begin(visitor)
    const budget = own ? joinLimits(new VisitorLimit(own, this.#clock), this.#budget) : this.#budget
    left.addEventListener('abort', onLeave)
    try {
      const call = this.#client.call(operation, params, { signal: cutOff }, { budget, stop: left })
      const { data, meta } = await call.withMeta()
      const { charged, estimated } = meta.credits
      const cost = Math.min(charged, estimated * meta.attempts)
      // Those who share a call make one answer of it.
      const known = meta.shared ? this.#cache.get(operation, key) : undefined
      if (known) return { answer: known, cost }
      const body = this.#client.redact(toBody(operation, data))
      const answer = { body, etag: etagOf(body), freshUntil: monotonicNow(this.#clock) + rule.cacheMs }
      this.#cache.set(operation, key, answer)
      return { answer, cost }
    } finally {
      left.removeEventListener('abort', onLeave)
      stopTimer()
      this.#visitors?.end(visitor)
    }
  }
}

/** The credits of a visitor, who is never charged more than was reserved: the other budgets have the true figure. */
class VisitorLimit implements SpendingLimit {
  readonly #budget: MemoryBudget
  readonly #clock: Clock

  constructor(budget: MemoryBudget, clock: Clock) {
    this.#budget = budget
    this.#clock = clock
  }

  check(credits: number, details?: ReservationDetails): void {
    this.#named(() => this.#budget.check(credits, details))
  }

  reserve(credits: number, details?: ReservationDetails): Reservation {
    const reserved = this.#named(() => this.#budget.reserve(credits, details))
    return {
      credits: reserved.credits,
      confirm: (...args) => this.#named(() => reserved.confirm(...args)),
      settle: (charged) => reserved.settle(Math.min(charged, reserved.credits)),
      release: () => reserved.release(),
      markUncertain: () => reserved.markUncertain(),
    }
  }

  /** The answer says that it is the visitor's own budget which a call does not fit. */
  #named<T>(use: () => T): T {
    try {
      return use()
    } catch (error) {
      if (!(error instanceof BudgetExceededError)) throw error
      throw overBudget(error, this.#clock.now(), { of: 'visitor', credits: this.#budget.limit })
    }
  }
}
