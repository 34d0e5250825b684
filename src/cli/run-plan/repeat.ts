import { type Client, type Clock, type EtnMarketError, isEtnMarketError, type StoredBudget } from 'etn-market'
import type { PriceFeed } from 'etn-market/feed'
import { monotonicNow } from '../../concurrency/clock.ts'
import { isFinalForKey } from '../../errors/api.ts'
import { DAY_MS } from '../../utils/time-units.ts'
import { CommandError } from '../failure.ts'
import type { NamedFile } from '../host.ts'
import { type LineTimes, nextDaily, type PlanLine, startOfActive } from '../plan-line.ts'
import type { LineName, RunEvent } from './run-events.ts'
import type { LineState, RunState } from './run-state.ts'

/** What the lines of a running plan share. */
export interface RunParts {
  readonly client: Client
  readonly feed: PriceFeed
  readonly budget: StoredBudget
  readonly clock: Clock
  /** The wall clock of the beginning, which goes on with elapsed time, as the budget's does. */
  wallClock(): number
  readonly state: RunState
  /** Aborted when the run is to end. What is in flight then is waited for. */
  readonly signal: AbortSignal
  /** A file beside the plan. */
  file(name: string): NamedFile
  emit(event: RunEvent): void
}

export const nameOf = (line: PlanLine): LineName => ({ operation: line.operation, for: line.purpose })

export const toIso = (ms: number): string => new Date(ms).toISOString()

/** Whether the run cannot go on: the key is refused, or has no credits left. */
export const isFinal = (error: EtnMarketError): boolean => isFinalForKey(error) || error.code === 'client_closed'

/** Whether the limit of the day does not allow a call. Nothing was sent. */
export const isOverLimit = (error: EtnMarketError): boolean => error.name === 'BudgetExceededError'

/** Whether the system refused a file. */
const isSystemError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && (error as NodeJS.ErrnoException).syscall !== undefined

export interface Work {
  /** The state that it is given is stored: what a crash interrupts is not bought again. `isResumed` where it was interrupted. */
  work(turn: LineState, isResumed: boolean): Promise<void>
  /** Adds to the state of a time that begins. */
  begin?(turn: LineState): LineState
  /** Whether work that was interrupted goes on; other work waits for its next time. */
  readonly isFinishing: boolean
}

/**
 * Does the work of a line each time that it is due, until the run is to end.
 * @throws the client's error if no later call can succeed
 */
export async function repeat(line: PlanLine, parts: RunParts, { work, begin, isFinishing }: Work): Promise<void> {
  const { clock, state, signal } = parts
  let known = state.readLine(line)
  // A daily line waits for its time, and knows after a restart that it was missed.
  if (known === undefined && line.times.once !== undefined) {
    const first = { last: clock.now(), isOpen: false, isFirst: true }
    known = first
    await attempt(line, parts, () => state.writeLine(line, first))
  }
  const due = new DueTime(line.times, known, clock)
  let turn = known?.isOpen && isFinishing ? known : undefined
  let isResumed = turn !== undefined
  while (!signal.aborted) {
    if (turn === undefined) {
      await sleepWhile(() => due.wait(), parts)
      if (signal.aborted) return
      const begun = { last: due.take(), isOpen: true }
      turn = begin?.(begun) ?? begun
    }
    const current = turn
    const isDone = await attempt(line, parts, async () => {
      await state.writeLine(line, current)
      await work(current, isResumed)
      if (!signal.aborted) await state.writeLine(line, { ...current, isOpen: false })
    })
    isResumed = !isDone && isFinishing
    if (!isResumed) turn = undefined
  }
}

/**
 * When a line is due. Intervals are elapsed time, which no step of the wall clock changes. Times of a day are those of the wall clock: one
 * that is set back repeats none within half a day. What was missed is made up for once.
 */
class DueTime {
  readonly #times: LineTimes
  readonly #clock: Clock
  /** The moment from which the next time is sought: monotonic, and on the wall clock. */
  #at: number
  #from: number
  /** Whether the line was due before. */
  #wasDue: boolean
  #dueAt: number

