import { useCreditMeter } from 'etn-market/react'
import { useMarket } from '../market.ts'
import { formatDistance, NONE } from '../parts/format.ts'
import { useBalance } from './balance.ts'
import { formatCredits, formatUsdOf } from './cost.ts'

const rounded = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })
const PANEL = 'credit-meter'
/** The share of the credits at which the bar warns. */
const LOW = 0.2

/** What this visitor has left, in one line; a press shows what was spent, how fast, and when the credits are renewed. */
export function CreditMeter() {
  const { meter, balance, visitorCredits } = useMarket()
  const { charged, uncertain, creditsPerHour, resetsAt } = useCreditMeter(meter)
  const remaining = useBalance(balance)
  // Until an answer says what is left, the bar has nothing to show: others may share the visitor's address.
  const share = Math.min(1, (remaining ?? 0) / visitorCredits)
  return (
    <>
      <button type="button" className="meter" popoverTarget={PANEL}>
        <span className="meter-bar">
          <span className={share < LOW ? 'meter-left low' : 'meter-left'} style={{ width: `${share * 100}%` }} />
        </span>
        <span className="meter-figure">
          <span className="meter-number" style={{ minWidth: `${rounded.format(visitorCredits).length}ch` }}>
            {remaining === undefined ? NONE : rounded.format(remaining)}
          </span>{' '}
          <span className="meter-unit">credits left</span>
        </span>
      </button>
      <section className="panel meter-panel" id={PANEL} popover="auto" aria-labelledby="meter-title">
        <h2 id="meter-title">Credit meter</h2>
        <dl>
          <div>
            <dt>Spent by your clicks</dt>
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
        <p className="hint">
          Live prices take nothing from these credits: they are bought once for everybody who looks at them.
        </p>
      </section>
      <p className="visually-hidden" role="status">
        {charged > 0 && `${formatCredits(charged)} spent`}
      </p>
    </>
  )
}
