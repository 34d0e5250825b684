import { type Cancel, Canceller } from '../abort.ts'
import { createTally } from './tally.ts'
import type { Tally } from './types.ts'

/** One request under way, and everybody who waits for it. */
export interface Flight<T> {
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
  find(key: string): Flight<T> | undefined
  start(key: string, run: (flight: Flight<T>) => Promise<T>): Flight<T>
}

export function createFlights<T>(): Flights<T> {
  const flights = new Map<string, Flight<T>>()
  return {
    find: (key) => flights.get(key),
    start(key, run) {
      const close = () => {
        if (flights.get(key) === flight) flights.delete(key)
      }
      const flight = createFlight(run, close)
      flights.set(key, flight)
      return flight
    },
  }
}

/** `close` is called as soon as nobody may join any more. */
function createFlight<T>(run: (flight: Flight<T>) => Promise<T>, close: () => void): Flight<T> {
  const signal = new Canceller()
  let waiting = 0
  let deadline = 0
  let paid = false
  let started = false
  let land: (value: T) => void = () => {}
  let crash: (error: unknown) => void = () => {}
  const landing = new Promise<T>((resolve, reject) => {
    land = resolve
    crash = reject
  })

  // What a run tells its listeners may make them join, or abort, before it has come back.
  const start = () => {
    if (started) return
    started = true
    run(flight).then(
      (value) => {
        close()
        land(value)
      },
      (error) => {
        close()
        crash(error)
      },
    )
  }

  const flight: Flight<T> = {
    signal,
    tally: createTally(),
    deadlineAt: () => deadline,
    join(caller, deadlineAt) {
      waiting++
      deadline = Math.max(deadline, deadlineAt)
      return new Promise((resolve, reject) => {
        let left = false
        const leave = () => {
          left = true
          done()
          waiting--
          if (waiting > 0) return reject(caller.reason)
          // The last one out waits for the end of what it stops, so that nothing is left unsettled behind it.
          close()
          signal.abort(caller.reason)
        }
        caller.addEventListener('abort', leave)
        const done = () => caller.removeEventListener('abort', leave)
        start()
        landing.then(
          (value) => {
            done()
            resolve({ value, pays: !paid })
            paid ||= !left
          },
          (error) => {
            done()
            reject(error)
          },
        )
      })
    },
  }
  return flight
}
