import { EtnMarketError } from '../errors/base.ts'
import type { CallEndedEvent } from '../events.ts'
import { sumPaid } from './charge-totals.ts'
import type { PaidResult } from './types.ts'

/** The event of a call that has settled; `failure` is what it rejects with. */
export function callEndEvent(
  call: Pick<CallEndedEvent, 'callId' | 'operation' | 'params' | 'durationMs'>,
  results: readonly PaidResult[],
  failure: unknown,
): CallEndedEvent {
  const { callId, operation, params, durationMs } = call
  const { attempts, charge, credits } = sumPaid(results)
  const shared = results.some(({ isShared }) => isShared)
  const cached = results.some(({ answer }) => answer?.from === 'cache')
  // Written out: to spread them takes longer than all the rest.
  const ended = { callId, operation, params, durationMs, credits, charge, attempts, shared, cached }
  if (failure === undefined) return Object.assign(ended, { type: 'call.succeeded' as const })
  const code = failure instanceof EtnMarketError ? failure.code : 'aborted'
  const errorName = failure instanceof Error ? failure.name : 'AbortError'
  return Object.assign(ended, { type: 'call.failed' as const, code, errorName })
}
