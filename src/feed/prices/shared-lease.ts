import { invalidOption } from '../../errors/input.ts'
import { fleetInternalsOf, type SharedLease } from '../../fleet/internals.ts'
import type { FeedOptions } from '../types.ts'

/** The lease of the fleet, if there is one. Without a shared store a member could not read what another one buys. */
export function readSharedLease({ fleet, store }: FeedOptions): SharedLease | undefined {
  if (fleet === undefined) return undefined
  const internals = fleetInternalsOf(fleet)
  if (internals === undefined) throw invalidOption('fleet', fleet, 'a fleet of createRedisFleet')
  if (store === undefined) throw invalidOption('store', store, 'a store that all members of the fleet share')
  return internals.buyLease
}
