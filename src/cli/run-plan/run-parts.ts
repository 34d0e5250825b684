import type { Client, Clock, EtnMarketError, StoredBudget } from 'etn-market'
import type { PriceFeed } from 'etn-market/feed'
import { isFinalForKey } from '../../errors/api.ts'
import type { NamedFile } from '../host.ts'
import type { PlanLine } from '../plan-line.ts'
import type { LineName, RunEvent } from './run-events.ts'
import type { RunState } from './run-state.ts'

/** What the lines of a running plan share. */
export interface RunParts {
  readonly client: Client
  readonly feed: PriceFeed
  readonly budget: StoredBudget
  readonly clock: Clock
  readonly state: RunState
  /** Aborted when the run is to end. What is in flight then is waited for. */
  readonly signal: AbortSignal
  /** A file beside the plan. */
  file(name: string): NamedFile
  emit(event: RunEvent): void
}

export const nameOf = (line: PlanLine): LineName => ({ operation: line.operation, for: line.purpose })

export const toIso = (ms: number): string => new Date(ms).toISOString()

/** Whether the run cannot go on: the key is refused, or has no credits left. */
export const isFinal = (error: EtnMarketError): boolean => isFinalForKey(error) || error.code === 'client_closed'

/** Whether the limit of the day does not allow a call. Nothing was sent. */
export const isOverLimit = (error: EtnMarketError): boolean => error.name === 'BudgetExceededError'
