import type { ApiPromise } from '../api-promise.ts'
import type { Budget, BudgetStore, StoredBudget } from '../credits/budget.ts'
import type { SpendingLimit } from '../credits/joint-budget.ts'
import type { EtnMarketError } from '../errors/base.ts'
import type { CallInput } from '../request/call-input.ts'
import type { SweepOptions, SweepResult } from '../sweep-types.ts'
import type { CallLimit, SweepLimit } from './sweep-limit.ts'
import { createProgress } from './sweep-progress.ts'
import { createSweepStore, type SweepStore, type SweepStoreParts } from './sweep-store.ts'

/** One call of a sweep. */
export interface SweepCall {
  /** Equal for equal calls. */
  readonly key: string
  readonly input: CallInput
  /** The parameters of all equal calls, as they were given. */
  readonly params: readonly unknown[]
  /** The worst case of the call without retries. */
  readonly maxCredits: number
}

/** Functions of other modules are handed over: a file that is loaded later and imports none adds none to the first load. */
export interface SweepParts extends Omit<SweepStoreParts, 'store'>, Pick<SweepOptions, 'store' | 'onProgress'> {
  readonly concurrency: number
  readonly limit: SweepLimit
  /** Ends the sweep. */
  readonly signal: AbortSignal | undefined
  /** Whether an abort lets what is sent arrive. */
  readonly finishes: boolean
  /** How many results there will be. */
  readonly total: number
  /** Monotonic milliseconds. */
  now(): number
  /** Makes a call, within a limit and until a signal aborts. */
  call(call: SweepCall, limit: SpendingLimit, signal: AbortSignal): ApiPromise<unknown>
  createCallLimit(limit: SpendingLimit): CallLimit
  /** Resolves a turn of the event loop later. */
  nextTurn(): Promise<void>
  /** Whether the data is an object of prices by address. */
  readonly isBatch: boolean
  /** Whether an error is the result of its call; another one ends the sweep. */
  isResult(error: unknown): error is EtnMarketError
  /** Whether every further call must fail in the same way. */
  isFinal(error: EtnMarketError): boolean
}

type Result = SweepResult<unknown, unknown>

type Ledger = Budget & Partial<Pick<StoredBudget, 'load' | 'flush'>>

/** What the sweeps that run on a store at the same time were charged. */
export interface SharedLedger {
  readonly budget: Ledger
  sweeps: number
}

/** The ledger of the sweeps on a store; without a store, that of one sweep. */
export function openLedger(
  store: BudgetStore | undefined,
  ledgers: WeakMap<BudgetStore, SharedLedger>,
  create: () => Ledger,
) {
  const ledger = (store && ledgers.get(store)) ?? { budget: create(), sweeps: 0 }
  ledger.sweeps++
  if (store) ledgers.set(store, ledger)
  return {
    budget: ledger.budget,
    /** The next sweep reads what those of other clients and processes were charged meanwhile. */
    async close() {
      // What could not be written stays reserved in the store.
      await ledger.budget.flush?.().catch(() => {})
      ledger.sweeps--
      if (store && ledger.sweeps === 0) ledgers.delete(store)
    },
  }
}

/** A call that is under way. */
interface LiveCall {
  readonly limit: CallLimit
  readonly controller: AbortController
}

