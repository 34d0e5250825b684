import { type EtnMarketError, isEtnMarketError, operations } from 'etn-market'
import { useEffect, useState } from 'react'
import { CostButton } from '../credits/Cost.tsx'
import { type AnyQuery, formatCredits } from '../credits/cost.ts'
import { hrefOf } from '../router.ts'
import { formatDistance, formatMoment } from './format.ts'

interface FailureProps {
  error: Error
  /** What another attempt buys. */
  buys: readonly AnyQuery[]
  onRetry: () => void
}

/** Why there is no data, what it cost, and when it makes sense to ask again. */
export function Failure({ error, buys, onRetry }: FailureProps) {
  const retryAt = useRetryTime(error)
  const waitSeconds = useSecondsUntil(retryAt)
  const { title, text } = describe(error, retryAt)
  const isWaiting = waitSeconds > 0
  return (
    <div className="card notice notice-error" role="alert">
      <h2>{title}</h2>
      <p>{text}</p>
      <p className="hint">{chargeOf(error)}</p>
      {isFinal(error) ? (
        <p>
          <a href={hrefOf('tokens')}>See the listed tokens</a>
        </p>
      ) : (
        // A button that is disabled would lose the focus when it becomes one.
        <CostButton buys={buys} aria-disabled={isWaiting} onClick={() => isWaiting || onRetry()}>
          {isWaiting && waitSeconds <= 60 ? `Try again in ${waitSeconds} s` : 'Try again'}
        </CostButton>
      )}
    </div>
  )
}

/** Whether the same question gets the same answer: nobody should pay for another attempt. */
export const isFinal = (error: Error) =>
  isEtnMarketError(error) &&
  (error.name === 'InvalidRequestError' || error.code === 'not_found' || error.code === 'not_allowed')

function describe(error: Error, retryAt: number): { title: string; text: string } {
  switch (isEtnMarketError(error) && error.code) {
    case 'visitor_budget_exceeded':
      return {
        title: 'Not enough credits left',
        text: `This click needs more than is left today. Your credits reset ${moment(retryAt)}. What the page has loaded stays.`,
      }
    case 'budget_exceeded':
      return {
        title: 'Today’s credits are used up',
        text: `All visitors together have spent them. They reset ${moment(retryAt)}. What the page has loaded stays.`,
      }
    case 'upstream_busy':
      return {
        title: 'The service is busy',
        text:
          isEtnMarketError(error) && isHeavy(error)
            ? 'It answers two of these calls at a time, for all its users together.'
            : 'Many people are asking at this moment.',
      }
    case 'too_many_requests':
      return { title: 'That was a little fast', text: 'Wait a moment between your clicks.' }
    case 'not_found':
      return { title: 'There is nothing at this address', text: 'Check that it is the address of a listed token.' }
    case 'not_allowed':
      return { title: 'This is not shown here', text: 'The page shows listed tokens only.' }
    case 'upstream_refused':
    case 'insufficient_credits':
      return {
        title: 'This page is out of credits',
        text: 'The service refuses its calls until its operator renews them. What the page has loaded stays.',
      }
    case 'upstream_timeout':
    case 'attempt_timeout':
    case 'deadline_exceeded':
      return { title: 'The answer takes too long', text: 'The service is slow at this moment.' }
  }
  if (isEtnMarketError(error) && error.name === 'ConnectionError')
    return { title: 'There is no connection', text: 'Check that you are online. What the page has loaded stays.' }
  if (isEtnMarketError(error) && error.name === 'InvalidRequestError')
    return { title: 'That is not an address', text: 'An address has 0x and 40 hex digits. Copy it again.' }
  return { title: 'That did not work', text: 'The service had a problem. Another attempt usually helps.' }
}

/** "in 3 hours, on Nov 23, 2026, 9:00 AM" */
const moment = (time: number) => `${formatDistance(new Date(time))}, on ${formatMoment(new Date(time))}`

/** Whether the call occupies one of the two slots of the service. */
function isHeavy({ operation }: EtnMarketError): boolean {
  return operation !== undefined && operation !== 'request' && 'heavy' in operations[operation]
}

function chargeOf(error: Error): string {
  if (!isEtnMarketError(error)) return ''
  if (error.charge === 'unknown') return 'The answer was lost, so it may have been charged.'
  return error.credits === 0 ? 'Nothing was charged.' : `${formatCredits(error.credits)} were charged.`
}

/** When the service accepts another attempt, unix milliseconds. */
function useRetryTime(error: Error): number {
  const retryAfterMs = (isEtnMarketError(error) && error.retryAfterMs) || 0
  const [times] = useState(() => new WeakMap<Error, number>())
  const at = times.get(error) ?? Date.now() + retryAfterMs
  times.set(error, at)
  return at
}

function useSecondsUntil(time: number): number {
  const [now, setNow] = useState(Date.now)
  const isOver = now >= time
  useEffect(() => {
    if (isOver) return
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [isOver])
  return Math.max(0, Math.ceil((time - now) / 1_000))
}
