import type { Presale } from 'etn-market'
import { useId } from 'react'
import { formatDay, formatDistance, formatNumber } from '../parts/format.ts'
import { TokenName } from '../parts/TokenName.tsx'

export function PresaleCard({ presale: { pool, token, campaign } }: { presale: Presale }) {
  const id = useId()
  const raised = Number(campaign?.etnRaised ?? 0)
  const goal = Number(campaign?.minEtnToLaunch ?? 0)
  const starts = dateOf(campaign?.starts)
  const ends = dateOf(campaign?.ends)
  const hasStarted = starts !== undefined && starts.getTime() <= Date.now()
  const [event, date] = hasStarted ? ['Ends', ends] : ['Starts', starts]
  return (
    <li className="card presale">
      <h2>
        <TokenName address={pool} symbol={token.symbol} name={token.name} />
      </h2>
      {goal > 0 && (
        <div>
          <p id={id}>
            <strong>{formatNumber(raised)}</strong> of {formatNumber(goal)} ETN raised
          </p>
          <progress value={Math.min(raised, goal)} max={goal} aria-labelledby={id} />
        </div>
      )}
      <p className="hint">
        {date && `${pastTense(event ?? '', date)} ${formatDistance(date)}, ${formatDay(date)}`}
        <br />
        {campaign?.contributorCount ? `${formatNumber(campaign.contributorCount)} contributors` : 'No contributors'}
      </p>
    </li>
  )
}

const pastTense = (event: string, date: Date) => (date.getTime() < Date.now() ? event.replace(/s$/, 'ed') : event)

/** The contract knows that there are dates, not how they are written: seconds or a text. */
function dateOf(value: number | string | null | undefined): Date | undefined {
  if (value === null || value === undefined) return undefined
  const date = new Date(typeof value === 'number' ? value * 1_000 : value)
  return Number.isNaN(date.getTime()) ? undefined : date
}
