import { requireCredits } from '../credits/budget-core.ts'
import { type CreditLimit, LIMIT_OPTIONS, readLimit } from '../credits/credit-limit.ts'
import { DEFAULT_MAX_CHARGE_DELAY_MS } from '../credits/reconcile.ts'
import { InvalidRequestError, rejectUnknown, requireInteger } from '../errors/input.ts'
import type { FleetChanges } from '../fleet/fleet.ts'

/**
 * The options of a fleet, every default filled in. The credits are those that this member has stated first: they can be changed. `windowMs` is 0
 * without windows.
 */
export type FleetSettings = Readonly<ReturnType<typeof readOptions>>

const OPTIONS = ['name', 'budget', 'heavyConcurrency', 'leaseMs', 'timeoutMs', 'maxChargeDelayMs', 'wait']
const DEFAULT_LEASE_MS = 30_000
const DEFAULT_TIMEOUT_MS = 2_000

export function readOptions(options: RedisFleetOptions) {
  rejectUnknown('fleet option', options, OPTIONS)
  const { budget, heavyConcurrency: slots = 2, leaseMs = DEFAULT_LEASE_MS, timeoutMs = DEFAULT_TIMEOUT_MS } = options
  const { maxChargeDelayMs = DEFAULT_MAX_CHARGE_DELAY_MS } = options
  const { credits, windowMs } = readBudget(budget)
  requireInteger('heavyConcurrency', slots, 'a whole number, 1 or more')
  requireInteger('timeoutMs', timeoutMs, 'a whole number of milliseconds above 0')
  const aboveTimeout = `a whole number of milliseconds above timeoutMs, ${timeoutMs}`
  requireInteger('leaseMs', leaseMs, aboveTimeout, timeoutMs + 1)
  requireInteger('maxChargeDelayMs', maxChargeDelayMs, 'a whole number of milliseconds above 0')
  const wait = readWait(options.wait, timeoutMs)
  return { credits, windowMs, slots, leaseMs, timeoutMs, maxChargeDelayMs, wait }
}

/** `windowMs` is 0 without windows. */
function readBudget(budget: CreditLimit): { readonly credits: number; readonly windowMs: number } {
  rejectUnknown('budget option', budget, LIMIT_OPTIONS)
  const { credits, windowMs = 0 } = readLimit('budget', budget)
  requireCredits('budget.credits', credits)
  return { credits, windowMs }
}

/** The credits that a fleet is given; undefined where they stay. */
export function readChanges(changes: FleetChanges, settings: FleetSettings): number | undefined {
  rejectUnknown('option of initialize', changes, ['budget'])
  const { budget } = changes
  if (budget === undefined) return undefined
  const { credits, windowMs } = readBudget(budget)
  if (windowMs === settings.windowMs || windowMs === 0) return credits
  const message = `Invalid budget.windowMs: ${windowMs}. The windows of a fleet stay as long as they are. Choose another name for the fleet.`
  throw new InvalidRequestError(message, { code: 'invalid_option' })
}

function readWait(wait: RedisFleetOptions['wait'], timeoutMs: number): RedisFleetOptions['wait'] {
  if (wait === undefined) return undefined
  rejectUnknown('wait option', wait, ['replicas', 'timeoutMs'])
  requireInteger('wait.replicas', wait.replicas, 'a whole number, 1 or more')
  const belowTimeout = `a whole number of milliseconds below timeoutMs, ${timeoutMs}`
  requireInteger('wait.timeoutMs', wait.timeoutMs, belowTimeout, 1, timeoutMs - 1)
  return wait
}

/** The part of a client of the package `redis` that is used, a cluster client included. */
export interface NodeRedisClient {
  /** Runs a script by the SHA-1 of its text. */
  evalSha(sha1: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>
  /** Runs a script. */
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>
}

/** The part of a client of `ioredis` or `iovalkey` that is used, a cluster client included. */
export interface IoRedisClient {
  /** Runs a script by the SHA-1 of its text. */
  evalsha(sha1: string, keyCount: number, ...keysAndArguments: string[]): Promise<unknown>
  /** Runs a script. */
  eval(script: string, keyCount: number, ...keysAndArguments: string[]): Promise<unknown>
}

/** Anything else that runs Lua scripts on a Redis. */
export interface ScriptRunner {
  /**
   * Runs a script with keys and arguments, all of them texts. It rejects with an error whose message begins with the server's error code, such as
   * `NOSCRIPT` or `READONLY`. Commands must reach the server in the order in which they are called.
   */
  eval(script: string, keys: string[], args: string[]): Promise<unknown>
  /**
   * Waits until this number of replicas has what the same connection wrote before; resolves with the number that has. Needed for the option `wait`
   * only. Leave it out if commands go over several connections.
   */
  wait?(replicas: number, timeoutMs: number): Promise<unknown>
}

/**
 * A connection to Redis 7.0 or newer: a client of `redis` (from 6.2), `ioredis` (from 5), `iovalkey` or `@upstash/redis`, or a script runner of your own.
 */
export type RedisConnection = NodeRedisClient | IoRedisClient | ScriptRunner

/** Options of `createRedisFleet`. */
export interface RedisFleetOptions {
  /** Name of the fleet: members with the same name on the same Redis share everything. It is part of every key, as `{etn-market:name}`. */
  name: string
  /**
   * What all members together may spend. Every member must state the same budget. Windows begin at multiples of `windowMs` since 1970, by the clock
   * of the server: a day at midnight UTC. Without it the budget never renews itself.
   */
  budget: CreditLimit
  /** Heavy calls of all members in flight at most. Every member must state the same. @default 2 */
  heavyConcurrency?: number | undefined
  /**
   * How long a reservation or a slot lasts unless it is renewed, in milliseconds, more than `timeoutMs`. It is renewed while its call is under way.
   * When a process dies, its slots are free after this time, and its reserved credits are `uncertain`. Every member must state the same time.
   * @default 30_000
   */
  leaseMs?: number | undefined
  /**
   * How long Redis may be silent while a command waits, in milliseconds. Then the call is refused and nothing is sent. In a burst of calls,
   * commands wait behind one another for up to `leaseMs`, as long as Redis answers. A client of `redis` gets a longer limit of its own for these
   * commands; leave `commandTimeout` of `ioredis` unset, or longer than `leaseMs`. @default 2_000
   */
  timeoutMs?: number | undefined
  /**
   * For `reconcile()`: how long after a request was sent the service may still charge it, in whole milliseconds. It is the same as `maxChargeDelayMs`
   * of `createBudget`. If a process ends, its requests count as sent until their lease ended. Every member must state the same time.
   * @default 60_000
   */
  maxChargeDelayMs?: number | undefined
  /**
   * After each reservation, waits with Redis' `WAIT` until replicas have it; a call whose reservation reaches too few is refused. It makes the
   * loss of reservations by a fail-over less likely, and it holds up all commands of the connection. It needs a client with one connection:
   * no pool, no cluster, no `createSentinel` of `redis`.
   * @default the primary alone confirms
   */
  wait?:
    | {
        /** How many replicas must have the reservation, 1 or more. */
        replicas: number
        /** How long they may take, in milliseconds; less than `timeoutMs` of the fleet. */
        timeoutMs: number
      }
    | undefined
}
