import { internalsOf } from '../client/client-internals.ts'
import { AgeClock, SystemClock } from '../concurrency/clock.ts'
import type { Reconciliation, Reservation, ReservationDetails } from '../credits/budget.ts'
import { capUncertain, creditsLeft } from '../credits/budget-core.ts'
import { createKeyNames, createKeyReader } from '../credits/key-name.ts'
import { EtnMarketError } from '../errors/base.ts'
import { type BudgetExceededError, budgetExceeded } from '../errors/budget.ts'
import { invalidOption } from '../errors/input.ts'
import {
  type Fleet,
  type FleetAccountReader,
  type FleetChanges,
  type FleetStatus,
  withFleetInternals,
} from '../fleet/fleet.ts'
import { ASYNC_DISPOSE, randomId } from '../utils/runtime.ts'
import { Background, Renewals } from './background.ts'
import { type Command, Commands, toFleetError } from './command.ts'
import {
  type FleetSettings,
  type RedisConnection,
  type RedisFleetOptions,
  readChanges,
  readOptions,
} from './options.ts'
import { BUY } from './scripts/clock.lua.ts'
import { configOf } from './scripts/config.lua.ts'
import { INITIALIZE } from './scripts/ledger.lua.ts'
import { RECONCILE } from './scripts/reconcile.lua.ts'
import { STATUS } from './scripts/windows.lua.ts'
import { SharedAdmissionControl } from './shared-admission.ts'
import { createSharedBudget } from './shared-budget.ts'
import { type LedgerAnswer, View } from './view.ts'

/**
 * Joins a fleet: clients in several processes and on several machines that share one budget, one limit of heavy calls and their cool-downs in
 * Redis 7.0 or newer. Give it to `createClient` instead of `budget` and `heavyConcurrency`.
 *
 * Each request costs one command before it is sent and one after it; heavy requests, and requests after a refusal, two more. While Redis
 * fails, calls fail with `StateUnavailableError` and nothing is sent. Call `initialize()` once for all members before the first call.
 * Keep the keys out of reach of an eviction (`maxmemory-policy noeviction`), and let Redis write each command to a file (`appendonly yes`).
 *
 * A Redis that starts from an old snapshot, or a replica that takes over, has forgotten what was spent last. Members that have seen more reject with the
 * code `state_lost` then, until `reconcile()` finds what it cost, or `initialize()` counts what they have seen.
 * @example
 * const fleet = createRedisFleet(redis, { name: 'bots', budget: { creditsPerDay: 100_000 } })
 * await fleet.initialize()
 * const client = createClient({ apiKey, fleet })
 * @throws InvalidRequestError when an option is not accepted.
 */
export function createRedisFleet(redis: RedisConnection, options: RedisFleetOptions): Fleet {
  const member = new Member(redis, options)
  const orFleetError = async <T>(run: () => Promise<T>): Promise<T> => {
    try {
      member.throwIfClosed()
      return await run()
    } catch (error) {
      throw member.toError(error)
    }
  }
  const fleet: Fleet = {
    status: () => orFleetError(() => readStatus(member)),
    initialize: (changes) => orFleetError(() => member.initialize(changes)),
    reconcile: (client) => orFleetError(() => reconcile(member, client)),
    close: () => member.close(),
    [ASYNC_DISPOSE]: () => member.close(),
  }
  return withFleetInternals(fleet, {
    budget: createSharedBudget(member),
    heavyConcurrency: member.settings.slots,
    extendAdmission: (local) => new SharedAdmissionControl(member, local),
    buyLease: {
      async acquire(addresses, leaseMs) {
        const answer = await member.buy(addresses, leaseMs)
        return new Set(addresses.filter((_, index) => answer[index] === '1'))
      },
      async release(addresses) {
        await member.buy(addresses, 0)
      },
    },
  })
}

/** One member of a fleet: its commands, and what it knows of the others. */
export class Member {
  readonly name: string
  readonly settings: FleetSettings
  readonly keys: FleetKeys
  readonly command: Command
  readonly ages = new AgeClock(new SystemClock())
  readonly view = new View(this.ages)
  readonly renewals: Renewals
  readonly background = new Background()
  /** Names of the API keys that this member has sent with: none, the only one, or two of several. */
  readonly keysInUse = new Set<string>()
  /** Names what `confirm` is given: a key, or its name. */
  readonly nameOf = createKeyReader()
  readonly #id = randomId().replaceAll('-', '').slice(0, 20)
  readonly #commands: Commands
  /** Credits of all members in a window. */
  credits: number
  #ids = 0
  #isClosed = false

  constructor(redis: RedisConnection, options: RedisFleetOptions) {
    this.settings = readOptions(options)
    this.credits = this.settings.credits
    this.name = options.name
    this.keys = new FleetKeys(this.name)
    this.#commands = new Commands(redis, this.settings, () => this.nextId())
    this.command = this.#commands.run
    this.renewals = new Renewals(this.command, this.settings.leaseMs, this.ages)
  }

  /** What all members state, as the scripts compare it. */
  get config(): string {
    return configOf(this.settings, this.credits)
  }

  async initialize(changes: FleetChanges = {}): Promise<void> {
    const credits = readChanges(changes, this.settings) ?? this.credits
    const isChange = changes.budget === undefined ? 0 : 1
    await this.askLedger(INITIALIZE, [configOf(this.settings, credits), this.view.seen, isChange])
    this.credits = credits
    await this.waitForReplicas()
  }

  /** An id that no other member uses. */
  nextId(): string {
    return `${this.#id}.${(++this.#ids).toString(36)}`
  }

