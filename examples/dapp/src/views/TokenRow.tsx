import type { Token } from 'etn-market'
import type { FeedPrice } from 'etn-market/feed'
import { useState } from 'react'
import { CostLink } from '../credits/Cost.tsx'
import { useMarket } from '../market.ts'
import { formatChange, formatCompactUsd, formatPrice, NONE } from '../parts/format.ts'
import { TokenName } from '../parts/TokenName.tsx'
import { queriesOf } from '../purchases.ts'
import { hrefOf } from '../router.ts'

export function TokenRow({ token, price }: { token: Token; price: FeedPrice | undefined }) {
  const { queries } = useMarket()
  const { address, symbol, name, totalSupply } = token
  const usd = price?.usd ?? null
  return (
    <tr>
      <th scope="row">
        <TokenName address={address} symbol={symbol} name={name} />
      </th>
      <td className="number" data-price={usd ?? ''}>
        {price === undefined ? <span className="bone bone-cell" /> : <LivePrice usd={usd} />}
      </td>
      <td className="number wide">{formatPrice(price?.etn, 'ETN')}</td>
      <td className="number wide">{usd === null ? NONE : formatCompactUsd(Number(usd) * totalSupply)}</td>
      <td className="number">
        <CostLink buys={queriesOf('candles', queries, address)} href={hrefOf('candles', address)} className="small">
          <span className="visually-hidden">{symbol} </span>Chart
        </CostLink>
      </td>
    </tr>
  )
}

/** A price that lights up when it changes, and how far it is from the first one. */
function LivePrice({ usd }: { usd: string | null }) {
  const [first] = useState(usd)
  const [last, setLast] = useState({ usd, direction: 'same' })
  if (last.usd !== usd) setLast({ usd, direction: Number(usd) >= Number(last.usd) ? 'up' : 'down' })
  if (usd === null) return <span className="hint">no price</span>
  const change = first === null || first === usd ? 0 : Number(usd) / Number(first) - 1
  return (
    <>
      <span key={usd} className={`tick tick-${last.direction}`}>
        {formatPrice(usd)}
      </span>
      <small className={change === 0 ? 'change' : change > 0 ? 'change up' : 'change down'}>
        {change === 0 ? '0%' : `${change > 0 ? '▲' : '▼'} ${formatChange(change)}`}
      </small>
    </>
  )
}
