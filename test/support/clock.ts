import type { Clock } from 'etn-market'
import { settle } from './quiet.ts'

/** Time that stands still until a test moves it. */
export interface VirtualClock extends Clock {
  /** Moves on, firing timers in their order; everything that a timer set off is over before the next one fires. */
  advance(ms: number): Promise<void>
  /** The time moves on, but the timers fire late, as they do when the event loop was busy. */
  jump(ms: number): void
  /** Timers that have not fired. */
  readonly pending: number
  /** Every wait that was begun, milliseconds. */
  readonly waits: readonly number[]
  /** What `random()` answers. */
  luck: number
}

/** Lets everything run that does not wait for time. */
export const flush = settle

export const START = Date.UTC(2026, 10, 20, 12)

export function createVirtualClock(start = START): VirtualClock {
  const timers = new Set<{ at: number; fire: () => void }>()
  const waits: number[] = []
  let now = start

  const next = (until: number) => {
    const due = [...timers].filter(({ at }) => at <= until)
    return due.reduce<(typeof due)[number] | undefined>((first, timer) => {
      return first === undefined || timer.at < first.at ? timer : first
    }, undefined)
  }

  return {
    luck: 0,
    waits,
    now: () => now,
    random() {
      return this.luck
    },
    get pending() {
      return timers.size
    },
    sleep(ms, signal) {
      if (!(ms >= 0)) throw new RangeError(`A wait of ${ms} ms`)
      waits.push(ms)
      return new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason)
        const onAbort = () => {
          timers.delete(timer)
          reject(signal?.reason)
        }
        const timer = {
          at: now + ms,
          fire: () => {
            timers.delete(timer)
            signal?.removeEventListener('abort', onAbort)
            resolve()
          },
        }
        timers.add(timer)
        signal?.addEventListener('abort', onAbort, { once: true })
      })
    },
    jump(ms) {
      now += ms
    },
    async advance(ms) {
      const until = now + ms
      await flush()
      for (let timer = next(until); timer !== undefined; timer = next(until)) {
        now = Math.max(now, timer.at)
        timer.fire()
        await flush()
      }
      now = until
    },
  }
}
