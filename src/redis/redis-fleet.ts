import { createKeyReader } from '../credits/key-name.ts'
import { EtnMarketError } from '../errors/base.ts'
import { withFleetInternals } from '../fleet/internals.ts'
import type { Fleet } from '../fleet/types.ts'
import { ASYNC_DISPOSE } from '../utils/async-dispose.ts'
import { createBackground } from './background.ts'
import { createSharedLease } from './buy-lease.ts'
import { toFleetError } from './command-error.ts'
import { createCommand, withReplyTimeout } from './command-timeout.ts'
import { createKeys } from './keys.ts'
import type { Member } from './member.ts'
import { readOptions } from './options.ts'
import { reconcile } from './reconcile.ts'
import { createRenewals } from './renewals.ts'
import { createRunner } from './script-runner.ts'
import { INITIALIZE } from './scripts/ledger.lua.ts'
import { createSharedAdmission } from './shared-admission.ts'
import { createSharedBudget } from './shared-budget.ts'
import { readStatus } from './status.ts'
import type { RedisConnection, RedisFleetOptions } from './types.ts'
import { createView } from './view.ts'

/**
 * Joins a fleet: clients in several processes and on several machines that share one budget, one limit of heavy calls and their cool-downs in
 * Redis 7.0 or newer. Give it to `createClient` instead of `budget` and `heavyConcurrency`.
 *
 * Each request costs one command before it is sent and one after it; heavy requests, and requests after a refusal, two more. While Redis
 * fails, calls fail with `StateUnavailableError` and nothing is sent. Call `initialize()` once for all members before the first call.
 * Keep the keys out of reach of an eviction (`maxmemory-policy noeviction`).
 *
 * Redis replicates asynchronously: when a replica takes over, the last reservations may be missing there, and their credits can be
 * spent again. `wait` makes this unlikely, and `reconcile()` finds what it cost.
 * @example
 * const fleet = createRedisFleet(redis, { name: 'bots', budget: { credits: 100_000, windowMs: 86_400_000 } })
 * await fleet.initialize()
 * const client = createClient({ apiKey, fleet })
 * @throws InvalidRequestError when an option is not accepted.
 */
export function createRedisFleet(redis: RedisConnection, options: RedisFleetOptions): Fleet {
  const settings = readOptions(options)
  const { name } = options
  const { limit, windowMs, slots, leaseMs, timeoutMs, maxChargeDelayMs, wait } = settings
  const keys = createKeys(name)
  const runner = createRunner(redis, leaseMs, wait !== undefined)
  const config = `${limit} ${windowMs} ${slots}`
  const memberId = crypto.randomUUID().replaceAll('-', '').slice(0, 20)
  let ids = 0
  const nextId = () => `${memberId}.${(++ids).toString(36)}`
  const command = createCommand(runner.run, settings, nextId)
  let isClosed = false

  const member: Member = {
    name,
    config,
    limit,
    slots,
    leaseMs,
    timeoutMs,
    maxChargeDelayMs,
    keys,
    command,
    view: createView(),
    renewals: createRenewals(command, leaseMs),
    background: createBackground(),
    keysInUse: new Set(),
    nameOf: createKeyReader(),
    nextId,
    throwIfClosed() {
      if (isClosed) throw new EtnMarketError('The fleet is closed. Create a new one.', { code: 'fleet_closed' })
    },
    async waitForReplicas() {
      if (wait === undefined || runner.wait === undefined) return
      // WAIT is a command like others: an answer that is there wins against a timer that is late.
      const reached = Number(await withReplyTimeout(runner.wait(wait.replicas, wait.timeoutMs), timeoutMs))
      // An answer, not an error: WAIT gives up silently.
      if (!(reached >= wait.replicas)) throw new Error(`${reached} of ${wait.replicas} replicas have the reservation.`)
    },
    toError: (error, details) =>
      error instanceof EtnMarketError ? error : toFleetError(error, { name, config }, details),
  }
  const orFleetError = async <T>(run: () => Promise<T>): Promise<T> => {
    try {
      member.throwIfClosed()
      return await run()
    } catch (error) {
      throw member.toError(error)
    }
  }
  const close = async () => {
    isClosed = true
    member.renewals.stop()
    await member.background.flush(timeoutMs)
    member.background.stop()
  }

  const fleet: Fleet = {
    status: () => orFleetError(() => readStatus(member)),
    initialize: () =>
      orFleetError(async () => {
        await command(INITIALIZE, keys.initialize, [config, crypto.randomUUID()])
        await member.waitForReplicas()
      }),
    reconcile: (client) => orFleetError(() => reconcile(member, client)),
    close,
    [ASYNC_DISPOSE]: close,
  }
  return withFleetInternals(fleet, {
    budget: createSharedBudget(member),
    heavyConcurrency: slots,
    extendAdmission: (local) => createSharedAdmission(member, local),
    buyLease: createSharedLease(member),
  })
}
