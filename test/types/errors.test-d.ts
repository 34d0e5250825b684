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
  // @ts-expect-error it is not narrowed yet
  error.code
  if (!isEtnMarketError(error)) {
    expectTypeOf(error).toBeUnknown()
    return
  }
  expectTypeOf(error).toEqualTypeOf<EtnMarketError>()
  expectTypeOf(error.charge).toEqualTypeOf<'none' | 'charged' | 'unknown'>()
  expectTypeOf(error.status).toEqualTypeOf<number | undefined>()
  // @ts-expect-error read only
  error.credits = 0
  // @ts-expect-error only some errors have it
  error.missing
})

test('instanceof narrows an error to the fields of its class', () => {
  if (error instanceof PartialBatchError) {
    expectTypeOf(error.missing).toEqualTypeOf<readonly string[]>()
  }
  if (error instanceof BudgetExceededError) {
    expectTypeOf(error.needed).toEqualTypeOf<number>()
    // @ts-expect-error only PartialBatchError has it
    error.prices
  }
  expectTypeOf<InvalidLimitError>().toExtend<InvalidRequestError>()
  expectTypeOf<RateLimitError>().toExtend<ApiError>()
  for (const Problem of [ApiError, ResponseError, TimeoutError, InvalidRequestError]) {
    expectTypeOf(Problem).instance.toExtend<EtnMarketError>()
    expectTypeOf(Problem).instance.toExtend<Error>()
  }
})
