/** The counts of one window. */
export interface BudgetWindow {
  /** When it begins and ends, in the time of the windows. */
  start: number
  end: number
  /** It counts at least until then: it was current when the clock was set back, or it was loaded from the future. */
  countsUntil: number
  spent: number
  reserved: number
  uncertain: number
}

/** Credits in all windows that count now. */
export type WindowTotals = Pick<BudgetWindow, 'spent' | 'reserved' | 'uncertain'>

/** All windows that may still matter: the current one, the one before it, and those that the clock was set back from. */
export interface WindowsState {
  readonly current: BudgetWindow
  readonly others: readonly BudgetWindow[]
}

/** The windows of a budget, with their counts. */
export interface Windows<Window extends WindowTotals = BudgetWindow> {
  /** The window of now. */
  current(): Window
  /** What counts now: the current window, and those that the clock was set back from. */
  totals(): WindowTotals
  /** Time until the window of now ends, milliseconds; Infinity when it never ends. */
  msLeft(): number
  state(): WindowsState
  /** Replaces all windows. The one that has the bounds of the current window becomes current. */
  restore(windows: readonly BudgetWindow[]): void
}

/** Each fault of a clock without a monotonic time may add a window; beyond this number they are counted together. */
const MAX_WINDOWS = 8

/**
 * Windows of `length` milliseconds, a whole number or Infinity, counted from `origin`. A moment is in exactly one of them.
 * `time` should be monotonic. Where it is a wall clock that is set back, no step of it frees credits: what counted then counts on, until its
 * own window ends or for the length of a window, and a window that time returns to keeps its counts.
 */
export function createWindows(length: number, origin: number, time: () => number): Windows {
  let latest = time()
  let window = windowAt(latest)
  let others: BudgetWindow[] = []

  function windowAt(now: number): BudgetWindow {
    if (length === Number.POSITIVE_INFINITY) return emptyWindow(Number.NEGATIVE_INFINITY, length)
    const startOf = (index: number) => origin + index * length
    let index = Math.floor((now - origin) / length)
    // A sum may be rounded past `now`. The end of a window is computed as the start of the next one, so that no moment is in both.
    if (startOf(index) > now) index--
    else if (startOf(index + 1) <= now) index++
    return emptyWindow(startOf(index), startOf(index + 1))
  }

  function enter(now: number): void {
    const next = windowAt(now)
    const known = others.find(({ start, end }) => start === next.start && end === next.end)
    others = [...others.filter((other) => other !== known), window]
    window = known ?? next
    forgetPast(now)
  }

  /** Keeps the newest of those that are over, because the clock may be set back to it. */
  function forgetPast(now: number): void {
    const over = others.filter((other) => other.end <= now && other.countsUntil <= now)
    const newest = over.reduce<BudgetWindow | undefined>(
      (one, other) => (one && one.end >= other.end ? one : other),
      undefined,
    )
    others = others.filter((other) => other === newest || !over.includes(other))
    while (others.length >= MAX_WINDOWS) mergeNewest()
  }

  function mergeNewest(): void {
    others.sort((one, other) => one.start - other.start)
    const [into, from] = others.slice(-2)
    others.pop()
    if (into === undefined || from === undefined) return
    into.end = Math.max(into.end, from.end)
    into.countsUntil = Math.max(into.countsUntil, from.countsUntil)
    into.spent = addCredits(into.spent, from.spent)
    // A reservation of the other window cannot be settled here any more.
    into.uncertain = addCredits(into.uncertain, addCredits(from.uncertain, from.reserved))
  }

  function current(): BudgetWindow {
    const now = time()
    if (now < latest) {
      // Set back again, too: nothing that counts lasts for longer than a window from now on.
      for (const one of [window, ...others]) {
        if (isCounted(one, latest)) one.countsUntil = Math.min(one.end, now + length)
      }
    }
    latest = now
    if (now < window.start || now >= window.end) enter(now)
    return window
  }

  return {
    current,
    totals() {
      const counted = current()
      if (others.length === 0) return counted
      const totals = { spent: counted.spent, reserved: counted.reserved, uncertain: counted.uncertain }
      for (const other of others) {
        if (!isCounted(other, latest)) continue
        totals.spent = addCredits(totals.spent, other.spent)
        // What is reserved there may be sent in the current window too, and is then reserved here.
        totals.uncertain = addCredits(totals.uncertain, addCredits(other.uncertain, other.reserved))
      }
      return totals
    },
    msLeft: () => current().end - latest,
    state: () => ({ current: current(), others }),
    restore(windows) {
      latest = time()
      window = windowAt(latest)
      others = []
      for (const one of windows) {
        if (one.start === window.start && one.end === window.end) window = one
        else others.push(one)
        const isAhead = one.start > latest && one.countsUntil === Number.NEGATIVE_INFINITY
        one.countsUntil = Math.min(isAhead ? one.end : one.countsUntil, latest + length)
      }
      forgetPast(latest)
    },
  }
}

function isCounted({ start, end, countsUntil }: BudgetWindow, now: number): boolean {
  return now < countsUntil || (now >= start && now < end)
}

export function emptyWindow(start: number, end: number): BudgetWindow {
  return { start, end, countsUntil: Number.NEGATIVE_INFINITY, spent: 0, reserved: 0, uncertain: 0 }
}

/** A sum of credits; beyond the safe integers it stays at the largest, which exceeds every limit. */
export function addCredits(one: number, other: number): number {
  return Math.min(Number.MAX_SAFE_INTEGER, one + other)
}
