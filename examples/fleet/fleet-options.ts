import type { RedisFleetOptions } from 'etn-market/redis'

/** Options of the fleet. Every process states the same. The times of a real fleet are the defaults. */
export function fleetOptions(name: string, credits: number): RedisFleetOptions {
  // One run is one day. A fleet that runs for longer adds `windowMs: 86_400_000`: a new budget at every midnight UTC.
  return { name, budget: { credits }, heavyConcurrency: 2 }
}

/** Times of the demonstration alone, which `fleet.ts` hands to all: a run shows what becomes of the credits of a killed process. */
export const SHORT_TIMES = {
  leaseMs: 3_000,
  // The fake service executes what it gets at once.
  maxChargeDelayMs: 1_000,
}
