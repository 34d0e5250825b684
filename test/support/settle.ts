import { passTurn } from './count-turns.ts'

/** Turns in which nothing may happen before a test goes on. */
const QUIET_TURNS = 2
/** A chain of calls may be this long; each call lets a turn of the event loop pass before it is sent. */
const MAX_CHAIN = 200
/** Longer than any request takes over loopback, one whose connection is tried twice included; milliseconds. */
const MAX_WAIT_MS = 15_000

/** Kept, because tests replace timers and clocks. */
const now = performance.now.bind(performance)

let underway = 0

/** Marks a message as on its way over a connection while `busy`; `settle()` waits until no message is. */
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

/** Lets turns of the event loop pass until no message is on its way. */
export async function settle(): Promise<void> {
  const until = now() + MAX_WAIT_MS
  do {
    const before = underway === 0
    let quiet = 0
    for (let step = 0; step < MAX_CHAIN && quiet < QUIET_TURNS; step++) quiet = (await passTurn()) === 0 ? quiet + 1 : 0
    if (before && underway === 0) return
  } while (now() < until)
  throw new Error(`${underway} messages never arrived`)
}
