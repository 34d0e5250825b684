import { useQuery } from '@tanstack/react-query'
import type { Presale } from 'etn-market'
import { useState } from 'react'
import { useMarket } from '../market.ts'
import { Empty, Loaded } from '../parts/Loaded.tsx'
import { ViewHeader } from '../parts/ViewHeader.tsx'
import { presalesQuery } from '../purchases.ts'
import { PresaleCard } from './PresaleCard.tsx'

const STATUS_NAMES: Readonly<Record<string, string>> = {
  ACTIVE: 'Active',
  PENDING: 'Upcoming',
  LAUNCHED: 'Launched',
  FAILED: 'Failed',
  CANCELLED: 'Cancelled',
}

/** Launchpad campaigns by their status. */
export function Presales() {
  const { queries } = useMarket()
  const query = presalesQuery(queries)
  const presales = useQuery(query)
  return (
    <>
      <ViewHeader title="Presales">Campaigns of the launchpad. All of them come in one answer.</ViewHeader>
      <Loaded query={presales} loading={{ of: 'presales', count: 8 }} buys={[query]}>
        {(list) => <ByStatus presales={list} />}
      </Loaded>
    </>
  )
}

function ByStatus({ presales }: { presales: readonly Presale[] }) {
  // Further statuses may come.
  const statuses = [...new Set([...Object.keys(STATUS_NAMES), ...presales.map(({ status }) => status)])]
  const [chosen, setChosen] = useState('ACTIVE')
  const shown = presales.filter(({ status }) => status === chosen)
  return (
    <>
      <fieldset className="switch">
        <legend>Status</legend>
        <div className="segments segments-many">
          {statuses.map((status) => (
            <button
              type="button"
              key={status}
              className="button"
              aria-pressed={status === chosen}
              onClick={() => setChosen(status)}
            >
              <span className="button-label">
                {STATUS_NAMES[status] ?? status}{' '}
                <span className="count">({presales.filter((presale) => presale.status === status).length})</span>
              </span>
            </button>
          ))}
        </div>
      </fieldset>
      {shown.length === 0 ? (
        <Empty title="No presale has this status">Choose another one.</Empty>
      ) : (
        <ul className="cards">
          {shown.map((presale) => (
            <PresaleCard key={presale.pool} presale={presale} />
          ))}
        </ul>
      )}
    </>
  )
}