/** Makes the calls and deletes those that have a result from `pending`. */
export async function* runSweep(pending: Set<SweepCall>, parts: SweepParts): AsyncGenerator<Result, void, undefined> {
  const { concurrency, limit, call, isResult, signal } = parts
  const store = parts.store && createSweepStore({ ...parts, store: parts.store })
  const report = createProgress(pending, parts)
  const queue = pending.values()
  const working = new Set<Promise<void>>()
  const buying = new Set<Promise<unknown>>()
  const live = new Set<LiveCall>()
  const results: Result[] = []
  let committed = 0
  let failure: { reason: unknown } | undefined
  /** Whether no further call is made. */
  let isOver = false

  function start(next: SweepCall): void {
    const work = finish(next, store)
      .catch((reason: unknown) => {
        failure ??= { reason }
      })
      .finally(() => working.delete(work))
    working.add(work)
  }

  /** Sends nothing more. What is under way goes on to its answer; what waits ends at once. */
  function stop(): void {
    isOver = true
    for (const { limit, controller } of live) {
      const abortUnlessSending = () => {
        if (limit.sending === 0) controller.abort()
      }
      limit.isStopped = true
      // A turn later the call has failed, or waits for its next attempt, which may be the end of a cool-down.
      limit.onFailure = () => void parts.nextTurn().then(abortUnlessSending)
      abortUnlessSending()
    }
  }

  function onAbort(): void {
    if (parts.finishes) stop()
    else for (const { controller } of live) controller.abort(signal?.reason)
  }

  async function finish(next: SweepCall, from: SweepStore | undefined): Promise<void> {
    const stored = await from?.read(next.key)
    if (stored !== undefined) return arrive(next, { data: stored.data, stored: true }, 0)
    // Nothing is awaited between the check and the reservation: two calls would take the same room.
    while (!isOver && limit.leftBeside(committed) < next.maxCredits) {
      if (buying.size === 0) return
      await Promise.race(buying)
    }
    if (failure !== undefined || isOver) return
    committed += next.maxCredits
    const own: LiveCall = { limit: parts.createCallLimit(limit), controller: new AbortController() }
    live.add(own)
    if (signal?.aborted) onAbort()
    const answer = settle(call(next, own.limit, own.controller.signal), isResult).finally(() => {
      committed -= next.maxCredits
      live.delete(own)
      buying.delete(answer)
    })
    buying.add(answer)
    // The reason for which a call was stopped is nobody's result.
    answer.catch(() => {})
    const { error, data, credits } = await answer.catch((reason) => {
      if (own.limit.isStopped) return { error: undefined, data: undefined, credits: undefined }
      throw reason
    })
    if (credits === undefined) return
    if (error !== undefined) {
      if (parts.isFinal(error)) stop()
      return arrive(next, { error, stored: false }, credits)
    }
    try {
      await from?.write(next.key, data)
    } finally {
      arrive(next, { data, stored: false }, credits)
    }
  }

  function arrive(finished: SweepCall, outcome: Outcome, credits: number): void {
    pending.delete(finished)
    report.bought(outcome.stored ? undefined : credits)
    for (const params of finished.params) {
      const own =
        outcome.error === undefined
          ? { ...outcome, data: parts.isBatch ? byInput(outcome.data, params) : outcome.data }
          : outcome
      results.push({ params, ...own } as Result)
      report.arrived(outcome.error !== undefined)
    }
  }

  signal?.addEventListener('abort', onAbort)
  try {
    if (signal?.aborted && parts.finishes) stop()
    await limit.load()
    for (;;) {
      while (failure === undefined && !isOver && working.size + results.length < concurrency) {
        const { value, done } = queue.next()
        if (done) break
        start(value)
      }
      const result = results.shift()
      if (result !== undefined) yield result
      else if (working.size > 0) await Promise.race(working)
      else if (failure !== undefined) throw failure.reason
      else return
    }
  } finally {
    signal?.removeEventListener('abort', onAbort)
    stop()
    await Promise.all(working)
  }
}

/** Equal batches may spell their addresses differently. */
function byInput(data: unknown, params: unknown): unknown {
  const { addresses } = params as { addresses: readonly string[] }
  const byAddress = new Map(Object.entries(data as object).map(([address, price]) => [address.toLowerCase(), price]))
  return Object.fromEntries(addresses.map((address) => [address, byAddress.get(address.toLowerCase()) ?? null]))
}

type Outcome =
  | { readonly data: unknown; readonly error?: undefined; readonly stored: boolean }
  | { readonly error: EtnMarketError; readonly stored: false }

/** @throws what ends the whole sweep: the reason of its signal, or that the client is closed */
async function settle(
  promise: ApiPromise<unknown>,
  isResult: SweepParts['isResult'],
): Promise<{ data?: unknown; error?: EtnMarketError; credits: number }> {
  try {
    const { data, meta } = await promise.withMeta()
    return { data, credits: meta.credits.charged }
  } catch (error) {
    if (!isResult(error)) throw error
    return { error, credits: error.credits }
  }
}
