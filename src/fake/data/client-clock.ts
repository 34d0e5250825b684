import type { ServiceClock } from '../rules/clock.ts'
import { hash, hashText, unit } from './random.ts'

/** A clock in the fake's time. */
export interface FakeClientClock {
  /** The fake's time in unix milliseconds. */
  now(): number
  /** Elapsed milliseconds: it goes on where `reset` and `restore` set the time back. */
  monotonic(): number
  /** Waits in the fake's time. Rejects with the signal's reason. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** The same numbers for the same seed. */
  random(): number
}

/** A clock in the fake's time, for a client. Its random numbers come from the seed. */
export function createClientClock(clock: ServiceClock, seed: number | string): FakeClientClock {
  const noise = hash(hashText(String(seed)), 300)
  let drawn = 0
  return {
    now: clock.now,
    monotonic: clock.elapsed,
    sleep: clock.sleep,
    random: () => unit(noise, ++drawn),
  }
}
