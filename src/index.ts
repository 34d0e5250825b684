/**
 * The client: each operation of the service as a typed method, with budgets, estimates of costs, errors and events.
 *
 * @module etn-market
 */

export type {
  ApiPromise,
  CallMeta,
  Method,
  OptionalMethod,
  PartialBatch,
  PriceBatchMethod,
  WithMeta,
} from './api-promise.ts'
export { type Client, createClient } from './client.ts'
export type { Clock } from './concurrency/clock.ts'
export {
  type Budget,
  type BudgetOptions,
  type BudgetStore,
  type BudgetTotals,
  createBudget,
  type MemoryBudget,
  type MemoryReservation,
  type Reconciliation,
  type Reservation,
  type ReservationDetails,
  type StoredBudget,
} from './credits/budget.ts'
export { type CostEstimate, creditsToUsd } from './credits/cost.ts'
export type { Duration } from './credits/duration.ts'
export { estimateCost, type NoParamsNeeded } from './credits/estimate.ts'
export { planCredits } from './credits/plan.ts'
export type {
  CreditPlan,
  PlanAdvice,
  PlannedCall,
  PlannedCost,
  PlannedInterval,
  PlannedSpending,
  PlanOptions,
} from './credits/plan-types.ts'
export type { CreditsReport } from './credits/usage.ts'
export type { CallName, ErrorDetails } from './errors/base.ts'
export {
  ApiError,
  AuthenticationError,
  BudgetExceededError,
  type ChargeState,
  ConnectionError,
  EtnMarketError,
  InsufficientCreditsError,
  InvalidLimitError,
  InvalidRequestError,
  type Issue,
  isEtnMarketError,
  NotFoundError,
  PartialBatchError,
  PermissionError,
  RateLimitError,
  ResponseError,
  ServerBusyError,
  ServiceError,
  StateUnavailableError,
  TimeoutError,
} from './errors/index.ts'
export type * from './events.ts'
export type { Fleet, FleetAccountReader, FleetCooldown, FleetStatus } from './fleet/types.ts'
export type { Methods } from './generated/methods.ts'
export { type OperationId, operations } from './generated/operations.ts'
export type * from './generated/types.ts'
export type {
  AddressRule,
  ChoiceRule,
  CreditCost,
  LimitRule,
  Operation,
  Param,
  ParamPlace,
  ParamRule,
} from './operations/operation.ts'
export type * from './options.ts'
export type { Sweep, SweepFailure, SweepOptions, SweepProgress, SweepResult, SweepSuccess } from './sweep-types.ts'
export { checksumAddress, isAddress } from './utils/address.ts'
export { toUnits, unlocksAt } from './utils/units.ts'
