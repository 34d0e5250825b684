import type { RedisFleetOptions } from 'etn-market/redis'

/** How long a lost request may still be charged. */
export const CHARGE_DELAY_MS = 1_000

/** Options of the fleet. Every process states the same. */
export function fleetOptions(name: string, credits: number): RedisFleetOptions {
  return {
    name,
    // One run is one day. A fleet that runs for longer adds `windowMs: 86_400_000`: a new budget at every midnight UTC.
    budget: { credits },
    heavyConcurrency: 2,
    // Short, so that a run shows what becomes of the credits of a killed process.
    leaseMs: 3_000,
    // The service of this example executes what it gets at once.
    maxChargeDelayMs: CHARGE_DELAY_MS,
  }
}
