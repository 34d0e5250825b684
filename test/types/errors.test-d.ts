import type { ChargeState, OperationId, TokenPrice } from 'etn-market'
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
import type { Issue } from '../../src/errors/base.ts'

declare const error: unknown

test('an unknown value is narrowed by isEtnMarketError', () => {
  // @ts-expect-error it is not narrowed yet
  error.code
  if (!isEtnMarketError(error)) {
    expectTypeOf(error).toBeUnknown()
    return
  }
  expectTypeOf(error).toEqualTypeOf<EtnMarketError>()
  expectTypeOf(error.code).toEqualTypeOf<string>()
  expectTypeOf(error.operation).toEqualTypeOf<OperationId | 'request' | undefined>()
  expectTypeOf(error.attempts).toEqualTypeOf<number>()
  expectTypeOf(error.charge).toEqualTypeOf<ChargeState>()
  expectTypeOf(error.charge).toEqualTypeOf<'none' | 'charged' | 'unknown'>()
  expectTypeOf(error.credits).toEqualTypeOf<number>()
  expectTypeOf(error.status).toEqualTypeOf<number | undefined>()
  expectTypeOf(error.retryAfterMs).toEqualTypeOf<number | undefined>()
  expectTypeOf(error.issues).toEqualTypeOf<readonly Issue[] | undefined>()
  expectTypeOf(error.body).toBeUnknown()
  expectTypeOf(error.params).toBeUnknown()
  expectTypeOf(error.retryable).toEqualTypeOf<boolean>()
  expectTypeOf(error.shared).toEqualTypeOf<boolean | undefined>()
  expectTypeOf(error.requestIds).toEqualTypeOf<readonly string[] | undefined>()
  expectTypeOf(error.toJSON()).toEqualTypeOf<Record<string, unknown>>()
  // @ts-expect-error read only
  error.credits = 0
  // @ts-expect-error only some errors have it
  error.missing
})

test('instanceof narrows an error to the fields of its class', () => {
  if (error instanceof PartialBatchError) {
    expectTypeOf(error.prices).toEqualTypeOf<Readonly<Record<string, TokenPrice | null>>>()
    expectTypeOf(error.missing).toEqualTypeOf<readonly string[]>()
    expectTypeOf(error.errors).toEqualTypeOf<readonly EtnMarketError[]>()
  }
  if (error instanceof BudgetExceededError) {
    expectTypeOf(error.needed).toEqualTypeOf<number>()
    expectTypeOf(error.available).toEqualTypeOf<number>()
    expectTypeOf(error.resetsAt).toEqualTypeOf<number | undefined>()
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
