import { type CallOptions, isEtnMarketError } from 'etn-market'
import { withFile } from '../../file-store/replace-file.ts'
import { CommandError } from '../failure.ts'
import { appendLine, reasonOf } from '../files.ts'
import { DueTime } from '../line-times.ts'
import type { PlanLine } from '../plan-line.ts'
import { isForAllCalls, isOverLimit } from '../session.ts'
import type { LineEvent, RunEvent } from './run-events.ts'
import type { PlanRun } from './run-plan.ts'
import type { LineState } from './run-state.ts'

const isSystemError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && (error as NodeJS.ErrnoException).syscall !== undefined

/** A controller that aborts when the signal does, until it is disposed of: a run lasts for weeks, and its signal would keep each listener. */
export function abortWith(signal: AbortSignal): AbortController & Disposable {
  const controller = new AbortController()
  const abort = () => controller.abort()
  signal.addEventListener('abort', abort)
  if (signal.aborted) abort()
  return Object.assign(controller, { [Symbol.dispose]: () => signal.removeEventListener('abort', abort) })
}

interface Work {
  /** The state that it is given is stored: what a crash interrupts is not bought again. `isResumed` where it was interrupted. */
  work(turn: LineState, isResumed: boolean): Promise<void>
  begin?(turn: LineState): LineState
  /** Whether work that was interrupted goes on; other work waits for its next time. */
  readonly isFinishing: boolean
}

/** A line of a plan that is carried out: when it is due, what it buys, and what becomes of its failures. */
export class RunningLine {
  readonly line: PlanLine
  readonly run: PlanRun

  constructor(line: PlanLine, run: PlanRun) {
    this.line = line
    this.run = run
  }

  emit({ event, ...details }: LineEvent): void {
    const { operation, purpose } = this.line
    this.run.emit({ event, operation, for: purpose, ...details } as RunEvent)
  }

  countDone(): void {
    this.run.state.note(this.line, { done: 1 })
  }

  /** Does the work each time that it is due, until the run is to end. @throws the client's error if no later call can succeed */
  async repeat({ work, begin, isFinishing }: Work): Promise<void> {
    const { line } = this
    const { clock, ages, state, signal } = this.run
    let known = await state.readLine(line)
    // A daily line waits for its time, and knows after a restart that it was missed.
    if (known === undefined && line.times.once !== undefined) {
      const first = { last: clock.now(), isOpen: false, isFirst: true }
      known = first
      await this.#attempt(() => state.writeLine(line, first))
    }
    const due = new DueTime(line.times, known, ages)
    let turn = known?.isOpen && isFinishing ? known : undefined
    let isResumed = turn !== undefined
    while (!signal.aborted) {
      if (turn === undefined) {
        await this.sleepWhile(() => due.wait())
        if (signal.aborted) return
        const begun = { last: due.take(), isOpen: true }
        turn = begin?.(begun) ?? begun
      }
      const current = turn
      const isDone = await this.#attempt(async () => {
        await state.writeLine(line, current)
        await work(current, isResumed)
        if (!signal.aborted) await state.writeLine(line, { ...current, isOpen: false })
      })
      isResumed = !isDone && isFinishing
      if (!isResumed) turn = undefined
    }
  }

  /** Whether the work was done. Waits until midnight if it does not fit the limit, and a while if its journal takes nothing. */
  async #attempt(work: () => Promise<void>): Promise<boolean> {
    const { signal, ages } = this.run
    try {
      await work()
      return !signal.aborted
    } catch (error) {
      if (signal.aborted) return false
      const until = this.reportLimit(error) ?? this.reportFailure(error)
      if (until === undefined) return true
      await this.sleepWhile(() => until - ages.now())
      return false
    }
  }

  /** Reports a failure. Returns when it tries again, by the age clock; undefined for its next time. @throws the error if the run or the day is over */
  reportFailure(error: unknown): number | undefined {
    // A file that cannot be used concerns one line.
    const isOwn = error instanceof CommandError || isSystemError(error)
    if (!isOwn && (!isEtnMarketError(error) || isForAllCalls(error))) throw error
    const { code = 'failed', message } = error
    this.run.state.note(this.line, { failed: 1 })
    const details = error instanceof CommandError ? error.details : {}
    this.emit({ event: 'failed', ...details, code, message, credits: isOwn ? 0 : error.credits })
    return code === 'journal_not_written' ? this.run.ages.now() + MAX_SLEEP_MS : undefined
  }

  /** Reports that the line does not fit the limit of the day. Returns when the next day begins, by the age clock; undefined for an error of another kind. */
  reportLimit(error: unknown): number | undefined {
    if (!isEtnMarketError(error) || !isOverLimit(error)) return undefined
    const { ages } = this.run
    const { resetsAt = ages.toUnix() } = error as { resetsAt?: number }
    this.emit({ event: 'limit', until: new Date(resetsAt).toISOString() })
    return ages.fromUnix(resetsAt)
  }

  reportUnwritten(problem: string, text: string): void {
    const message = `${problem} It was to take: ${text}`
    this.emit({ event: 'failed', code: 'not_written', message, credits: 0 })
  }

  /** Sleeps while something is left to wait, or until the run is to end. The wall clock may be set, and a machine may sleep: it looks in each interval, and every few minutes. */
  async sleepWhile(left: () => number, signal = this.run.signal): Promise<void> {
    for (let ms = left(); ms > 0 && !signal.aborted; ms = left())
      await this.run.clock.sleep(Math.min(ms, this.line.times.everyMs, MAX_SLEEP_MS), signal).catch(() => {})
  }

  /** Makes a call. When the run is to end, nothing more is sent, and what is in flight is waited for. */
  async call(params: object, options: Pick<CallOptions, 'validate'> = {}): Promise<{ data: unknown; credits: number }> {
    const { internals, signal } = this.run
    const call = internals.call(this.line.operation, params, options, { stop: signal })
    const { data, meta } = await call.withMeta()
    return { data, credits: meta.credits.charged }
  }

  appendAnswer(value: object): void {
    if (this.line.file === undefined) return
    const { name, path } = this.run.file(this.line.file)
    const text = JSON.stringify(value)
    try {
      withFile(path, 'a+', (descriptor) => appendLine(descriptor, text))
    } catch (error) {
      this.reportUnwritten(`${name}: ${reasonOf(error)}.`, text)
    }
  }
}

export const MAX_SLEEP_MS = 300_000
