import type { Candle } from 'etn-market'
import { type CandleBucket, fillGaps } from 'etn-market/candles'
import { formatPrice } from 'etn-market/format'
import { CandlestickSeries, createChart, type UTCTimestamp } from 'lightweight-charts'

/** Draws candles of any price. */
export function drawCandles(container: HTMLElement, candles: readonly Candle[], bucket: CandleBucket) {
  const chart = createChart(container, { autoSize: true, timeScale: { timeVisible: bucket !== '1d' } })
  const highest = Math.max(...candles.map(({ high }) => high))
  const series = chart.addSeries(CandlestickSeries, {
    priceFormat: {
      type: 'custom',
      // A step of the price axis. The default, 0.01, would draw small prices as one line.
      minMove: Math.max(1e-12, 10 ** (Math.floor(Math.log10(highest)) - 4)),
      formatter: (price: number) => formatPrice(price, { symbol: '' }),
    },
  })
  // Ascending, each time once: it draws anything else without an error, and wrongly.
  series.setData(fillGaps(candles, bucket).map((candle) => ({ ...candle, time: candle.time as UTCTimestamp })))
  chart.timeScale().fitContent()
  return { chart, series }
}