  /** Runs a script that answers what counts. */
  async askLedger(script: string, args: readonly (string | number)[], keys = this.keys.ledger): Promise<LedgerAnswer> {
    const sentAt = this.ages.now()
    return this.view.readLedger(await this.command(script, keys, args), sentAt)
  }

  /** Runs a script that admits requests; resolves with its verdict, and a wait or a place in the queue. */
  async limit(script: string, keyScope: string, args: readonly (string | number)[]): Promise<[string, number]> {
    const sentAt = this.ages.now()
    const [verdict = '', now, number, ...breakers] = await this.command(script, this.keys.limits(keyScope), args)
    this.view.readBreakers(Number(now), breakers, sentAt)
    return [verdict, Number(number)]
  }

  /** Takes leases of addresses, all of them in one command, or ends them with a `leaseMs` of 0. Resolves with '1' for each that this member may buy. */
  async buy(addresses: readonly string[], leaseMs: number): Promise<string[]> {
    return addresses.length === 0 ? [] : this.command(BUY, addresses.map(this.keys.buyer), [this.#id, leaseMs])
  }

  waitForReplicas(): Promise<void> {
    return this.#commands.waitForReplicas()
  }

  /** @throws EtnMarketError with the code `fleet_closed` */
  throwIfClosed(): void {
    if (this.#isClosed) throw new EtnMarketError('The fleet is closed. Create a new one.', { code: 'fleet_closed' })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.renewals.stop()
    await this.background.flush(this.settings.timeoutMs)
    this.background.stop()
  }

  /** The error of a call whose command failed. Errors of this library stay as they are. */
  toError(error: unknown, details?: ReservationDetails): unknown {
    return error instanceof EtnMarketError ? error : toFleetError(error, this, details)
  }

  exceeded(needed: number, details: ReservationDetails | undefined): BudgetExceededError {
    const limit = this.credits
    const { totals, resetsAt } = this.view
    const of = `budget of the fleet "${this.name}"`
    return budgetExceeded({ of, limit, needed, available: creditsLeft(limit, totals), resetsAt }, details)
  }
}

async function readStatus(member: Member): Promise<FleetStatus> {
  const { keys, config, credits: limit, settings, view } = member
  const answer = await member.askLedger(STATUS, [config, view.seen], keys.status)
  const { totals, resetsAt, cooldowns, verdict: taken } = answer
  return {
    limit,
    ...capUncertain(limit, totals),
    available: creditsLeft(limit, totals),
    resetsAt,
    slots: { limit: settings.slots, taken: Number(taken) },
    cooldowns,
  }
}

/** Reads the balance between two looks at the ledger: where that is the same, the balance belongs to it. */
async function reconcile(
  { command, keys, config, view }: Member,
  client: FleetAccountReader,
): Promise<Reconciliation | undefined> {
  const internals = internalsOf(client)
  if (internals === undefined) throw invalidOption('client', client, 'a client of createClient')
  const [state, ...quiet] = await command(RECONCILE, keys.ledger, [config, view.seen])
  if (state !== 'quiet') return undefined
  const sent: { key?: string | undefined; balance?: number | undefined } = {}
  /** It allows everything, and learns with which key the request is sent, and the balance of its answer where that proves something: `request/billing.ts`. */
  const reservation: Reservation = {
    credits: 0,
    confirm(_, key) {
      sent.key = key
    },
    settle(_, observed) {
      sent.balance = observed?.remaining
      return undefined
    },
    release() {},
    markUncertain() {},
  }
  await internals.call('account.me', {}, {}, { budget: { check() {}, reserve: () => reservation } })
  // An answer that another call has asked for, with whatever key, may be older than the look.
  const { balance, key } = sent
  if (balance === undefined || key === undefined) return undefined
  const [verdict, charged, freed] = await command(RECONCILE, keys.ledger, [config, view.seen, ...quiet, balance, key])
  return verdict === 'proven' ? { charged: Number(charged), freed: Number(freed) } : undefined
}

/** The keys of a fleet, all in the same slot of a cluster. */
export class FleetKeys {
  /** Of the scripts that move credits. */
  readonly ledger: string[]
  readonly status: string[]
  readonly leases: string
  readonly slots: string
  readonly #key: (part: string) => string
  readonly #keyNames = createKeyNames()

  constructor(name: string) {
    if (!(typeof name === 'string' && /^[^{}\s]{1,200}$/.test(name)))
      throw invalidOption('name', name, 'a text of 1 to 200 characters without white space and braces')
    const key = (part: string) => `{etn-market:${name}}:${part}`
    this.#key = key
    this.leases = key('leases')
    this.slots = key('slots')
    this.ledger = [key('state'), key('operations'), this.leases, key('ends'), key('breakers'), key('balances')]
    this.status = [key('state'), key('operations'), this.leases, this.slots, key('breakers')]
  }

  /** Of the scripts that admit requests, for a scope of an API key. */
  limits(keyScope: string): string[] {
    const shared = ['state', 'operations', 'ends', 'breakers', 'slots', 'waiting', 'seen']
    const ofScope = (scope: string) => [`probes:${scope}`, `refusals:${scope}`, `unasked:${scope}`]
    return [...shared, ...ofScope(keyScope), ...ofScope('heavy')].map(this.#key)
  }

  scopeOf = (apiKey: string): string => `key:${this.#keyNames(apiKey)}`
  probes = (scope: string): string => this.#key(`probes:${scope}`)
  buyer = (address: string): string => this.#key(`buyer:${address.toLowerCase()}`)
}
