import type { AdmissionControl, LocalAdmissionControl } from '../concurrency/admission-types.ts'
import type { Budget } from '../credits/budget.ts'
import type { Fleet } from './types.ts'

/** A budget of several processes. */
export interface SharedBudget extends Budget {
  /** Resolves when everything known so far is written, or after the time limit of a command. */
  flush(): Promise<void>
}

/** Lets one of several processes buy an address. */
export interface SharedLease {
  /** Resolves with the addresses that this process may buy. Others are being bought by another process. */
  acquire(addresses: readonly string[], leaseMs: number): Promise<ReadonlySet<string>>
  /** Ends leases of this process. */
  release(addresses: readonly string[]): Promise<void>
}

/** What a client and a feed need of a fleet, and its users do not. */
export interface FleetInternals {
  readonly budget: SharedBudget
  /** Heavy calls of all members in flight at most. */
  readonly heavyConcurrency: number
  /** Adds the limits of the fleet to those of one client. */
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
  const isObject = typeof fleet === 'object' && fleet !== null
  return isObject ? (fleet as { [INTERNALS]?: () => FleetInternals })[INTERNALS]?.() : undefined
}
