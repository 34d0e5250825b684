/** The counts of one window. */
export interface BudgetWindow {
  /** Windows are numbered from 0; the first begins at the origin. */
  readonly index: number
  spent: number
  reserved: number
  uncertain: number
}

/** All windows that may still matter: the current one, the one before it, and those that the clock was set back from. */
export interface WindowsState {
  /** The index of the current window. */
  readonly current: number
  readonly windows: readonly BudgetWindow[]
}

/** The windows of a budget, with their counts. */
export interface Windows {
  /** The window of now. */
  current(): BudgetWindow
  /** Time until the window of now ends, milliseconds; Infinity when it never ends. */
  msLeft(): number
  state(): WindowsState
  /** Replaces all windows. */
  restore(state: WindowsState): void
}

/** Each fault of the clock may add a window. */
const MAX_WINDOWS = 8

/**
 * Windows of `length` milliseconds, counted from `origin`.
 * `time` may be a wall clock that is set back. No step of it frees credits: a window that time returns to keeps its counts.
 */
export function createWindows(length: number, origin: number, time: () => number): Windows {
  const indexNow = () => Math.floor((time() - origin) / length)
  const kept = new Map<number, BudgetWindow>()
  let window = keep(emptyWindow(indexNow()))

  function keep(added: BudgetWindow): BudgetWindow {
    kept.set(added.index, added)
    return added
  }

  function enter(index: number): void {
    const left = window
    window = kept.get(index) ?? keep(emptyWindow(index))
    if (index < left.index) {
      // The clock was set back. Requests sent while it was ahead belong to the present too.
      window.spent += left.spent
      window.uncertain += left.uncertain + left.reserved
    } else {
      for (const old of kept.keys()) if (old < left.index) kept.delete(old)
    }
    if (kept.size > MAX_WINDOWS) kept.delete(Math.max(...kept.keys()))
  }

  function current(): BudgetWindow {
    const index = indexNow()
    if (index !== window.index) enter(index)
    return window
  }

  return {
    current,
    msLeft: () => (length === Number.POSITIVE_INFINITY ? length : origin + (indexNow() + 1) * length - time()),
    state: () => ({ current: current().index, windows: [...kept.values()] }),
    restore(state) {
      kept.clear()
      for (const one of state.windows) keep(one)
      window = kept.get(state.current) ?? keep(emptyWindow(state.current))
    },
  }
}

export function emptyWindow(index: number): BudgetWindow {
  return { index, spent: 0, reserved: 0, uncertain: 0 }
}
