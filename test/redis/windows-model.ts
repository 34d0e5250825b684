import {
  addCredits,
  type BudgetWindow,
  emptyWindow as createWindow,
  hasSameBounds,
  type WindowTotals,
} from '../../src/credits/windows.ts'

/** The rules of `src/redis/scripts/windows.lua.ts`, once more: the clock of Redis may be set back, and a process of the client never sees that of its own. */

/** Each fault of the clock may add a window; beyond this number they are counted together. */
const MAX_WINDOWS = 8

/** What counted when the clock was set back counts on, until its own window ends or for the length of a window. */
export class WindowsModel {
  readonly #length: number
  readonly #origin: number
  readonly #time: () => number
  #latest: number
  #window: BudgetWindow
  #others: BudgetWindow[] = []

  constructor(length: number, origin: number, time: () => number) {
    this.#length = length
    this.#origin = origin
    this.#time = time
    this.#latest = time()
    this.#window = this.#windowAt(this.#latest)
  }

  /** The window of now. */
  current(): BudgetWindow {
    const now = this.#time()
    if (now < this.#latest) {
      // Set back again, too: nothing that counts lasts for longer than a window from now on.
      for (const one of [this.#window, ...this.#others]) {
        if (isCounted(one, this.#latest)) one.countsUntil = Math.min(one.end, now + this.#length)
      }
    }
    this.#latest = now
    if (now < this.#window.start || now >= this.#window.end) this.#enter(now)
    return this.#window
  }

  /** What counts now: the current window, and those that the clock was set back from. */
  totals(): WindowTotals {
    const counted = this.current()
    if (this.#others.length === 0) return counted
    const totals = { spent: counted.spent, reserved: counted.reserved, uncertain: counted.uncertain }
    for (const other of this.#others) {
      if (!isCounted(other, this.#latest)) continue
      totals.spent = addCredits(totals.spent, other.spent)
      // What is reserved there may be sent in the current window too, and is then reserved here.
      totals.uncertain = addCredits(totals.uncertain, addCredits(other.uncertain, other.reserved))
    }
    return totals
  }

  /** Time until the window of now ends, milliseconds; Infinity when it never ends. */
  msLeft(): number {
    return this.current().end - this.#latest
  }

  #windowAt(now: number): BudgetWindow {
    const length = this.#length
    if (length === Number.POSITIVE_INFINITY) return emptyWindow(Number.NEGATIVE_INFINITY, length)
    const startOf = (index: number) => this.#origin + index * length
    let index = Math.floor((now - this.#origin) / length)
    // A sum may be rounded past `now`. The end of a window is computed as the start of the next one, so that no moment is in both.
    if (startOf(index) > now) index--
    else if (startOf(index + 1) <= now) index++
    return emptyWindow(startOf(index), startOf(index + 1))
  }

  #enter(now: number): void {
    const next = this.#windowAt(now)
    const known = this.#others.find((other) => hasSameBounds(other, next))
    this.#others = [...this.#others.filter((other) => other !== known), this.#window]
    this.#window = known ?? next
    this.#forgetPast(now)
  }

  /** Keeps the newest of those that are over, because the clock may be set back to it. */
  #forgetPast(now: number): void {
    const over = this.#others.filter((other) => other.end <= now && other.countsUntil <= now)
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
    into.spent = addCredits(into.spent, from.spent)
    // A reservation of the other window cannot be settled here any more.
    into.uncertain = addCredits(into.uncertain, addCredits(from.uncertain, from.reserved))
  }
}

function isCounted({ start, end, countsUntil }: BudgetWindow, now: number): boolean {
  return now < countsUntil || (now >= start && now < end)
}

function emptyWindow(start: number, end: number): BudgetWindow {
  return { ...createWindow(start, end), countsUntil: Number.NEGATIVE_INFINITY }
}
