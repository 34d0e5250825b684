/**
 * The client: each operation of the service as a typed method, with budgets, estimates of costs, errors and events.
 *
 * @module etn-market
 */

export type { ApiPromise, CallMeta, OperationTools, PartialBatch, WithMeta } from './client/api-promise.ts'
export { type Client, createClient } from './client/client.ts'
export type { ClientEvent } from './client/events.ts'
export type {
  AfterResponseHook,
  AttemptOutcome,
  BatchOptions,
  BeforeRequestHook,
  CacheOptions,
  CacheStore,
  CallOptions,
  ClientOptions,
  FetchLike,
  Hooks,
  HttpAttempt,
  Logger,
  RequestOptions,
  RetryOptions,
  Transport,
} from './client/options.ts'
export type { Sweep, SweepOptions, SweepProgress, SweepResult } from './client/sweep-types.ts'
export type { Clock } from './concurrency/clock.ts'
export {
  type Budget,
  type BudgetOptions,
  type BudgetStore,
  createBudget,
  type MemoryBudget,
  type Reservation,
  type StoredBudget,
} from './credits/budget.ts'
export { type CostEstimate, creditsToUsd, estimateCost } from './credits/cost.ts'
export type { CreditLimit } from './credits/credit-limit.ts'
export { type CreditPlan, type PlannedCall, planCredits } from './credits/plan.ts'
export type { CreditsReport } from './credits/usage.ts'
export {
  ApiError,
  AuthenticationError,
  ConnectionError,
  InsufficientCreditsError,
  NotFoundError,
  PartialBatchError,
  PermissionError,
  RateLimitError,
  ResponseError,
  ServerBusyError,
  ServiceError,
  TimeoutError,
} from './errors/api.ts'
export { type ChargeState, EtnMarketError, isEtnMarketError } from './errors/base.ts'
export { BudgetExceededError, StateUnavailableError } from './errors/budget.ts'
export { InvalidLimitError, InvalidRequestError } from './errors/input.ts'
export type { Fleet } from './fleet/fleet.ts'
export { type OperationId, operations } from './generated/operations.ts'
export type {
  Account,
  BalanceDocument,
  Candle,
  EtnPrice,
  Farm,
  LiquidityLock,
  NftAsset,
  NftCollection,
  NftCollectionDetails,
  NftCollectionTotals,
  NftStats,
  OpenApiDocument,
  OperationData,
  OperationParams,
  Pool,
  Presale,
  Token,
  TokenBalance,
  TokenDetails,
  TokenHistory,
  TokenPrice,
  Trade,
} from './generated/types.ts'
export { checksumAddress, isAddress } from './utils/address.ts'
export { toUnits, unlocksAt } from './utils/units.ts'
