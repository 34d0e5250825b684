import { nextTurn } from '../../concurrency/event-loop.ts'

/** Source of the time. The `clock` of a client has this shape. */
export interface FakeClock {
  /** Unix milliseconds. */
  now(): number
  /** Waits for a delay. @default `setTimeout`, looked up at each use */
  sleep?(ms: number, signal?: AbortSignal): Promise<void>
}

/** The longest delay that a timer accepts, in milliseconds. */
export const MAX_WAIT_MS = 2_147_483_647

/** The latest time of a fake, and the largest distance of a date from it: `Date` shows the sum of both. */
export const MAX_TIME_MS = 4_000_000_000_000_000

/** The time of the fake: the time of its clock plus an offset, and everything that waits for it. */
export interface ServiceClock {
  now(): number
  /** Elapsed time: what `setBack` takes from `now()` does not change it. Waits end in this time. */
  elapsed(): number
  /** Milliseconds that `now()` was moved by. */
  readonly offset: number
  /** Sets `now()` back to what it is with this offset. */
  setBack(offset: number): void
  /**
   * Moves the time forward at once. Resolves when everything that fell due has run, in order, including what it started
   * within the same span. While something runs, `now()` is the moment at which it is due.
   */
  advance(ms: number): Promise<void>
  /** Waits; forever for `Infinity`. Rejects with the signal's reason, or with the error of `stop`. */
  wait(ms: number, signal: AbortSignal | undefined): Promise<void>
  /** The same for code under test: it resolves after `stop`. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** Notes that something happened, so that `advance` waits for what follows from it. */
  noteActivity(): void
  /** Rejects every wait, present and future, with an error. */
  stop(error: () => Error): void
}

interface Waiting {
  due: number
  wake(): void
  stop(): void
  restart(): void
}

/** Turns of the event loop without activity after which a step is over. */
const SETTLED_TURNS = 12

export function createServiceClock(clock: FakeClock): ServiceClock {
  const waiting = new Set<Waiting>()
  let stopped: (() => Error) | undefined
  /** Milliseconds that were advanced, and those of them that `now()` was set back by. */
  let advanced = 0
  let back = 0
  let activity = 0
  /** The moment of what runs now, during `advance`. */
  let step: number | undefined
  let running: Promise<void> = Promise.resolve()

  const target = () => clock.now() + advanced
  const elapsed = () => step ?? target()

  function startTimer(ms: number, callback: () => void): () => void {
    if (ms === Number.POSITIVE_INFINITY) return () => {}
    if (!clock.sleep) {
      const timer = setTimeout(ms > MAX_WAIT_MS ? () => {} : callback, Math.min(ms, MAX_WAIT_MS))
      return () => clearTimeout(timer)
    }
    const controller = new AbortController()
    clock.sleep(ms, controller.signal).then(callback, () => {})
    return () => controller.abort()
  }

  async function settle(): Promise<void> {
    for (let turns = 0; turns < SETTLED_TURNS; turns++) {
      const before = activity
      await nextTurn()
      if (activity !== before) turns = 0
    }
  }

  async function runDue(from: number): Promise<void> {
    if (waiting.size === 0) return
    // What was started before goes first, in its own time: an answer may still be on its way.
    step = from
    await settle()
    for (;;) {
      const due = [...waiting].filter((one) => one.due <= target())
      const [first] = due.sort((a, b) => a.due - b.due)
      if (!first) break
      step = Math.max(first.due, step ?? Number.NEGATIVE_INFINITY)
      first.wake()
      await settle()
    }
    step = undefined
    for (const one of waiting) one.restart()
  }

  function wait(ms: number, signal: AbortSignal | undefined, onStop: 'reject' | 'resolve'): Promise<void> {
    activity++
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      if (stopped && onStop === 'reject') return reject(stopped())
      const leave = () => {
        waiting.delete(one)
        cancel()
        release()
        signal?.removeEventListener('abort', onAbort)
        activity++
      }
      const finish = (settle: () => void) => {
        leave()
        settle()
      }
      const onAbort = () => finish(() => reject(signal?.reason))
      const one: Waiting = {
        due: elapsed() + ms,
        wake: () => finish(resolve),
        stop: () => finish(onStop === 'resolve' ? resolve : () => reject(stopped?.())),
        restart() {
          if (!Number.isFinite(ms)) return
          cancel()
          cancel = startTimer(Math.max(0, one.due - elapsed()), one.wake)
        },
      }
      const release = ms === Number.POSITIVE_INFINITY && signal ? keepProcessAlive() : () => {}
      let cancel = startTimer(ms, one.wake)
      waiting.add(one)
      signal?.addEventListener('abort', onAbort, { once: true })
    })
  }

  const service: ServiceClock = {
    now: () => elapsed() - back,
    elapsed,
    get offset() {
      return advanced - back
    },
    setBack(offset) {
      back = advanced - offset
    },
    advance(ms) {
      const from = target()
      advanced += ms
      running = running.then(() => runDue(from))
      return running
    },
    noteActivity: () => void activity++,
    wait: (ms, signal) => wait(ms, signal, 'reject'),
    sleep: (ms, signal) => wait(ms, signal, 'resolve'),
    stop(error) {
      stopped = error
      for (const one of [...waiting]) one.stop()
    },
  }
  return service
}

/**
 * Keeps the process alive until the returned function is called, as the socket of a pending request does. Without it, a
 * program that only waits for an unreferenced timer ends before the timer fires. It uses a message port, because fake timers
 * replace timers.
 */
function keepProcessAlive(): () => void {
  const { port1 } = new MessageChannel()
  port1.onmessage = () => {}
  return () => port1.close()
}