  constructor(times: LineTimes, known: LineState | undefined, clock: Clock) {
    this.#times = times
    this.#clock = clock
    const now = clock.now()
    this.#from = Math.min(known?.last ?? now, now)
    this.#at = monotonicNow(clock) - (now - this.#from)
    this.#wasDue = known !== undefined && known.isFirst !== true
    this.#dueAt = this.#wasDue ? Math.max(this.#at + times.everyMs, monotonicNow(clock)) : monotonicNow(clock)
  }

  /** Milliseconds until then; 0 or less when it is due. */
  wait(): number {
    const { once, span } = this.#times
    const now = this.#clock.now()
    const elapsed = monotonicNow(this.#clock)
    if (once !== undefined) return this.#nextOnce(once) - now
    if (this.#dueAt > elapsed) return this.#dueAt - elapsed
    const closed = startOfActive(span, now) - now
    if (closed > 0) this.#dueAt = elapsed
    return closed
  }

  /** Takes the time that is due, unix milliseconds, and goes on to the next one. */
  take(): number {
    const { once, everyMs } = this.#times
    const now = this.#clock.now()
    const elapsed = monotonicNow(this.#clock)
    const due = once === undefined ? now - Math.max(0, elapsed - this.#dueAt) : this.#nextOnce(once)
    this.#wasDue = true
    this.#from = due
    this.#at = elapsed - (now - due)
    this.#dueAt = this.#at + everyMs
    return due
  }

  #nextOnce(once: number): number {
    const now = this.#clock.now()
    this.#from = Math.min(this.#from, now)
    const due = Math.max(nextDaily(once, this.#from), nextDaily(once, now) - DAY_MS)
    const isRepeated = this.#wasDue && monotonicNow(this.#clock) + due - now - this.#at < DAY_MS / 2
    return isRepeated ? due + DAY_MS : due
  }
}

/** Whether the work was done. Waits until midnight if it does not fit the limit, and a while if its journal takes nothing. */
async function attempt(line: PlanLine, parts: RunParts, work: () => Promise<void>): Promise<boolean> {
  const { signal, wallClock } = parts
  try {
    await work()
    return !signal.aborted
  } catch (error) {
    if (signal.aborted) return false
    if (isEtnMarketError(error) && isOverLimit(error)) {
      const until = reportLimit(line, parts, error)
      await sleepWhile(() => until - wallClock(), parts)
      return false
    }
    reportFailure(line, parts, error)
    const isRetried = error instanceof CommandError && error.code === 'journal_not_written'
    const until = wallClock() + MAX_SLEEP_MS
    if (isRetried) await sleepWhile(() => until - wallClock(), parts)
    return !isRetried
  }
}

/** Reports a failure after which a line goes on. @throws the error if the whole run, or the day of the line, is over with it */
export function reportFailure(line: PlanLine, { state, emit }: RunParts, error: unknown): void {
  // A file that cannot be used concerns one line.
  const isOwn = error instanceof CommandError || isSystemError(error)
  if (!isOwn && (!isEtnMarketError(error) || isFinal(error) || isOverLimit(error))) throw error
  const { code = 'failed', message } = error
  state.count(line, { failed: 1 })
  const details = error instanceof CommandError ? error.details : {}
  emit({ event: 'failed', ...nameOf(line), ...details, code, message, credits: isOwn ? 0 : error.credits })
}

/** Reports that a line does not fit the limit of the day. Returns when the next day begins. */
export function reportLimit(line: PlanLine, { wallClock, emit }: RunParts, error: EtnMarketError): number {
  const { resetsAt = wallClock() } = error as { resetsAt?: number }
  emit({ event: 'limit', ...nameOf(line), until: toIso(resetsAt) })
  return resetsAt
}

/** Sleeps while something is left to wait, or until the run is to end. The wall clock may be set, and a machine may sleep: it looks every few minutes. */
export async function sleepWhile(
  left: () => number,
  { clock, signal }: Pick<RunParts, 'clock' | 'signal'>,
): Promise<void> {
  for (let ms = left(); ms > 0 && !signal.aborted; ms = left())
    await clock.sleep(Math.min(ms, MAX_SLEEP_MS), signal).catch(() => {})
}

/** Milliseconds. */
export const MAX_SLEEP_MS = 300_000
