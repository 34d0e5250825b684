import type { Candle } from 'etn-market'
import { formatCompact, formatMoment, formatPrice } from '../parts/format.ts'
import type { CandleChoice } from '../purchases.ts'

const ROWS = 20

/** The newest candles as text, for those who cannot see the chart. */
export function CandleTable({ rows, currency }: { rows: readonly Candle[]; currency: CandleChoice['currency'] }) {
  const price = (value: number) => formatPrice(value, currency)
  return (
    <details>
      <summary>The newest {Math.min(ROWS, rows.length)} candles as a table</summary>
      <table className="small-table">
        <thead>
          <tr>
            <th scope="col">Begins</th>
            <th scope="col" className="number wide">
              Open
            </th>
            <th scope="col" className="number">
              High
            </th>
            <th scope="col" className="number">
              Low
            </th>
            <th scope="col" className="number">
              Close
            </th>
            <th scope="col" className="number wide">
              Volume
            </th>
          </tr>
        </thead>
        <tbody>
          {rows
            .slice(-ROWS)
            .reverse()
            .map(({ time, open, high, low, close, volume }) => (
              <tr key={time}>
                <th scope="row">{formatMoment(new Date(time * 1_000))}</th>
                <td className="number wide">{price(open)}</td>
                <td className="number">{price(high)}</td>
                <td className="number">{price(low)}</td>
                <td className="number">{price(close)}</td>
                <td className="number wide">{formatCompact(volume)}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </details>
  )
}
