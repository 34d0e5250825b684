/**
 * Limits that processes share in Redis: one budget, heavy slots and cool-downs for a whole fleet.
 *
 * @module etn-market/redis
 */

export type { BudgetTotals, Reconciliation } from '../credits/budget.ts'
export type { Fleet, FleetAccountReader, FleetChanges, FleetCooldown, FleetStatus } from '../fleet/fleet.ts'
export type { IoRedisClient, NodeRedisClient, RedisConnection, RedisFleetOptions, ScriptRunner } from './options.ts'
export { createRedisFleet } from './redis-fleet.ts'
