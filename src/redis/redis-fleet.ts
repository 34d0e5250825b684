import { internalsOf } from '../client-internals.ts'
import { monotonicNow, systemClock } from '../concurrency/clock.ts'
import type { Reconciliation, Reservation } from '../credits/budget.ts'
import { creditsLeft, isCredits, uncertainWithin } from '../credits/budget-core.ts'
import type { SpendingLimit } from '../credits/joint-budget.ts'
import { createKeyReader } from '../credits/key-name.ts'
import { EtnMarketError } from '../errors/base.ts'
import { invalidOption } from '../errors/input.ts'
import { type SharedLease, withFleetInternals } from '../fleet/internals.ts'
import type { Fleet, FleetAccountReader, FleetStatus } from '../fleet/types.ts'
import type { Account } from '../generated/types.ts'
import { ASYNC_DISPOSE } from '../utils/async-dispose.ts'
import { createBackground } from './background.ts'
import { createCommand, createRunner, toFleetError, withReplyTimeout } from './command.ts'
import { createKeys } from './keys.ts'
import type { Member } from './member.ts'
import { type RedisConnection, type RedisFleetOptions, readOptions } from './options.ts'
import { createRenewals } from './renewals.ts'
import { BUY } from './scripts/clock.lua.ts'
import { INITIALIZE } from './scripts/ledger.lua.ts'
import { RECONCILE } from './scripts/reconcile.lua.ts'
import { STATUS } from './scripts/windows.lua.ts'
import { createSharedAdmission } from './shared-admission.ts'
import { createSharedBudget } from './shared-budget.ts'
import { createView, parseBreakers, readMsLeft, resetOf } from './view.ts'

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

export async function readStatus(member: Member): Promise<FleetStatus> {
  const { command, keys, config, limit, slots, view } = member
  const sentAt = monotonicNow(systemClock)
  const [now, , msLeft, ...rest] = await command(STATUS, keys.status, [config])
  const [spent = 0, reserved = 0, uncertain = 0, taken = 0] = rest.slice(0, 4).map(Number)
  const breakers = rest.slice(4)
  view.readBreakers(Number(now), breakers, sentAt)
  return {
    limit,
    spent,
    reserved,
    uncertain: uncertainWithin(limit, { spent, reserved, uncertain }),
    available: creditsLeft(limit, { spent, reserved, uncertain }),
    resetsAt: resetOf(Number(now), readMsLeft(msLeft)),
    slots: { limit: slots, taken },
    cooldowns: parseBreakers(breakers),
  }
}

/** Reads the balance between two looks at the ledger: where that is the same, the balance belongs to it. */
export async function reconcile(
  { command, keys, config, leaseMs, maxChargeDelayMs }: Member,
  client: FleetAccountReader,
): Promise<Reconciliation | undefined> {
  const internals = internalsOf(client)
  if (internals === undefined) throw invalidOption('client', client, 'a client of createClient')
  const limits = [config, leaseMs, maxChargeDelayMs]
  const [state, ...quiet] = await command(RECONCILE, keys.ledger, limits)
  if (state !== 'quiet') return undefined
  const sent = recordKey()
  const { credits } = (await internals.call('account.me', {}, {}, { budget: sent.limit })) as Account
  // An answer that another call has asked for, with whatever key, may be older than the look.
  if (!isCredits(credits) || sent.key === undefined) return undefined
  const [verdict, charged, freed] = await command(RECONCILE, keys.ledger, [...limits, ...quiet, credits, sent.key])
  return verdict === 'proven' ? { charged: Number(charged), freed: Number(freed) } : undefined
}

/** A limit that allows everything, and learns the name of the key that a request is sent with. */
function recordKey(): { readonly key: string | undefined; readonly limit: SpendingLimit } {
  const reservation: Reservation = {
    credits: 0,
    confirm(_, key) {
      sent.key = key
    },
    settle: () => undefined,
    release() {},
    markUncertain() {},
  }
  const sent: { key: string | undefined; limit: SpendingLimit } = {
    key: undefined,
    limit: { check() {}, reserve: () => reservation },
  }
  return sent
}

/** One member at a time buys an address. All addresses of a batch are one command. */
export function createSharedLease({ command, keys, nextId }: Member): SharedLease {
  const owner = nextId()
  const toNames = (addresses: readonly string[]) => addresses.map((address) => address.toLowerCase())
  return {
    async acquire(addresses, leaseMs) {
      const answer = await command(BUY, keys.buy, [owner, leaseMs, ...toNames(addresses)])
      return new Set(addresses.filter((_, index) => answer[index] === '1'))
    },
    async release(addresses) {
      await command(BUY, keys.buy, [owner, 0, ...toNames(addresses)])
    },
  }
}
