import { EtnMarketError } from '../errors/base.ts'
import type { CallEndedEvent } from '../events.ts'
import { sumTotals } from './charge-totals.ts'
import type { PaidResult } from './types.ts'

/** The event of a call that has settled; `failure` is what it rejects with. */
export function callEndEvent(
  call: Pick<CallEndedEvent, 'callId' | 'operation' | 'params' | 'durationMs'>,
  results: readonly PaidResult[],
  failure: unknown,
): CallEndedEvent {
  const { attempts, charge, credits } = sumTotals(results.map(({ paid }) => paid))
  const shared = results.some(({ isShared }) => isShared)
  const cached = results.some(({ answer }) => answer?.from === 'cache')
  const ended = { ...call, credits, charge, attempts, shared, cached }
  if (failure === undefined) return { type: 'call.succeeded', ...ended }
  const code = failure instanceof EtnMarketError ? failure.code : 'aborted'
  const errorName = failure instanceof Error ? failure.name : 'AbortError'
  return { type: 'call.failed', ...ended, code, errorName }
}
