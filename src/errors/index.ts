export {
  ApiError,
  AuthenticationError,
  InsufficientCreditsError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerBusyError,
  ServiceError,
} from './api.ts'
export { type ChargeState, EtnMarketError, type Issue, isEtnMarketError } from './base.ts'
export { PartialBatchError } from './batch.ts'
export { BudgetExceededError } from './budget.ts'
export { InvalidLimitError, InvalidRequestError } from './input.ts'
export { ConnectionError, TimeoutError } from './network.ts'
export { ResponseError } from './response.ts'
export { StateUnavailableError } from './state.ts'
