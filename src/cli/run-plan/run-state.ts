import { createHash } from 'node:crypto'
import type { StoredBudget } from 'etn-market'
import type { PlanLine } from '../plan-line.ts'
import type { DayEvent } from './run-events.ts'

/** Where a run keeps what it did. */
export interface RunStore {
  get(key: string): unknown
  set(key: string, value: string, ttl?: number): unknown
  delete(key: string): unknown
}

/** What is known of a line, so that a restart goes on where it was. */
export interface LineState {
  /** When it was due last, unix milliseconds; for a line that never was, when the plan was begun. */
  readonly last: number
  /** Whether what was due then is still to be finished. */
  readonly isOpen: boolean
  /** Whether it was never due. */
  readonly isFirst?: boolean
  /** The journal of that time. */
  readonly journal?: string
  /** Which addresses it had then. */
  readonly list?: string
}

type Counts = Pick<DayEvent['lines'][number], 'done' | 'failed'>

/** The figures of a day of the budget, in UTC. */
interface DayRecord extends Pick<DayEvent, 'date' | 'spent' | 'uncertain'> {
  /** By the key of a line. */
  readonly lines: Readonly<Record<string, Counts>>
}

export interface RunState {
  readLine(line: PlanLine): LineState | undefined
  /** Resolves when it is on the disk: what is sent after that is not sent again. */
  writeLine(line: PlanLine, state: LineState): Promise<void>
  count(line: PlanLine, counts: Partial<Counts>): void
  /** Notes what the day has cost by now. */
  note(): void
  /** The counts of a line in this day. */
  countsOf(line: PlanLine): Counts
}

const PREFIX = 'etn-market:run:2:'
const DAY_KEY = `${PREFIX}day`

export interface RunStateParts {
  readonly store: RunStore
  readonly budget: StoredBudget
  readonly lines: readonly PlanLine[]
  now(): number
  /** Called with each day that is over, also one that ended while nothing ran. */
  onDay(day: Pick<DayEvent, 'date' | 'spent' | 'uncertain' | 'lines'>): void
}

/** @param lines whose budget is loaded */
export async function loadRunState({ store, budget, lines, now, onDay }: RunStateParts): Promise<RunState> {
  const keys = nameLines(lines)
  const keyOf = (line: PlanLine) => keys.get(line) ?? ''
  const states = new Map<PlanLine, LineState>()
  for (const line of lines) {
    const state = parse(await store.get(keyOf(line)), isLineState)
    if (state === undefined) continue
    // A clock that was ahead then, or is behind now, holds nothing up. Addresses that are new belong to the time that has begun.
    const isChanged = state.list !== undefined && state.list !== hashOf(line.addresses)
    states.set(line, { ...state, last: Math.min(state.last, now()), isOpen: state.isOpen || isChanged })
  }
  let day = parse(await store.get(DAY_KEY), isDayRecord) ?? beginDay(now())

  /** A day ends with the first thing that happens in the next one. */
  function roll(): void {
    if (dateOf(now()) === day.date) return
    onDay({ ...day, lines: lines.map((line) => ({ operation: line.operation, for: line.purpose, ...countsOf(line) })) })
    day = beginDay(now())
  }

  const countsOf = (line: PlanLine): Counts => day.lines[keyOf(line)] ?? { done: 0, failed: 0 }

  function change(changed: Partial<DayRecord>): void {
    day = { ...day, ...changed, spent: budget.spent, uncertain: budget.uncertain }
    // Figures for people: a store that fails stops what is sent, which says so.
    Promise.resolve(store.set(DAY_KEY, JSON.stringify(day))).catch(() => {})
  }

  return {
    readLine: (line) => states.get(line),
    async writeLine(line, state) {
      const known = { ...state, list: hashOf(line.addresses) }
      states.set(line, known)
      await store.set(keyOf(line), JSON.stringify(known))
    },
    count(line, { done = 0, failed = 0 }) {
      roll()
      const counts = countsOf(line)
      change({ lines: { ...day.lines, [keyOf(line)]: { done: counts.done + done, failed: counts.failed + failed } } })
    },
    note() {
      roll()
      change({})
    },
    countsOf,
  }
}

const beginDay = (now: number): DayRecord => ({ date: dateOf(now), spent: 0, uncertain: 0, lines: {} })
const dateOf = (now: number) => new Date(now).toISOString().slice(0, 10)

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

const hashOf = (value: unknown) =>
  createHash('sha256')
    .update(JSON.stringify(value) ?? '')
    .digest('hex')
    .slice(0, 16)

function parse<T>(text: unknown, isValid: (value: unknown) => value is T): T | undefined {
  if (typeof text !== 'string') return undefined
  try {
    const value: unknown = JSON.parse(text)
    return isValid(value) ? value : undefined
  } catch {
    return undefined
  }
}

const isLineState = (value: unknown): value is LineState => typeof (value as LineState | null)?.last === 'number'
const isDayRecord = (value: unknown): value is DayRecord => typeof (value as DayRecord | null)?.date === 'string'
