import type { Candle } from 'etn-market'
import { formatBeginning, formatCompact, formatPrice } from '../parts/format.ts'
import type { CandleChoice } from '../purchases.ts'

const ROWS = 20
const FIGURES = ['Open', 'High', 'Low', 'Close', 'Volume'] as const

/** The newest candles as text, for those who cannot see the chart. */
export function CandleTable({ rows, currency }: { rows: readonly Candle[]; currency: CandleChoice['currency'] }) {
  const price = (value: number) => formatPrice(value, currency)
  const newest = rows.slice(-ROWS).reverse()
  return (
    <details>
      <summary>The newest {newest.length} candles as a table</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: on a phone it scrolls, and nothing in it takes the focus */}
      <section className="table-scroll" aria-label="The newest candles" tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">Begins</th>
              {FIGURES.map((name) => (
                <th scope="col" className="number" key={name}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {newest.map(({ time, open, high, low, close, volume }) => (
              <tr key={time}>
                <th scope="row">{formatBeginning(new Date(time * 1_000))}</th>
                <td className="number">{price(open)}</td>
                <td className="number">{price(high)}</td>
                <td className="number">{price(low)}</td>
                <td className="number">{price(close)}</td>
                <td className="number">{formatCompact(volume)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </details>
  )
}
