import type { ApiPromise } from '../api-promise.ts'
import { COPY_WITH, EtnMarketError } from '../errors/base.ts'
import type { Redactor } from '../errors/redact.ts'
import { type CallContext, type CallResult, call } from './call.ts'
import { appendCallerFrames } from './call-errors.ts'
import type { CallInput } from './call-input.ts'

/**
 * One call, read as the data alone or with its cost. Each promise has one reader, because engines follow only such a chain to the
 * caller's own line in the stack of an error.
 */
export function startCall(
  input: CallInput,
  context: CallContext,
  redactor: Redactor,
  live: Set<Promise<unknown>>,
): ApiPromise<unknown> {
  let result: CallResult
  const run = async () => {
    try {
      result = await call(input, context)
      return result.data
    } catch (error) {
      if (!(error instanceof EtnMarketError)) throw error
      const { operation, params } = input
      const isComplete = error.operation !== undefined && error.params !== undefined
      const complete = isComplete ? error : error[COPY_WITH]({ operation, params })
      throw redactor.error(appendCallerFrames(complete))
    } finally {
      live.delete(data)
    }
  }
  const data = run()
  live.add(data)
  return Object.assign(data, {
    withMeta: () => data.then(() => ({ data: result.data, meta: result.readMeta() })),
  })
}
