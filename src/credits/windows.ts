import type { StoredWindow } from './budget-entry.ts'

export interface BudgetWindow {
  /** When it begins and ends, in the time of the windows. */
  start: number
  end: number
  /** It counts until then: until its end, or longer where the clock has jumped forward meanwhile. */
  countsUntil: number
  spent: number
  reserved: number
  uncertain: number
}

/** Credits in all windows that count now. */
export type WindowTotals = Pick<BudgetWindow, 'spent' | 'reserved' | 'uncertain'>

/** It is never set back. */
export interface WindowTime {
  now(): number
  /** By how many milliseconds it has jumped forward so far, as it knew when `now()` was called last: the rest is elapsed time. */
  readonly jumpedMs: number
  /** What it is ahead of the wall clock. */
  readonly setBackMs: number
}

/** Each jump of the clock may add a window; beyond this number they are counted together. */
const MAX_WINDOWS = 8

/**
 * The windows of a budget, with their counts: windows of `length` milliseconds, a whole number or Infinity, counted from `origin`. A moment
 * is in exactly one of them. Where the clock jumps forward, nobody knows whether it was set or the machine has slept, so the next window begins, and
 * what counted before counts for as long as it had left.
 */
export class BudgetWindows {
  readonly #length: number
  readonly #origin: number
  readonly #time: WindowTime
  #now = 0
  #jumpedMs = 0
  #window: BudgetWindow
  #others: BudgetWindow[] = []

  constructor(length: number, origin: number, time: WindowTime) {
    this.#length = length
    this.#origin = origin
    this.#time = time
    this.#now = time.now()
    this.#jumpedMs = time.jumpedMs
    this.#window = this.#begin()
  }

  /** The window of now. */
  current(): BudgetWindow {
    this.#look()
    if (this.#now >= this.#window.end) {
      const next = this.#begin()
      const known = this.#others.find((other) => hasSameBounds(other, next))
      this.#others = [...this.#others.filter((other) => other !== known), this.#window]
      this.#window = known ?? next
      // What is spent now is spent before the others are over, too.
      const untils = this.#others.map(({ countsUntil }) => countsUntil)
      this.#window.countsUntil = Math.max(next.countsUntil, ...untils)
      this.#forgetPast()
    }
    return this.#window
  }

  /** What counts now: the current window, and others that are not over. */
  totals(): WindowTotals {
    const counted = this.current()
    if (this.#others.length === 0) return counted
    const totals = { spent: counted.spent, reserved: counted.reserved, uncertain: counted.uncertain }
    for (const other of this.#others) {
      // What is reserved there may be sent in the current window too, and is then reserved here.
      if (isCounted(other, this.#now)) addTotals(totals, other)
    }
    return totals
  }

  /** Time until credits are renewed, milliseconds; Infinity when they never are. */
  msLeft(): number {
    const { end } = this.current()
    const others = this.#others.filter((one) => isCounted(one, this.#now) && !isEmpty(one))
    return Math.min(end, ...others.map((one) => Math.max(one.end, one.countsUntil))) - this.#now
  }

  /** All windows that may still matter: the current one first, then the one before it, and others that are not over. */
  all(): readonly BudgetWindow[] {
    return [this.current(), ...this.#others]
  }

  /**
   * Counts on from the windows of an earlier process. What that had reserved may have been sent, so it is uncertain. Where they have another length,
   * those that are not over count in the window of now. Returns whether the first one does.
   */
  restore(windows: readonly StoredWindow[], isSameLength: boolean): boolean {
    this.#look()
    const current = this.#begin()
    this.#window = current
    this.#others = []
    const restored = windows.map((one) => {
      const window = emptyWindow(one.start ?? Number.NEGATIVE_INFINITY, one.end ?? Number.POSITIVE_INFINITY)
      const until = one.countsUntil ?? window.end
      const countsNow = isSameLength ? hasSameBounds(window, current) : Math.max(window.end, until) > current.start
      const into = countsNow ? current : window
      addTotals(into, one)
      // One from the future may be of a clock that was wrong.
      if (isSameLength) into.countsUntil = Math.min(until, this.#now + this.#length)
      if (isSameLength && !countsNow) this.#others.push(window)
      return into
    })
    this.#forgetPast()
    return restored[0] === current
  }

  #look(): void {
    this.#now = this.#time.now()
    const jumpMs = this.#time.jumpedMs - this.#jumpedMs
    if (jumpMs === 0) return
    this.#jumpedMs += jumpMs
    for (const one of [this.#window, ...this.#others]) one.countsUntil += jumpMs
  }

  #begin(): BudgetWindow {
    const length = this.#length
    if (length === Number.POSITIVE_INFINITY) return emptyWindow(Number.NEGATIVE_INFINITY, length)
    const startOf = (index: number) => this.#origin + index * length
    let index = Math.floor((this.#now - this.#origin) / length)
    // A sum may be rounded past `now`. The end of a window is computed as the start of the next one, so that no moment is in both.
    if (startOf(index) > this.#now) index--
    else if (startOf(index + 1) <= this.#now) index++
    return emptyWindow(startOf(index), startOf(index + 1))
  }

  /** Keeps the newest of those that are over: after a restart the clock may have been set back to it. */
  #forgetPast(): void {
    const over = this.#others.filter(({ end, countsUntil }) => end <= this.#now && countsUntil <= this.#now)
    const newest = over.reduce<BudgetWindow | undefined>(
      (one, other) => (one && one.end >= other.end ? one : other),
      undefined,
    )
    this.#others = this.#others.filter((other) => other === newest || !over.includes(other))
    while (this.#others.length >= MAX_WINDOWS) this.#mergeNewest()
  }

  #mergeNewest(): void {
    this.#others.sort((one, other) => one.start - other.start)
    const [into, from] = this.#others.slice(-2)
    this.#others.pop()
    if (into === undefined || from === undefined) return
    into.end = Math.max(into.end, from.end)
    into.countsUntil = Math.max(into.countsUntil, from.countsUntil)
    addTotals(into, from)
  }
}

/** Adds what counts in one window to another one, in which its reservations cannot be settled. */
function addTotals(to: Pick<BudgetWindow, 'spent' | 'uncertain'>, { spent, reserved, uncertain }: WindowTotals): void {
  to.spent = addCredits(to.spent, spent)
  to.uncertain = addCredits(to.uncertain, addCredits(uncertain, reserved))
}

export function hasSameBounds(one: BudgetWindow, other: BudgetWindow): boolean {
  return one.start === other.start && one.end === other.end
}

/** Within its bounds, too: one from the future whose time has come, and that is counted together with another. */
const isCounted = ({ start, end, countsUntil }: BudgetWindow, now: number) =>
  now < countsUntil || (now >= start && now < end)

const isEmpty = ({ spent, reserved, uncertain }: WindowTotals) => spent + reserved + uncertain === 0

export function emptyWindow(start: number, end: number): BudgetWindow {
  return { start, end, countsUntil: end, spent: 0, reserved: 0, uncertain: 0 }
}

/** A sum of credits; beyond the safe integers it stays at the largest, which exceeds every limit. */
export function addCredits(one: number, other: number): number {
  return Math.min(Number.MAX_SAFE_INTEGER, one + other)
}
