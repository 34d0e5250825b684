import { type Client, type Clock, type EtnMarketError, isEtnMarketError, type StoredBudget } from 'etn-market'
import type { PriceFeed } from 'etn-market/feed'
import { isFinalForKey } from '../../errors/final-error.ts'
import { CommandError } from '../failure.ts'
import type { NamedFile } from '../host.ts'
import { nextDue, type PlanLine } from '../plan-line.ts'
import type { LineName, RunEvent } from './run-events.ts'
import type { RunState } from './run-state.ts'

/** What the lines of a running plan share. */
export interface RunParts {
  readonly client: Client
  readonly feed: PriceFeed
  readonly budget: StoredBudget
  readonly clock: Clock
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

/**
 * Does the work of a line each time that it is due, until the run is to end. `isFinishing` is true for work that goes on after it was
 * interrupted; only such work is begun anew when it was cut short.
 * @throws the client's error if no later call can succeed
 */
export async function repeat(
  line: PlanLine,
  parts: RunParts,
  { work, isFinishing }: { work(due: number): Promise<void>; isFinishing: boolean },
): Promise<void> {
  const { clock, state, signal } = parts
  let known = state.readLine(line)
  // A daily line waits for its time, and knows after a restart that it was missed.
  if (known === undefined && line.times.once !== undefined) {
    known = { last: clock.now(), isOpen: false }
    await state.writeLine(line, known)
  }
  while (!signal.aborted) {
    const due = known?.isOpen && isFinishing ? known.last : nextDue(line.times, known?.last, clock.now())
    await sleepUntil(due, parts)
    if (signal.aborted) return
    // Before anything is sent: what a crash interrupts is not bought again.
    await state.writeLine(line, { last: due, isOpen: true })
    const isDone = await attempt(line, parts, () => work(due))
    known = { last: due, isOpen: !isDone }
    if (isDone) await state.writeLine(line, known)
  }
}

/** Whether the work was done. Waits until midnight if it does not fit the limit. */
async function attempt(line: PlanLine, parts: RunParts, work: () => Promise<void>): Promise<boolean> {
  try {
    await work()
    return !parts.signal.aborted
  } catch (error) {
    if (isEtnMarketError(error) && isOverLimit(error)) {
      await sleepUntil(reportLimit(line, parts, error), parts)
      return false
    }
    reportFailure(line, parts, error)
    return true
  }
}

/** Reports a failure after which a line goes on. @throws the error if the whole run, or the day of the line, is over with it */
export function reportFailure(line: PlanLine, { state, emit }: RunParts, error: unknown): void {
  // A file that cannot be used concerns one line.
  const isOwn = error instanceof CommandError
  if (!isOwn && (!isEtnMarketError(error) || isFinal(error) || isOverLimit(error))) throw error
  const { code, message } = error
  state.count(line, { failed: 1 })
  emit({ event: 'failed', ...nameOf(line), code, message, credits: isOwn ? 0 : error.credits })
}

/** Reports that a line does not fit the limit of the day. Returns when the next day begins. */
export function reportLimit(line: PlanLine, { clock, emit }: RunParts, error: EtnMarketError): number {
  const { resetsAt = clock.now() } = error as { resetsAt?: number }
  emit({ event: 'limit', ...nameOf(line), until: toIso(resetsAt) })
  return resetsAt
}

/** Resolves at the time, or when the run is to end. The wall clock may be set, and a machine may sleep: it is looked at every few minutes. */
export async function sleepUntil(at: number, { clock, signal }: Pick<RunParts, 'clock' | 'signal'>): Promise<void> {
  for (let left = at - clock.now(); left > 0 && !signal.aborted; left = at - clock.now())
    await clock.sleep(Math.min(left, MAX_SLEEP_MS), signal).catch(() => {})
}

const MAX_SLEEP_MS = 300_000
