import { creditsLeft } from '../credits/budget-core.ts'
import type { ReservationDetails } from '../credits/budget-types.ts'
import { type BudgetExceededError, budgetExceeded } from '../errors/budget.ts'
import type { Background } from './background.ts'
import type { Command } from './command.ts'
import type { FleetKeys } from './keys.ts'
import type { Renewals } from './renewals.ts'
import type { View } from './view.ts'

/** What the parts of one member of a fleet share. */
export interface Member {
  readonly name: string
  /** Limit, length of a window and slots, as the scripts compare them. */
  readonly config: string
  readonly limit: number
  readonly slots: number
  readonly leaseMs: number
  readonly timeoutMs: number
  readonly maxChargeDelayMs: number
  readonly keys: FleetKeys
  readonly command: Command
  readonly view: View
  readonly renewals: Renewals
  readonly background: Background
  /** Names of the API keys that this member has sent with: none, the only one, or two of several. */
  readonly keysInUse: Set<string>
  /** Names what `confirm` is given: a key, or its name. */
  nameOf(key: string): string
  /** An id that no other member uses. */
  nextId(): string
  /** @throws EtnMarketError with the code `fleet_closed` */
  throwIfClosed(): void
  /** @throws when too few replicas have what was written */
  waitForReplicas(): Promise<void>
  /** The error of a call whose command failed. Errors of this library stay as they are. */
  toError(error: unknown, details?: ReservationDetails): unknown
}

/** The error of credits that do not fit. */
export function exceeded(
  { name, limit, view }: Member,
  needed: number,
  details: ReservationDetails | undefined,
): BudgetExceededError {
  const available = availableIn(limit, view)
  const { resetsAt } = view
  return budgetExceeded({ of: `budget of the fleet "${name}"`, limit, needed, available, resetsAt }, details)
}

export function availableIn(limit: number, { totals }: View): number {
  return creditsLeft(limit, totals)
}
