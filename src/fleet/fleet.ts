import type { AdmissionControl, LocalAdmissionControl } from '../concurrency/admission-types.ts'
import type { Budget, BudgetTotals, Reconciliation } from '../credits/budget.ts'
import type { CreditLimit } from '../credits/credit-limit.ts'
import type { Account } from '../generated/types.ts'

/** A time for which the members of a fleet send no request of a scope. */
export interface FleetCooldown {
  /** `heavy` for all heavy calls, or `key:` and a hash for all calls with one key. The key itself is not stored. */
  readonly scope: string
  /** When it ends, unix milliseconds by the clock of the shared store. If it is over, one request tests the service; the others follow if it succeeds. */
  readonly until: number
}

/**
 * The shared state of a fleet at one moment: what all members together may spend and have spent. Times are those of the shared store's clock. The
 * requests of a process that has died are `uncertain`, until the window ends or `reconcile` frees them.
 */
export interface FleetStatus extends BudgetTotals {
  /** Heavy requests of all members. */
  readonly slots: {
    /** The most in flight at once. */
    readonly limit: number
    /** In flight now. A process that is gone holds its slots until their leases end. */
    readonly taken: number
  }
  /** The cool-downs that are not over, and those that wait for the success of a probe. */
  readonly cooldowns: readonly FleetCooldown[]
}

/** What `initialize` changes of a fleet that exists. */
export interface FleetChanges {
  /** The new budget. Its windows stay as they are: `windowMs` is that of the fleet, or left out. */
  readonly budget?: CreditLimit | undefined
}

/** The part of a client that reads the balance of its key. */
export interface FleetAccountReader {
  /** Operations on the account. */
  readonly account: {
    /** Reads the credits left on the key. */
    me(): PromiseLike<Account>
  }
}

/** A member's access to the state that several processes and machines share: one budget, one limit of heavy calls, one set of cool-downs. */
export interface Fleet extends AsyncDisposable {
  /**
   * Reads the shared state. One round trip.
   * @throws StateUnavailableError when the store fails, does not answer in time, was never initialized or has lost a part of the state (the code
   * `state_lost`); InvalidRequestError with the code `fleet_mismatch` when other options were stated for the fleet.
   */
  status(): Promise<FleetStatus>
  /**
   * Creates the shared state. Call it deliberately: once, and again after the store has lost its data. It resets nothing: if a part of the state was
   * lost, the fleet goes on, and counts at least what its members have seen in this window.
   * @param changes a `budget` with other credits raises or lowers the limit of the fleet, and keeps what is spent. This member expects the new limit
   * from then on; the others reject with `fleet_mismatch` until they do, too.
   * @throws StateUnavailableError when the store fails or does not answer in time; InvalidRequestError with the code `fleet_mismatch`
   * when other options were stated for the fleet.
   * @example
   * await fleet.initialize({ budget: { credits: 150_000 } })
   */
  initialize(changes?: FleetChanges): Promise<void>
  /**
   * Compares the balance of the client's key, from the free `account.me`, with the charges that the fleet knows for that key. What the balance shows
   * beyond them counts as spent: the cost of lost answers, and charges that the store has forgotten. After `state_lost` the fleet then goes on, if
   * the balance was read before the loss. Lost requests that were sent `maxChargeDelayMs` ago or earlier are available again; younger ones stay
   * `uncertain`, because the service may still charge them. If a process has ended, its requests count as sent until their lease ended. A fleet with
   * several keys compares each of them, with a client for each. If a process that used several keys has ended, what it was sending stays `uncertain`
   * until the window ends. Use it only if nobody else spends with the key. The first call with a key only records the balance, so call it from time
   * to time, and after every fail-over.
   * @param client a client of `createClient`
   * @returns what was proven; undefined when nothing was: requests were in flight, credits were added to the key, or it was the
   * first call with this key.
   * @throws StateUnavailableError when the store fails; the client's error when `account.me` does.
   */
  reconcile(client: FleetAccountReader): Promise<Reconciliation | undefined>
  /**
   * Leaves the fleet. Later calls of clients that use it are refused with the code `fleet_closed`. It waits until pending writes are done, for
   * `timeoutMs` at most. The connection stays open, because it is yours. Close the clients first.
   */
  close(): Promise<void>
}

export interface SharedBudget extends Budget {
  /** Resolves when everything known so far is written, or after the time limit of a command. */
  flush(): Promise<void>
}

/** Lets one of several processes buy an address. */
export interface SharedLease {
  /** Resolves with the addresses that this process may buy. Others are being bought by another process. */
  acquire(addresses: readonly string[], leaseMs: number): Promise<ReadonlySet<string>>
  release(addresses: readonly string[]): Promise<void>
}

/** What a client and a feed need of a fleet, and its users do not. */
export interface FleetInternals {
  readonly budget: SharedBudget
  /** Heavy calls of all members in flight at most. */
  readonly heavyConcurrency: number
  extendAdmission(local: LocalAdmissionControl): AdmissionControl
  readonly buyLease: SharedLease
}

/** Registered, because an application may load the ES module and the CommonJS copy of the package. */
const INTERNALS = Symbol.for('etn-market.fleet')

/** Adds the internals of a fleet. */
export function withFleetInternals<Made extends Fleet>(made: Made, internals: FleetInternals): Made {
  return Object.assign(made, { [INTERNALS]: () => internals })
}

/** The internals of a fleet; undefined for anything else. */
export function fleetInternalsOf(fleet: unknown): FleetInternals | undefined {
  return (Object(fleet) as { [INTERNALS]?: () => FleetInternals })[INTERNALS]?.()
}
