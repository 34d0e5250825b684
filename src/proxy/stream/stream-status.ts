import { type Clock, monotonicNow } from '../../concurrency/clock.ts'
import { isShortOfCredits } from '../../feed/failures.ts'
import type { StreamReport, StreamState } from '../../feed/stream/stream-state.ts'
import type { HoldUp } from './feed-access.ts'
import type { PriceSource } from './price-source.ts'
import type { StreamVisitor } from './stream-visitor.ts'

export interface StreamConditions {
  readonly source: Pick<PriceSource, 'everyMs' | 'stretch' | 'isLate'>
  readonly visitor: Pick<StreamVisitor, 'brokeUntil'>
  readonly totalBrokeUntil: number | undefined
  readonly holdUp: HoldUp | undefined
  /** The factor by which the feed stretches intervals itself. */
  readonly feedStretch: number
}

/** A stretch that nobody notices is none. */
const MIN_STRETCH = 1.05

/** The status that a page receives: of several reasons, the one that lasts longest. */
export function reportOf(conditions: StreamConditions, clock: Clock): StreamReport {
  const { source, visitor, totalBrokeUntil, holdUp, feedStretch } = conditions
  const stretch = source.stretch * feedStretch
  const report = (state: StreamState, waitMs?: number): StreamReport => {
    const isKnown = waitMs !== undefined && waitMs < Number.POSITIVE_INFINITY
    return {
      state,
      everyMs: Math.round(source.everyMs * stretch),
      ...(isKnown && { waitMs: Math.max(0, Math.ceil(waitMs)) }),
    }
  }
  const brokeUntil = visitor.brokeUntil ?? totalBrokeUntil
  if (brokeUntil !== undefined) return report('out_of_credits', brokeUntil - monotonicNow(clock))
  if (holdUp) return report(stateOf(holdUp), holdUp.waitMs)
  if (stretch > MIN_STRETCH) return report('stretched')
  return report(source.isLate ? 'slow' : 'fine')
}

function stateOf({ error, isFinal }: HoldUp): StreamState {
  if (!isFinal) return 'upstream_down'
  return isShortOfCredits(error) ? 'out_of_credits' : 'refused'
}
