import { Chart, LinearScale, TimeSeriesScale, Tooltip } from 'chart.js'
// The date adapter brings the axis of times.
import 'chartjs-adapter-luxon'
import { CandlestickController, CandlestickElement } from 'chartjs-chart-financial'
import type { Candle } from 'etn-market'
import { type CandleBucket, fillGaps, toOhlcv } from 'etn-market/candles'
import { formatPrice } from 'etn-market/format'

Chart.register(CandlestickController, CandlestickElement, LinearScale, TimeSeriesScale, Tooltip)

export function drawCandles(canvas: HTMLCanvasElement, candles: readonly Candle[], bucket: CandleBucket) {
  // From objects of other names it draws an empty axis.
  const data = toOhlcv(fillGaps(candles, bucket)).map(([x, o, h, l, c]) => ({ x, o, h, l, c }))
  return new Chart(canvas, {
    type: 'candlestick',
    data: { datasets: [{ label: 'USD', data }] },
    options: {
      animation: false,
      scales: { y: { ticks: { callback: (price) => formatPrice(price, { symbol: '' }) } } },
    },
  })
}
