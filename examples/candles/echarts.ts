import type { EChartsOption } from 'echarts'
import type { Candle } from 'etn-market'
import { type CandleBucket, fillGaps, toOhlcv } from 'etn-market/candles'
import { formatPrice } from 'etn-market/format'

/** The option of an ECharts chart: `chart.setOption(candleOption(candles, '1h'))`. */
export function candleOption(candles: readonly Candle[], bucket: CandleBucket): EChartsOption {
  return {
    xAxis: { type: 'time' },
    yAxis: { scale: true, axisLabel: { formatter: (price: number) => formatPrice(price, { symbol: '' }) } },
    // Its order is open, close, lowest, highest.
    series: [
      {
        type: 'candlestick',
        data: toOhlcv(fillGaps(candles, bucket)).map(([time, open, high, low, close]) => [
          time,
          open,
          close,
          low,
          high,
        ]),
      },
    ],
  }
}
