import { formatPrice, formatSpan } from '../parts/format.ts'
import type { Trend } from './trend.ts'

const WIDTH = 96
const HEIGHT = 28
/** Half the width of the line, so that it is not cut. */
const EDGE = 1.5

/** The course of a price as a line, with how far back it reaches. */
export function Sparkline({ symbol, trend: { points, isOfCandles } }: { symbol: string; trend: Trend }) {
  const [first, last] = [points[0], points.at(-1)]
  if (first === undefined || last === undefined) return <span className="bone bone-cell" />
  const span = formatSpan(last.at - first.at)
  const label =
    points.length === 1
      ? `${symbol}: one price so far`
      : `${symbol}: from ${formatPrice(first.usd)} to ${formatPrice(last.usd)} in ${span}`
  return (
    <span className="sparkline">
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        className={last.usd === first.usd ? 'level' : last.usd < first.usd ? 'down' : 'up'}
        role="img"
        aria-label={label}
      >
        <title>{label}</title>
        <path d={pathOf(points.map(({ usd }) => usd))} />
      </svg>
      {isOfCandles && <small className="period">{span}</small>}
    </span>
  )
}

function pathOf(prices: readonly number[]): string {
  const [low, high] = [Math.min(...prices), Math.max(...prices)]
  const y = (price: number) =>
    high === low ? HEIGHT / 2 : EDGE + ((high - price) / (high - low)) * (HEIGHT - 2 * EDGE)
  // A single price is a level line.
  const shown = prices.length === 1 ? [...prices, ...prices] : prices
  const step = WIDTH / (shown.length - 1)
  return shown
    .map((price, index) => `${index === 0 ? 'M' : 'L'}${(index * step).toFixed(1)} ${y(price).toFixed(1)}`)
    .join('')
}
