import { useCreditMeter } from 'etn-market/react'
import { VISITOR_CREDITS } from '../../server/proxy-options.ts'
import { useMarket } from '../market.ts'
import { formatDistance, NONE } from '../parts/format.ts'
import { formatCredits, formatUsdOf } from './cost.ts'

const rounded = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })

/** What this visitor has spent, how fast, and when the credits are renewed. */
export function CreditMeter() {
  const { meter } = useMarket()
  const { charged, uncertain, remaining, creditsPerHour, resetsAt } = useCreditMeter(meter)
  return (
    <section className="panel meter" aria-labelledby="meter-title">
      <h2 id="meter-title">Credit meter</h2>
      <dl>
        <div>
          <dt>Spent</dt>
          <dd data-charged={charged}>
            {formatCredits(charged)} <small>{formatUsdOf(charged)}</small>
          </dd>
        </div>
        <div>
          <dt>Rate</dt>
          <dd>
            {creditsPerHour === undefined ? NONE : rounded.format(creditsPerHour)} <small>credits an hour</small>
          </dd>
        </div>
        <div>
          <dt>Renewed</dt>
          <dd>{resetsAt === undefined ? NONE : formatDistance(new Date(resetsAt))}</dd>
        </div>
        {uncertain > 0 && (
          <div>
            <dt>Perhaps</dt>
            <dd>{formatCredits(uncertain)} more: answers were lost</dd>
          </div>
        )}
      </dl>
      <meter
        min={0}
        max={VISITOR_CREDITS}
        low={VISITOR_CREDITS / 5}
        optimum={VISITOR_CREDITS}
        value={remaining ?? VISITOR_CREDITS}
        aria-label="Credits left today"
      />
      <p className="hint">
        {remaining === undefined ? 'Nothing spent yet' : `${rounded.format(remaining)} left today`}
      </p>
      <p className="visually-hidden" role="status">
        {charged > 0 && `${formatCredits(charged)} spent`}
      </p>
    </section>
  )
}
