export { checksumAddress, isAddress } from './address.ts'
export { type Client, createClient } from './client.ts'
export type { Clock } from './clock.ts'
export type { CreditsReport } from './credits/account.ts'
export { type Budget, type BudgetOptions, createBudget, type Reservation } from './credits/budget.ts'
export { type CostEstimate, creditsToUsd } from './credits/cost.ts'
export { type CreditPlan, type PlannedCall, type PlannedCost, type PlanOptions, planCredits } from './credits/plan.ts'
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
  TimeoutError,
} from './errors/index.ts'
export { estimateCost } from './estimate.ts'
export type * from './events.ts'
export { type OperationId, operations } from './generated/operations.ts'
export type * from './generated/types.ts'
export type { ApiPromise, CallMeta, Method, OptionalMethod, PriceBatchMethod, WithMeta } from './method.ts'
export type { CreditCost, Operation, Param } from './operation.ts'
export type * from './options.ts'
export { toUnits, unlocksAt } from './units.ts'
