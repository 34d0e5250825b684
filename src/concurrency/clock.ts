import type { CancellationSignal } from './cancellation.ts'

/** The source of time and chance. Pass your own to a client to run it in virtual time. */
export interface Clock {
  /** Unix milliseconds. The wall clock: it may be set back or forward at any moment. */
  now(): number
  /** Milliseconds since some moment, never set back or forward. It may stand still while the machine sleeps. Waits and windows are measured with it. */
  monotonic(): number
  /** Resolves after `ms`; rejects with `signal.reason`, and leaves no timer, as soon as the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** A number in [0, 1), for jitter. */
  random(): number
}

/** What is left of a wait may be less than a sum of the clock can hold: a clock that adds it would stand still. Timers of runtimes take no less. */
const MIN_WAIT_MS = 1
const waitFor = (ms: number) => ms && Math.max(ms, MIN_WAIT_MS)

/** Sleeps until the time is over or the signal aborts. A custom clock may expect a real AbortSignal. */
export async function sleep(clock: Clock, ms: number, signal: CancellationSignal): Promise<void> {
  signal.throwIfAborted()
  const controller = new AbortController()
  const onAbort = () => controller.abort(signal.reason)
  signal.addEventListener('abort', onAbort)
  try {
    await clock.sleep(waitFor(ms), controller.signal)
  } catch (error) {
    signal.throwIfAborted()
    throw error
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

/** Timers stand still while a machine sleeps, so that what depends on an age is looked at this often. */
export const LOOK_MS = 10_000

/** Less is drift and rounding. */
const MIN_STEP_MS = 1_000
/** Beside a quartz, a clock that is disciplined is that much faster or slower at most. */
const MAX_DRIFT = 0.001

/** Finds the moments at which one clock jumps beside another. */
class StepDetector {
  #elapsed: number
  #ahead: number
  /** By how much it has run ahead, or fallen behind, faster than clocks drift. */
  #drift = 0

  constructor(elapsed: number, time: number) {
    this.#elapsed = elapsed
    this.#ahead = time - elapsed
  }

  /** Returns by how many milliseconds the clock has jumped forward since the last look, negative for back; 0 where it has only drifted. */
  look(elapsed: number, time: number): number {
    const apart = this.#drift + time - elapsed - this.#ahead
    const beyondDrift = Math.max(0, Math.abs(apart) - MAX_DRIFT * (elapsed - this.#elapsed))
    const isStep = beyondDrift > MIN_STEP_MS
    this.#elapsed = elapsed
    this.#ahead = time - elapsed
    this.#drift = isStep ? 0 : Math.sign(apart) * beyondDrift
    return isStep ? apart : 0
  }
}

/**
 * The three times of a client, a budget or a feed, each of which makes its own from its clock:
 * - `monotonic()` to wait with: elapsed time, and sleep of the machine that is certain;
 * - `now()` to count ages and days with: the wall clock, but never set back. Where it jumps forward, the machine may have slept;
 * - `toUnix()` for a moment to show or to store.
 * Its functions may be taken apart.
 */
export class AgeClock<Wall extends Pick<Clock, 'now' | 'monotonic'> = Pick<Clock, 'now' | 'monotonic'>> {
  readonly wall: Wall
  readonly #steps: StepDetector
  /** By how many milliseconds `now()` has jumped forward, and the wall clock was set back meanwhile, when it was called last. */
  jumpedMs = 0
  setBackMs = 0
  #now: number

  constructor(wall: Wall) {
    this.wall = wall
    this.#now = wall.now()
    this.#steps = new StepDetector(wall.monotonic(), this.#now)
  }

  readonly monotonic = () => this.wall.monotonic()
  readonly now = (): number => {
    const wall = this.wall.now()
    const step = this.#steps.look(this.wall.monotonic(), wall)
    if (step > 0) this.jumpedMs += step
    else this.setBackMs -= step
    this.#now = Math.max(this.#now, wall + this.setBackMs)
    return this.#now
  }
  /** The moment of a time of `now()`, in whole unix milliseconds. @default that of now */
  readonly toUnix = (at?: number): number => {
    const now = this.now()
    return Math.round((at ?? now) - this.setBackMs)
  }
  /** The time, as `now()` has it, of a moment in unix milliseconds. */
  readonly fromUnix = (unixMs: number): number => {
    this.now()
    return unixMs + this.setBackMs
  }
}

/** Beyond 2^31 - 1 ms a timer overflows and fires at once. */
const MAX_TIMER_MS = 2_147_483_647

/** Real time, for timers and pages. Looks up `Date` and `setTimeout` at each use, so that fake timers installed later work. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  random: () => Math.random(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      const stop = startSystemTimer(ms, () => {
        signal?.removeEventListener('abort', onAbort)
        resolve()
      })
      const onAbort = () => {
        signal?.removeEventListener('abort', onAbort)
        stop()
        reject(signal?.reason)
      }
      // Without an object of options, which would have a `signal` from a prototype that somebody has changed.
      signal?.addEventListener('abort', onAbort)
    }),
}

/** Real time, and the sleep of the machine, which the monotonic clock of Linux does not count. */
export class SystemClock implements Clock {
  readonly now = systemClock.now
  readonly random = systemClock.random
  readonly sleep = systemClock.sleep
  readonly #wallSteps = new StepDetector(systemClock.monotonic(), systemClock.now())
  readonly #bootAhead = bootTime() - systemClock.monotonic()
  #sleptMs = 0

  readonly monotonic = (): number => {
    const elapsed = performance.now()
    // To ask for the boot time takes longer than everything else here. Both clocks run at one rate, so that only sleep takes them apart.
    if (this.#wallSteps.look(elapsed, Date.now()) > 0) {
      const sleptMs = bootTime() - elapsed - this.#bootAhead
      if (sleptMs > this.#sleptMs + MIN_STEP_MS) this.#sleptMs = sleptMs
    }
    return elapsed + this.#sleptMs
  }
}

/** Milliseconds since the machine was started, with its sleep; NaN where the runtime does not tell them, or the monotonic clock counts sleep, too. */
function bootTime(): number {
  const { process, Deno } = globalThis as { process?: Partial<NodeJS.Process>; Deno?: unknown }
  // Deno asks its user for the permission.
  if (process?.platform !== 'linux' || Deno !== undefined) return Number.NaN
  return (process.getBuiltinModule?.('os')?.uptime() ?? Number.NaN) * 1_000
}

/** Whether timers of the runtime serve the clock. */
export const isSystemClock = (clock: Clock): boolean => clock.sleep === systemClock.sleep

/** Calls back once after `ms` unless stopped before. An infinite `ms` never calls back. */
export function startTimer(clock: Clock, ms: number, callback: () => void): () => void {
  if (ms === Number.POSITIVE_INFINITY) return () => {}
  if (isSystemClock(clock)) return startSystemTimer(ms, callback)
  const controller = new AbortController()
  clock.sleep(waitFor(ms), controller.signal).then(callback, () => {})
  // With a reason: without one, each timer that is stopped makes an error with a stack.
  return () => controller.abort('stopped')
}

/** Settles as `work` does, or after `ms` as `onTimeout` does; what `work` does later is ignored. No timer is left behind. */
export function withTimeout<T, U>(work: Promise<T>, ms: number, clock: Clock, onTimeout: () => U): Promise<T | U> {
  let stopTimer: (() => void) | undefined
  const timeout = new Promise<void>((resolve) => {
    stopTimer = startTimer(clock, ms, resolve)
  })
  return Promise.race([work, timeout.then(onTimeout)]).finally(stopTimer)
}

/** Calls back once after `ms` of real time unless stopped before. It keeps no process alive, where the runtime has such timers. */
export function startBackgroundTimer(ms: number, callback: () => void): () => void {
  const handle: { unref?(): unknown } | number = setTimeout(callback, ms)
  if (typeof handle === 'object') handle.unref?.()
  return () => clearTimeout(handle as ReturnType<typeof setTimeout>)
}

function startSystemTimer(ms: number, callback: () => void): () => void {
  if (ms <= MAX_TIMER_MS) {
    const handle = setTimeout(callback, ms)
    return () => clearTimeout(handle)
  }
  let stop = startSystemTimer(MAX_TIMER_MS, () => {
    stop = startSystemTimer(ms - MAX_TIMER_MS, callback)
  })
  return () => stop()
}
