import { hash } from 'node:crypto'
import { storedText } from '../../concurrency/store-call.ts'
import { parseJson } from '../../utils/json-data.ts'
import type { PlanLine } from '../plan-line.ts'
import type { DayEvent } from './run-events.ts'
import type { RunPlanOptions } from './run-plan.ts'

/** What is known of a line, so that a restart goes on where it was. */
export interface LineState {
  /** When it was due last, unix milliseconds; for a line that never was, when the plan was begun. */
  readonly last: number
  /** Whether what was due then is still to be finished. */
  readonly isOpen: boolean
  /** Whether it was never due. */
  readonly isFirst?: boolean
  readonly journal?: string
  /** Which addresses it had then. */
  readonly list?: string
}

type Counts = Pick<DayEvent['lines'][number], 'done' | 'failed'>

interface DayRecord extends Pick<DayEvent, 'date' | 'spent' | 'uncertain'> {
  readonly lines: Readonly<Record<string, Counts>>
}

const PREFIX = 'etn-market:run:2:'
const DAY_KEY = `${PREFIX}day`

/** What a run of a plan has done: of each line, and on this day. The day that is over is reported, also one that ended while nothing ran. */
export class RunState {
  readonly #options: RunPlanOptions
  readonly #keys: ReadonlyMap<PlanLine, string>
  #day: DayRecord

  static async load(options: RunPlanOptions): Promise<RunState> {
    return new RunState(options, parse<DayRecord>(await options.store.get(DAY_KEY), 'date', 'string'))
  }

  private constructor(options: RunPlanOptions, day: DayRecord | undefined) {
    this.#options = options
    this.#keys = nameLines(options.lines)
    this.#day = day ?? this.#beginDay()
  }

  async readLine(line: PlanLine): Promise<LineState | undefined> {
    const { store, clock } = this.#options
    const known = parse<LineState>(await store.get(this.#keyOf(line)), 'last', 'number')
    if (known === undefined) return undefined
    // A clock that was ahead then, or is behind now, holds nothing up. Addresses that are new belong to the time that has begun.
    const isChanged = known.list !== undefined && known.list !== hashOf(line.addresses)
    return { ...known, last: Math.min(known.last, clock.now()), isOpen: known.isOpen || isChanged }
  }

  /** Resolves when it is on the disk: what is sent after that is not sent again. */
  async writeLine(line: PlanLine, state: LineState): Promise<void> {
    await this.#options.store.set(this.#keyOf(line), JSON.stringify({ ...state, list: hashOf(line.addresses) }))
  }

  note(line?: PlanLine, { done = 0, failed = 0 }: Partial<Counts> = {}): void {
    this.#endDay()
    const { store, budget } = this.#options
    const counts = line && this.#countsOf(line)
    const changed = counts && { [this.#keyOf(line)]: { done: counts.done + done, failed: counts.failed + failed } }
    const lines = { ...this.#day.lines, ...changed }
    this.#day = { ...this.#day, lines, spent: budget.spent, uncertain: budget.uncertain }
    // Figures for people: a store that fails stops what is sent, which says so.
    Promise.resolve(store.set(DAY_KEY, JSON.stringify(this.#day))).catch(() => {})
  }

  /** A day ends with the first thing that happens in the next one. */
  #endDay(): void {
    const next = this.#beginDay()
    if (next.date === this.#day.date) return
    const { lines, emit, creditsPerDay, planned } = this.#options
    const { date, spent, uncertain } = this.#day
    const counts = lines.map((line) => ({ operation: line.operation, for: line.purpose, ...this.#countsOf(line) }))
    emit({ event: 'day', date, spent, uncertain, creditsPerDay, planned, lines: counts })
    this.#day = next
  }

  #beginDay(): DayRecord {
    const date = new Date(this.#options.clock.now()).toISOString().slice(0, 10)
    return { date, spent: 0, uncertain: 0, lines: {} }
  }

  #countsOf(line: PlanLine): Counts {
    return this.#day.lines[this.#keyOf(line)] ?? { done: 0, failed: 0 }
  }

  #keyOf(line: PlanLine): string {
    return this.#keys.get(line) ?? ''
  }
}

/** The keys of lines. A line keeps its own when others are added, or when its addresses change: what they have is looked up by address. */
function nameLines(lines: readonly PlanLine[]): Map<PlanLine, string> {
  const used = new Map<string, number>()
  return new Map(
    lines.map((line) => {
      const { operation, params, addresses, times } = line
      const identity = JSON.stringify([operation, params, addresses === undefined, times])
      const count = (used.get(identity) ?? 0) + 1
      used.set(identity, count)
      return [line, `${PREFIX}line:${hashOf([count, identity])}`]
    }),
  )
}

const hashOf = (value: unknown) => hash('sha256', JSON.stringify(value) ?? '').slice(0, 16)

/** A stored record; undefined for anything that has no such field. */
function parse<T>(stored: unknown, field: keyof T, type: 'string' | 'number'): T | undefined {
  const value = parseJson(storedText(stored)) as T | undefined
  return typeof value?.[field] === type ? value : undefined
}
