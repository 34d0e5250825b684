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
} from './api.ts'
export { type ChargeState, EtnMarketError, type Issue, isEtnMarketError } from './base.ts'
export { BudgetExceededError, StateUnavailableError } from './budget.ts'
export { InvalidLimitError, InvalidRequestError } from './input.ts'
