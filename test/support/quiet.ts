/** Taken before any test installs fake timers. */
const nextTurn = globalThis.setImmediate
/** Longer than anything takes over loopback. */
const MOST_TURNS = 1_000_000

let underway = 0

/** One thing that is on its way over a wire or is not; it has to arrive before a test looks. */
export function createPassage(): { busy: boolean } {
  let busy = false
  return {
    get busy() {
      return busy
    },
    set busy(now) {
      if (now !== busy) underway += now ? 1 : -1
      busy = now
    },
  }
}

/** Lets a few turns of the event loop pass, and as many more as there is something on its way. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < MOST_TURNS; turn++) {
    const before = underway === 0
    for (let step = 0; step < 2; step++) await new Promise((resolve) => nextTurn(resolve))
    if (before && underway === 0) return
  }
  throw new Error(`${underway} things never arrived`)
}
