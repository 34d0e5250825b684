import { type Cancel, Canceller } from '../abort.ts'
import { createTally } from './tally.ts'
import type { Part, Tally } from './types.ts'

/** One request under way, and everybody who waits for it. */
export interface Flight<T> {
  readonly part: Asked
  /** Aborted when nobody waits any more. */
  readonly signal: Cancel
  readonly tally: Tally
  /** The latest deadline of those who wait. */
  deadlineAt(): number
  /** Waits along until `signal` aborts; the others do not notice. `pays` is true for the first to be answered. */
  join(signal: Cancel, deadlineAt: number): Promise<Landing<T>>
}

export interface Landing<T> {
  readonly value: T
  readonly pays: boolean
}

/** Identical requests in flight become one. */
export interface Flights<T> {
  /** The flight that is under way under this hash, if it asks the same thing. */
  find(hash: string, part: Asked): Flight<T> | undefined
  start(hash: string, part: Asked, run: (flight: Flight<T>) => Promise<T>): Flight<T>
}

/** What tells whether two requests ask the same thing. */
type Asked = Pick<Part, 'key'>

export function createFlights<T>(): Flights<T> {
  const flights = new Map<string, Flight<T>>()
  return {
    find(hash, part) {
      const flight = flights.get(hash)
      return flight !== undefined && flight.part.key() === part.key() ? flight : undefined
    },
    start(hash, part, run) {
      const flight: Flight<T> = new SharedFlight(part, run, () => {
        if (flights.get(hash) === flight) flights.delete(hash)
      })
      // The first one stays: whoever has found it finds it again.
      if (!flights.has(hash)) flights.set(hash, flight)
      return flight
    },
  }
}

/** A class, because one is made for each request, and closures would be made anew for each. */
class SharedFlight<T> implements Flight<T> {
  readonly part: Asked
  readonly signal = new Canceller()
  readonly tally = createTally()
  readonly #run: (flight: Flight<T>) => Promise<T>
  /** To be called as soon as nobody may join any more. */
  readonly #close: () => void
  readonly #landing: Promise<T>
  #land: (value: T) => void = () => {}
  #crash: (error: unknown) => void = () => {}
  #waiting = 0
  #deadline = 0
  #started = false
  #paid = false

  constructor(part: Asked, run: (flight: Flight<T>) => Promise<T>, close: () => void) {
    this.part = part
    this.#run = run
    this.#close = close
    this.#landing = new Promise<T>((resolve, reject) => {
      this.#land = resolve
      this.#crash = reject
    })
  }

  deadlineAt(): number {
    return this.#deadline
  }

  join(caller: Cancel, deadlineAt: number): Promise<Landing<T>> {
    this.#waiting++
    this.#deadline = Math.max(this.#deadline, deadlineAt)
    return new Promise((resolve, reject) => {
      let left = false
      const leave = () => {
        left = true
        caller.removeEventListener('abort', leave)
        this.#waiting--
        if (this.#waiting > 0) return reject(caller.reason)
        // The last one out waits for the end of what it stops, so that nothing is left unsettled behind it.
        this.#close()
        this.signal.abort(caller.reason)
      }
      caller.addEventListener('abort', leave)
      this.#start()
      this.#landing.then(
        (value) => {
          caller.removeEventListener('abort', leave)
          resolve({ value, pays: !this.#paid })
          this.#paid ||= !left
        },
        (error) => {
          caller.removeEventListener('abort', leave)
          reject(error)
        },
      )
    })
  }

  /** What a run tells its listeners may make them join, or abort, before it has come back. */
  #start(): void {
    if (this.#started) return
    this.#started = true
    this.#run(this).then(
      (value) => {
        this.#close()
        this.#land(value)
      },
      (error) => {
        this.#close()
        this.#crash(error)
      },
    )
  }
}
