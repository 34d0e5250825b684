import { isEtnMarketError } from 'etn-market'
import { useEffect, useState } from 'react'
import { CostButton } from '../credits/Cost.tsx'
import { type AnyQuery, formatCredits } from '../credits/cost.ts'
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
      {/* A button that is disabled would lose the focus when it becomes one. */}
      <CostButton buys={buys} aria-disabled={isWaiting} onClick={() => isWaiting || onRetry()}>
        {isWaiting && waitSeconds <= 60 ? `Try again in ${waitSeconds} s` : 'Try again'}
      </CostButton>
    </div>
  )
}

function describe(error: Error, retryAt: number): { title: string; text: string } {
  switch (isEtnMarketError(error) && error.code) {
    case 'visitor_budget_exceeded':
    case 'budget_exceeded': {
      const date = new Date(retryAt)
      return {
        title: 'Not enough credits left',
        text: `This click needs more than is left today. Your credits reset ${formatDistance(date)}, on ${formatMoment(date)}. What the page has loaded stays.`,
      }
    }
    case 'upstream_busy':
      return {
        title: 'The service is busy',
        text: 'It answers two of these calls at a time, for all its users together.',
      }
    case 'not_found':
      return { title: 'There is nothing at this address', text: 'Check that it is the address of a listed token.' }
  }
  if (isEtnMarketError(error) && error.name === 'ConnectionError')
    return { title: 'There is no connection', text: 'The page could not reach the proxy.' }
  return { title: 'That did not work', text: error.message }
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
