import type { ApiPromise, CallMeta } from '../api-promise.ts'
import { type CallContext, call } from './call.ts'
import type { CallInput } from './call-input.ts'

/** One call, read as the data alone or with its cost. */
export function startCall(input: CallInput, context: CallContext): ApiPromise<unknown> {
  let readMeta: () => CallMeta
  const data = call(input, context, (read) => {
    readMeta = read
  })
  return Object.assign(data, { withMeta: () => data.then((value) => ({ data: value, meta: readMeta() })) })
}
