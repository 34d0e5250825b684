import type { ServiceClock } from '../rules/clock.ts'
import { hash, hashText, unit } from './random.ts'

/** A clock in the fake's time, for a client. Its random numbers come from the seed. */
export function createClientClock(clock: ServiceClock, seed: number | string) {
  const noise = hash(hashText(String(seed)), 300)
  let drawn = 0
  return {
    now: clock.now,
    monotonic: clock.now,
    sleep: clock.sleep,
    random: () => unit(noise, ++drawn),
  }
}
