import type { ApiPromise } from '../client/api-promise.ts'
import type { CallExtras } from '../client/client-internals.ts'
import type { SweepResult } from '../client/sweep-types.ts'
import { LightAbortController, raceWithAbort } from '../concurrency/cancellation.ts'
import { callStore, storedText } from '../concurrency/store-call.ts'
import type { Budget, BudgetStore } from '../credits/budget.ts'
import { isFinalForKey, PartialBatchError } from '../errors/api.ts'
import { type ChargeState, EtnMarketError, isEtnMarketError } from '../errors/base.ts'
import { StateUnavailableError } from '../errors/budget.ts'
import { answerGuards } from '../generated/guards.ts'
import type { OperationId } from '../generated/operations.ts'
import { isObject } from '../operations/type-guards.ts'
import { strongest } from '../request/billing.ts'
import type { CallInput } from '../request/plan-requests.ts'
import { createHashNames } from '../utils/hash-name.ts'
import { parseJson } from '../utils/json-data.ts'
import { callSafely } from '../utils/runtime.ts'
import type { SweepContext, SweepSettings } from './sweep.ts'
import { CallLimit } from './sweep-budget.ts'

export interface SweepCall {
  /** Equal for equal calls. */
  readonly key: string
  readonly input: CallInput
  /** The parameters of all equal calls, as they were given. */
  readonly params: readonly unknown[]
  /** The worst case of the call without retries. */
  readonly maxCredits: number
}

type Result = SweepResult<unknown, unknown>

/** What a call brought. */
interface Outcome {
  readonly data?: unknown
  readonly error?: EtnMarketError | undefined
}

const SWEEP_LEFT = 'sweep_left'

/** Makes the calls, and deletes those that have a result from `pending`. */
export class SweepRun {
  readonly #operation: OperationId
  readonly #pending: Set<SweepCall>
  readonly #settings: SweepSettings
  readonly #budget: Budget
  readonly #context: SweepContext
  readonly #nameOf = createHashNames()
  readonly #total: number
  readonly #startedAt: number
  /** Aborts when the sweep is over: nothing further is sent, and what is on its way is waited for. */
  readonly #stop = new LightAbortController()
  readonly #working = new Set<Promise<void>>()
  readonly #buying = new Set<Promise<unknown>>()
  readonly #results: Result[] = []
  #failure: { reason: unknown } | undefined
  #done = 0
  #failed = 0
  #credits = 0
  #charge: ChargeState = 'none'
  #calls = 0

  /** @param budget what the calls have to fit beside the client's own */
  constructor(
    operation: OperationId,
    pending: Set<SweepCall>,
    settings: SweepSettings,
    budget: Budget,
    context: SweepContext,
  ) {
    this.#operation = operation
    this.#pending = pending
    this.#settings = settings
    this.#budget = budget
    this.#context = context
    this.#total = [...pending].reduce((sum, { params }) => sum + params.length, 0)
    this.#startedAt = context.clock.monotonic()
  }

