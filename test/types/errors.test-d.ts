import type { ChargeState, Issue, OperationId, TokenPrice } from 'etn-market'
import {
  ApiError,
  BudgetExceededError,
  type EtnMarketError,
  type InvalidLimitError,
  InvalidRequestError,
  isEtnMarketError,
  PartialBatchError,
  type RateLimitError,
  ResponseError,
  TimeoutError,
} from 'etn-market'
import { expectTypeOf, test } from 'vitest'

declare const error: unknown

test('an unknown value is narrowed by isEtnMarketError', () => {
  // @ts-expect-error nothing is known of it yet
  error.code
  if (!isEtnMarketError(error)) {
    expectTypeOf(error).toBeUnknown()
    return
  }
  expectTypeOf(error).toEqualTypeOf<EtnMarketError>()
  expectTypeOf(error.code).toEqualTypeOf<string>()
  expectTypeOf(error.operation).toEqualTypeOf<OperationId | undefined>()
  expectTypeOf(error.attempts).toEqualTypeOf<number>()
  expectTypeOf(error.charge).toEqualTypeOf<ChargeState>()
  expectTypeOf(error.charge).toEqualTypeOf<'none' | 'charged' | 'unknown'>()
  expectTypeOf(error.credits).toEqualTypeOf<number>()
  expectTypeOf(error.status).toEqualTypeOf<number | undefined>()
  expectTypeOf(error.retryAfterMs).toEqualTypeOf<number | undefined>()
  expectTypeOf(error.issues).toEqualTypeOf<readonly Issue[] | undefined>()
  expectTypeOf(error.body).toBeUnknown()
  // @ts-expect-error what was charged is not to be changed
  error.credits = 0
  // @ts-expect-error only some errors have it
  error.missing
})

test('by class', () => {
  if (error instanceof PartialBatchError) {
    expectTypeOf(error.prices).toEqualTypeOf<Readonly<Record<string, TokenPrice | null>>>()
    expectTypeOf(error.missing).toEqualTypeOf<readonly string[]>()
    expectTypeOf(error.errors).toEqualTypeOf<readonly EtnMarketError[]>()
  }
  if (error instanceof BudgetExceededError) {
    expectTypeOf(error.needed).toEqualTypeOf<number>()
    expectTypeOf(error.available).toEqualTypeOf<number>()
    expectTypeOf(error.resetsAt).toEqualTypeOf<number | undefined>()
    // @ts-expect-error it is no partial batch
    error.prices
  }
  expectTypeOf<InvalidLimitError>().toExtend<InvalidRequestError>()
  expectTypeOf<RateLimitError>().toExtend<ApiError>()
  for (const Problem of [ApiError, ResponseError, TimeoutError, InvalidRequestError]) {
    expectTypeOf(Problem).instance.toExtend<EtnMarketError>()
    expectTypeOf(Problem).instance.toExtend<Error>()
  }
})
