import { ChartLink } from '../credits/ChartLink.tsx'
import { useMarket } from '../market.ts'
import { Address } from '../parts/Address.tsx'
import { formatChange, formatCompactUsd, formatEtn, formatMoment, formatPrice, NONE } from '../parts/format.ts'
import { nameOf } from '../parts/names.tsx'
import { Sparkline } from '../prices/Sparkline.tsx'
import { trendOf } from '../prices/trend.ts'
import type { TokenFigures } from './token-figures.ts'

export function TokenRow({ figures: { token, price, points, change, value } }: { figures: TokenFigures }) {
  const market = useMarket()
  const { address } = token
  const symbol = nameOf(token.symbol, address)
  const isStale = price?.stale === true
  return (
    <tr className={isStale ? 'stale' : undefined}>
      <th scope="row">
        <ChartLink {...token} />
      </th>
      <td
        className="number"
        data-price={price?.usd ?? ''}
        title={isStale ? `Of ${formatMoment(new Date(price.at))}` : ''}
      >
        {price === undefined ? <span className="bone bone-cell" /> : <LivePrice usd={price.usd} points={points} />}
        {isStale && <span className="visually-hidden"> (old)</span>}
      </td>
      <td className="number">
        <Change of={change} />
      </td>
      <td className="trend">
        <Sparkline symbol={symbol} trend={trendOf(address, points, market)} />
      </td>
      <td className="number">{value === undefined ? NONE : formatCompactUsd(value)}</td>
      <td className="number">{formatEtn(price?.etn)}</td>
      <td className="number">
        <Address of={address} name={symbol} />
      </td>
    </tr>
  )
}

/** A price that lights up when it changes. */
function LivePrice({ usd, points }: { usd: string | null; points: TokenFigures['points'] }) {
  if (usd === null) return <span className="hint">no price</span>
  const [before, last] = points.slice(-2)
  const direction =
    before === undefined || last === undefined || last.usd === before.usd
      ? 'same'
      : last.usd > before.usd
        ? 'up'
        : 'down'
  return (
    <span key={usd} className={`tick tick-${direction}`}>
      {formatPrice(usd)}
    </span>
  )
}

function Change({ of: change }: { of: number | undefined }) {
  if (change === undefined) return NONE
  if (change === 0) return <span className="change">0%</span>
  return (
    <span className={change > 0 ? 'change up' : 'change down'}>
      {change > 0 ? '▲' : '▼'} {formatChange(Math.abs(change))}
    </span>
  )
}
