import { type Clock, startTimer, systemClock } from '../../concurrency/clock.ts'
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

interface Waiting {
  /** In elapsed time. */
  due: number
  wake(): void
  stop(): void
  restart(): void
}

/** Turns of the event loop without activity after which a step is over. */
const SETTLED_TURNS = 12

/** The time of the fake, and everything that waits for it. Its functions may be handed on without it. */
export class ServiceClock {
  readonly #clock: FakeClock
  readonly #waiting = new Set<Waiting>()
  #stopped: (() => Error) | undefined
  #activity = 0
  /** The moment of what runs now, during `advance`, in elapsed time. */
  #step: number | undefined
  #running: Promise<void> = Promise.resolve()
  #advanced = 0
  /** Calls of `advance` that have not ended, and the elapsed time at which the next of them begins. */
  #pending = 0
  #beginsAt = 0
  /** Milliseconds that `now()` was moved by. It can be set back. */
  offset = 0

  constructor(clock: FakeClock) {
    this.#clock = clock
  }

  /** The time of the fake: `advance` moves it at once. */
  readonly now = (): number => this.#unix(this.#step ?? this.#target())

  /** The time of those who wait: it is never set back by what `advance` has still to run. */
  readonly waitingNow = (): number => this.#unix(this.elapsed())

  /** Elapsed time: what sets `now()` back does not change it. Waits end in this time. */
  readonly elapsed = (): number => this.#step ?? (this.#pending > 0 ? this.#beginsAt : this.#target())

  /** As `fake.advance`. While something runs, `now()` is the moment at which it is due. */
  advance(ms: number): Promise<void> {
    const from = this.#target()
    if (this.#pending++ === 0) this.#beginsAt = from
    this.#advanced += ms
    this.offset += ms
    this.#running = this.#running.then(() => this.#runDue(from)).then(() => this.#end(from + ms))
    return this.#running
  }

  /** Notes that something happened, so that `advance` waits for what follows from it. */
  noteActivity(): void {
    this.#activity++
  }

  /** As `wait`, for code under test: it resolves after `stop`. */
  readonly sleep = (ms: number, signal?: AbortSignal): Promise<void> => this.wait(ms, signal, 'resolve')

  /** Rejects every wait, present and future, with an error. */
  stop(error: () => Error): void {
    this.#stopped = error
    for (const one of [...this.#waiting]) one.stop()
  }

  #target(): number {
    return this.#clock.now() + this.#advanced
  }

  async #runDue(from: number): Promise<void> {
    if (this.#waiting.size === 0) return
    // What was started before goes first, in its own time: an answer may still be on its way.
    this.#step = from
    await this.#settle()
    for (;;) {
      const due = [...this.#waiting].filter((one) => one.due <= this.#target())
      const [first] = due.sort((a, b) => a.due - b.due)
      if (!first) break
      this.#step = Math.max(first.due, this.#step)
      first.wake()
      await this.#settle()
    }
    this.#step = undefined
  }

  #end(at: number): void {
    this.#pending--
    this.#beginsAt = at
    for (const one of this.#waiting) one.restart()
  }

  #unix(elapsed: number): number {
    return elapsed - this.#advanced + this.offset
  }

  async #settle(): Promise<void> {
    for (let turns = 0; turns < SETTLED_TURNS; turns++) {
      const before = this.#activity
      await nextTurn()
      if (this.#activity !== before) turns = 0
    }
  }

  /** Waits; forever for `Infinity`. Rejects with the signal's reason, or with the error of `stop`. */
  wait(ms: number, signal: AbortSignal | undefined, onStop: 'reject' | 'resolve' = 'reject'): Promise<void> {
    this.#activity++
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      if (this.#stopped && onStop === 'reject') return reject(this.#stopped())
      const finish = (settle: () => void) => {
        this.#waiting.delete(one)
        cancel()
        release()
        signal?.removeEventListener('abort', onAbort)
        this.#activity++
        settle()
      }
      const onAbort = () => finish(() => reject(signal?.reason))
      const one: Waiting = {
        due: this.elapsed() + ms,
        wake: () => finish(resolve),
        stop: () => finish(onStop === 'resolve' ? resolve : () => reject(this.#stopped?.())),
        restart: () => {
          if (!Number.isFinite(ms)) return
          cancel()
          cancel = this.#startTimer(Math.max(0, one.due - this.elapsed()), one.wake)
        },
      }
      const release = ms === Number.POSITIVE_INFINITY && signal ? keepProcessAlive() : () => {}
      let cancel = this.#startTimer(ms, one.wake)
      this.#waiting.add(one)
      signal?.addEventListener('abort', onAbort, { once: true })
    })
  }

  #startTimer(ms: number, callback: () => void): () => void {
    return startTimer(this.#clock.sleep ? (this.#clock as Clock) : systemClock, ms, callback)
  }
}

/** Keeps the process alive, as the socket of a pending request does. A message port does so also where timers are faked. */
function keepProcessAlive(): () => void {
  if (globalThis.MessageChannel === undefined) return () => {}
  const { port1 } = new MessageChannel()
  port1.onmessage = () => {}
  return () => port1.close()
}
