export type { Reconciliation } from '../credits/budget.ts'
export type { Fleet, FleetAccountReader, FleetCooldown, FleetStatus } from '../fleet/types.ts'
export { createRedisFleet } from './redis-fleet.ts'
export type { IoRedisClient, NodeRedisClient, RedisConnection, RedisFleetOptions, ScriptRunner } from './types.ts'
