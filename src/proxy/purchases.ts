import { LightAbortController, raceWithAbort } from '../concurrency/cancellation.ts'
import { startTimer } from '../concurrency/clock.ts'
import { joinLimits } from '../credits/joint-budget.ts'
import { cachedForMs } from '../transport/age.ts'
import { type Answer, AnswerCache } from './answer-cache.ts'
import type { ProxyCall } from './read-call.ts'
import { encode, etagOf, toBody } from './respond.ts'
import type { ProxySettings } from './settings.ts'
import type { Visitors } from './visitors.ts'

/** An answer, and the credits that this visitor paid for it. */
export interface Bought {
  readonly answer: Answer
  readonly cost: number
  /**
   * How much older it is than the visitor's own question, in milliseconds: the proxy or a cache behind it had kept it, or others had asked before.
   */
  readonly keptMs: number
}

/** How long a request that its visitor has left may take, so that its cost is known and its answer serves the next one. */
const ABANDONED_MS = 5_000

/** The calls of the proxy. The client shares those that are equal and in flight: the first visitor pays. */
export class Purchases {
  readonly #settings: ProxySettings
  readonly #cache: AnswerCache
  readonly #visitors: Visitors | undefined
  readonly #live = new Set<Promise<unknown>>()

  /** @param visitors undefined where visitors have no limit of their own */
  constructor(settings: ProxySettings, visitors: Visitors | undefined) {
    this.#settings = settings
    this.#cache = new AnswerCache(settings.ages)
    this.#visitors = visitors
  }

  /** An answer that is still fresh costs nothing. */
  find({ key }: ProxyCall): Bought | undefined {
    const answer = this.#cache.get(key)
    return answer && { answer, cost: 0, keptMs: this.#settings.ages.now() - answer.at }
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
    const { client, clock, ages, limit } = this.#settings
    const cutOff = new LightAbortController()
    let stopTimer = () => {}
    const onLeave = () => {
      stopTimer = startTimer(clock, ABANDONED_MS, () => cutOff.abort(left.reason))
    }
    const askedAt = ages.now()
    const own = this.#visitors?.begin(visitor)
    const budget = own && limit ? joinLimits(own, limit) : (own ?? limit)
    left.addEventListener('abort', onLeave)
    try {
      const call = client.call(operation, params, { signal: cutOff }, { budget, stop: left })
      const { data, meta } = await call.withMeta()
      const { charged, estimated } = meta.credits
      const cost = Math.min(charged, estimated * meta.attempts)
      // Those who share a call make one answer of it.
      const known = meta.shared ? this.#cache.get(key) : undefined
      const keptMs = meta.sharedForMs + cachedForMs(meta.headers?.age)
      if (known) return { answer: known, cost, keptMs }
      const text = client.redact(toBody(operation, data))
      // An answer is as old as its question: it may have waited in a connection while the machine slept.
      const at = askedAt - keptMs
      const answer = { body: encode(text), etag: etagOf(text), at, freshUntil: at + rule.cacheMs }
      this.#cache.set(key, answer)
      return { answer, cost, keptMs }
    } finally {
      left.removeEventListener('abort', onLeave)
      stopTimer()
      this.#visitors?.end(visitor)
    }
  }
}
