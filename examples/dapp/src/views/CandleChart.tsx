import type { Candle } from 'etn-market'
import {
  CandlestickSeries,
  ColorType,
  createChart,
  HistogramSeries,
  type IChartApi,
  type ISeriesApi,
  type UTCTimestamp,
} from 'lightweight-charts'
import { useEffect, useRef } from 'react'
import { formatPrice } from '../parts/format.ts'
import { useTheme } from '../parts/theme.tsx'
import type { CandleChoice } from '../purchases.ts'

interface Parts {
  readonly chart: IChartApi
  readonly candles: ISeriesApi<'Candlestick'>
  readonly volume: ISeriesApi<'Histogram'>
}

/** Where the volume begins, as a part of the height. */
const VOLUME_TOP = 0.82

interface CandleChartProps {
  rows: readonly Candle[]
  /** The newest candle with the live price, in the place of the last row or after it. */
  live: Candle | undefined
  currency: CandleChoice['currency']
}

/** Candles and volume by lightweight-charts, in the colours of the page. */
export function CandleChart({ rows, live, currency }: CandleChartProps) {
  const container = useRef<HTMLDivElement>(null)
  const parts = useRef<Parts>(null)
  const theme = useTheme()

  useEffect(() => {
    if (container.current === null) return
    const created = createParts(container.current)
    parts.current = created
    return () => {
      parts.current = null
      created.chart.remove()
    }
  }, [])

  // biome-ignore lint/correctness/useExhaustiveDependencies: the theme changes the colours that are read
  useEffect(() => {
    if (parts.current) setColors(parts.current)
  }, [theme])

  useEffect(() => {
    if (parts.current) setRows(parts.current, rows, currency)
  }, [rows, currency])

  // Of its own, so that a price does not reset what the reader has zoomed to.
  // biome-ignore lint/correctness/useExhaustiveDependencies: new rows have taken the place of the candle
  useEffect(() => {
    if (live) parts.current?.candles.update({ ...live, time: live.time as UTCTimestamp })
  }, [live?.time, live?.close, rows, currency])

  return <div className="chart-area" ref={container} />
}

function createParts(container: HTMLElement): Parts {
  const chart = createChart(container, {
    autoSize: true,
    layout: { fontFamily: 'inherit' },
    timeScale: { timeVisible: true, borderVisible: false },
    rightPriceScale: { borderVisible: false, entireTextOnly: true },
    handleScroll: { mouseWheel: false },
    handleScale: { mouseWheel: false },
  })
  const candles = chart.addSeries(CandlestickSeries, { borderVisible: false })
  const volume = chart.addSeries(HistogramSeries, {
    priceScaleId: '',
    priceFormat: { type: 'volume' },
    lastValueVisible: false,
    priceLineVisible: false,
  })
  candles.priceScale().applyOptions({ scaleMargins: { top: 0.06, bottom: 1 - VOLUME_TOP + 0.04 } })
  volume.priceScale().applyOptions({ scaleMargins: { top: VOLUME_TOP, bottom: 0 } })
  return { chart, candles, volume }
}

function setColors({ chart, candles, volume }: Parts): void {
  const style = getComputedStyle(document.documentElement)
  const color = (name: string) => style.getPropertyValue(`--${name}`).trim()
  chart.applyOptions({
    layout: { textColor: color('muted'), background: { type: ColorType.Solid, color: color('surface') } },
    grid: { vertLines: { color: color('line-soft') }, horzLines: { color: color('line-soft') } },
  })
  const [up, down] = [color('candle-up'), color('candle-down')]
  candles.applyOptions({ upColor: up, wickUpColor: up, downColor: down, wickDownColor: down })
  volume.applyOptions({ color: color('line') })
}

function setRows({ chart, candles, volume }: Parts, rows: readonly Candle[], currency: CandleChoice['currency']): void {
  const close = rows.at(-1)?.close ?? 1
  candles.applyOptions({
    // The smallest step is a hundred-thousandth of the price, however small that is.
    priceFormat: {
      type: 'custom',
      minMove: 10 ** (Math.floor(Math.log10(close)) - 5),
      formatter: (price: number) => formatPrice(price, currency),
    },
  })
  candles.setData(rows.map((row) => ({ ...row, time: row.time as UTCTimestamp })))
  volume.setData(rows.map((row) => ({ time: row.time as UTCTimestamp, value: row.volume })))
  chart.timeScale().fitContent()
}