  async *results(): AsyncGenerator<Result, void, undefined> {
    const { concurrency, signal, finishes } = this.#settings
    const queue = this.#pending.values()
    const onAbort = () => (finishes ? this.#end() : undefined)
    signal?.addEventListener('abort', onAbort)
    if (signal?.aborted) onAbort()
    try {
      for (;;) {
        while (
          this.#failure === undefined &&
          !this.#stop.aborted &&
          this.#working.size + this.#results.length < concurrency
        ) {
          const { value, done } = queue.next()
          if (done) break
          this.#start(value)
        }
        const result = this.#results.shift()
        if (result !== undefined) yield result
        else if (this.#working.size > 0) await Promise.race(this.#working)
        else if (this.#failure !== undefined) throw this.#toError(this.#failure.reason)
        else return
      }
    } finally {
      signal?.removeEventListener('abort', onAbort)
      this.#end()
      await Promise.all(this.#working)
    }
  }

  #end(): void {
    this.#stop.abort(new EtnMarketError('The sweep has ended. Nothing further was sent.', { code: SWEEP_LEFT }))
  }

  #start(call: SweepCall): void {
    const work = this.#finish(call)
      .catch((reason: unknown) => {
        this.#failure ??= { reason }
      })
      .finally(() => this.#working.delete(work))
    this.#working.add(work)
  }

  async #finish(call: SweepCall): Promise<void> {
    const stored = await this.#read(call.key)
    if (stored !== undefined) return this.#arrive(call, stored, true)
    const outcome = await this.#buy(call)
    if (outcome === undefined) return
    const { data, error } = outcome
    this.#calls++
    if (isFinal(error)) this.#end()
    try {
      if (error === undefined) await this.#write(call.key, data)
    } finally {
      this.#arrive(call, outcome, false)
    }
  }

  /** Makes the call as soon as the limit has room for it. Undefined where it has none, or the sweep is over. */
  async #buy(call: SweepCall): Promise<Outcome | undefined> {
    const { callOptions: options, maxCredits = Number.POSITIVE_INFINITY } = this.#settings
    for (;;) {
      const limit = new CallLimit(this.#budget, maxCredits)
      while (!limit.hasRoom(call.maxCredits)) {
        if (this.#buying.size === 0) return undefined
        await Promise.race(this.#buying)
      }
      if (this.#failure !== undefined || this.#stop.aborted) return undefined
      const extras = { budget: limit, stop: this.#stop, onEnd: this.#recordCharge }
      const answer = settle(this.#context.run({ ...call.input, ...extras, options }))
      this.#buying.add(answer)
      // Its failure is that of the sweep, which waits for it below.
      answer.catch(() => {}).finally(() => this.#buying.delete(answer))
      const outcome = await answer
      if (limit.failure !== undefined) throw new StoreFailure('written', limit.failure)
      if (wasLeft(outcome.error)) return undefined
      // Another call, of this sweep or another one, took the room meanwhile.
      if (!(limit.hasRefused && outcome.error?.charge === 'none')) return outcome
    }
  }

  /** Also of a call that was left, or succeeded at last: an earlier attempt may have been charged. */
  readonly #recordCharge: CallExtras['onEnd'] = ({ credits, charge }) => {
    this.#credits += credits
    this.#charge = strongest(this.#charge, charge)
  }

  #arrive(call: SweepCall, { data, error }: Outcome, stored: boolean): void {
    this.#pending.delete(call)
    for (const params of call.params) {
      const isBatch = this.#operation === 'prices.batch'
      const own = error === undefined ? { data: isBatch ? byInput(data, params) : data, stored } : { error, stored }
      this.#results.push({ params, ...own } as Result)
      this.#done++
      if (error !== undefined) this.#failed++
      this.#report()
    }
  }

  #report(): void {
    const elapsedMs = this.#context.clock.monotonic() - this.#startedAt
    const etaMs = this.#calls === 0 ? undefined : (elapsedMs / this.#calls) * this.#pending.size
    const [done, failed, total, credits] = [this.#done, this.#failed, this.#total, this.#credits]
    callSafely(this.#settings.onProgress, { done, failed, total, credits, etaMs })
  }

  #keyOf(key: string): string {
    return `etn-market:sweep:2:${this.#nameOf(`${this.#context.baseUrl()}${key}`)}`
  }

  /** Whether data matches the contract: in the service's answer a list has a cursor beside it, and a batch leaves tokens without a price out. */
  #matches(data: unknown): boolean {
    const isBatch = this.#operation === 'prices.batch' && isObject(data)
    const priced = isBatch ? Object.fromEntries(Object.entries(data).filter(([, price]) => price !== null)) : data
    return answerGuards[this.#operation]({ data: priced, cursor: null })
  }

  /** The data that an earlier sweep stored, where it matches the contract. */
  async #read(key: string): Promise<{ readonly data: unknown } | undefined> {
    const reading = this.#access('read', (store) => store.get(this.#keyOf(key)))
    // A sweep that is over needs no answer of the store any more.
    const stored = await raceWithAbort(reading, this.#stop).catch((error) => {
      if (!this.#stop.aborted) throw error
    })
    const entry = parseJson(storedText(stored))
    return isObject(entry) && this.#matches(entry.data) ? { data: entry.data } : undefined
  }

  async #write(key: string, data: unknown): Promise<void> {
    if (!this.#matches(data)) return
    await this.#access('written', async (store) => {
      if ((await store.set(this.#keyOf(key), JSON.stringify({ data }))) === false)
        throw new Error('The store reports that it did not write the entry.')
    })
  }

  /** An answer that cannot be kept would be paid for again, so a store that fails ends the sweep. */
  async #access<T>(what: 'read' | 'written', run: (store: BudgetStore) => T): Promise<Awaited<T> | undefined> {
    const { store, signal, finishes } = this.#settings
    if (store === undefined) return undefined
    const lifetime = this.#context.lifetimes.open(Number.POSITIVE_INFINITY, finishes ? undefined : signal)
    try {
      return await callStore(() => run(store), { clock: this.#context.clock, signal: lifetime.signal })
    } catch (cause) {
      lifetime.signal.throwIfAborted()
      throw new StoreFailure(what, cause)
    } finally {
      lifetime.end()
    }
  }

  #toError(reason: unknown): unknown {
    if (!(reason instanceof StoreFailure)) return reason
    const { what, cause } = reason
    const operation = this.#operation
    const message = `${operation}: the store of the sweep could not be ${what}, so no further call is made: an answer that is not kept would be paid for again.`
    return new StateUnavailableError(message, { operation, cause, credits: this.#credits, charge: this.#charge })
  }
}

/** The store could not be used. What the sweep was charged is known when all its calls have ended. */
class StoreFailure extends Error {
  readonly what: 'read' | 'written'

  constructor(what: 'read' | 'written', cause: unknown) {
    super(`The store could not be ${what}.`, { cause })
    this.what = what
  }
}

/** @throws what ends the whole sweep: the reason of its signal, or that the client is closed */
async function settle(promise: ApiPromise<unknown>): Promise<Outcome> {
  try {
    return { data: await promise }
  } catch (error) {
    if (!isEtnMarketError(error) || error.code === 'client_closed') throw error
    return { error }
  }
}

const failuresOf = (error: EtnMarketError): readonly EtnMarketError[] =>
  error instanceof PartialBatchError ? error.errors : [error]

/** Whether every further call must fail in the same way. */
const isFinal = (error: EtnMarketError | undefined) => error !== undefined && failuresOf(error).some(isFinalForKey)

/** Whether nothing of a call was sent, because the sweep was over. */
const wasLeft = (error: EtnMarketError | undefined) =>
  error !== undefined && failuresOf(error).every(({ code }) => code === SWEEP_LEFT)

/** Equal batches may spell their addresses differently. */
function byInput(data: unknown, params: unknown): unknown {
  const { addresses } = params as { addresses: readonly string[] }
  const byAddress = new Map(Object.entries(data as object).map(([address, price]) => [address.toLowerCase(), price]))
  return Object.fromEntries(addresses.map((address) => [address, byAddress.get(address.toLowerCase()) ?? null]))
}
