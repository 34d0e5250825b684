import { raceWithAbort } from '../concurrency/cancellation.ts'
import { type Clock, sleep, systemClock } from '../concurrency/clock.ts'
import { nextTurn } from '../concurrency/event-loop.ts'
import type { RequestState } from './types.ts'

/** Microtasks; `Promise.all` needs some of them to reject. */
const STEPS_BEFORE_SENDING = 6
const doNothing = () => {}

/** Skips a call that is aborted in the tick in which it was made. Also skips a call aborted because a sibling failed. */
export function waitForAborts(): Promise<void> {
  // A chain of promises takes 0.8 kB less than awaits in a loop, which make two functions each.
  let waited: Promise<void> = (async () => {})()
  for (let step = 0; step < STEPS_BEFORE_SENDING; step++) waited = waited.then(doNothing)
  return waited
}

/** While a request waits for one of the client's own slots, the deadline stands still as long as other requests make progress. */
export async function whileQueued<T>(state: RequestState, wait: Promise<T>): Promise<T> {
  state.hasWaited = true
  state.deadline.enterQueue()
  try {
    return await wait
  } finally {
    state.deadline.leaveQueue()
  }
}

/** Calls that were made together end within so many milliseconds: their timers were started one after another. */
const MAX_BURST_MS = 20

/**
 * Lets a turn of the event loop pass before a request that has waited is sent, and looks at it once more: calls that end together
 * must not send each other on their way out. After a call that was ended early the look comes a little later.
 */
export async function lookAgain(
  state: RequestState,
  { clock, msSinceEarlyEnd }: { readonly clock: Clock; msSinceEarlyEnd(): number },
): Promise<void> {
  const { signal, deadline } = state
  await nextTurn()
  // A custom clock decides itself what happens at the same moment.
  if (clock === systemClock && msSinceEarlyEnd() < MAX_BURST_MS) await sleep(clock, MAX_BURST_MS, signal)
  state.hasWaited = false
  if (deadline.remaining() === 0) await raceWithAbort(new Promise<never>(() => {}), signal)
}
