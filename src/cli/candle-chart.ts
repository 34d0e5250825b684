import { plot } from 'asciichart'
import type { Candle } from 'etn-market'
import type { HostProcess } from './host.ts'
import { type Colors, formatDecimal } from './output.ts'
import { formatChange } from './price-table.ts'
import { widthOf } from './table.ts'

const HEIGHT = 12
/** The axis between the labels and the line. */
const AXIS_WIDTH = 2
const MIN_WIDTH = 20

/** The closing prices as a line, with an axis, the times of both ends, and the highest and lowest price. */
export function formatChart(candles: readonly Candle[], columns: number, colors: Colors): string[] {
  const [first, last] = [candles[0], candles.at(-1)]
  if (first === undefined || last === undefined) return ['No candles.']
  const highest = candles.reduce((most, candle) => (candle.high > most.high ? candle : most))
  const lowest = candles.reduce((least, candle) => (candle.low < least.low ? candle : least))
  const change = first.open > 0 ? (100 * (last.close - first.open)) / first.open : null
  const closes = candles.map(({ close }) => close)
  const labelWidth = Math.max(...closes.map((close) => formatDecimal(close).length)) + 1
  const points = downsample(closes, Math.max(MIN_WIDTH, columns - labelWidth - AXIS_WIDTH))
  const format = (value: number) => `${formatDecimal(value)} `.padStart(labelWidth).slice(0, labelWidth)
  const chart = plot(points, { height: HEIGHT, offset: AXIS_WIDTH, format })
  const indent = ' '.repeat(labelWidth + AXIS_WIDTH)
  const [from, to] = [formatTime(first.time), formatTime(last.time)]
  const gap = Math.max(1, points.length - from.length - to.length)
  const high = `High ${formatDecimal(highest.high)} ${formatTime(highest.time)}`
  const low = `Low ${formatDecimal(lowest.low)} ${formatTime(lowest.time)}`
  const times = `${indent}${from}${' '.repeat(gap)}${to}`
  return [
    `Last ${formatDecimal(last.close)} (${formatChange(change)})`,
    ...(high.length + low.length + 2 <= columns ? [`${high}  ${low}`] : [high, low]),
    '',
    ...chart.split('\n').map((line) => colors.cyan(line.trimEnd())),
    colors.dim(times.length <= columns ? times : `${from} to ${to}`),
  ]
}

/** At most `count` points: the last one of each stretch, so that the newest stays. */
function downsample(values: readonly number[], count: number): number[] {
  if (values.length <= count) return [...values]
  return Array.from({ length: count }, (_, index) => values[Math.ceil(((index + 1) * values.length) / count) - 1] ?? 0)
}

/** Such as `2026-11-22 07:00`, in UTC. */
function formatTime(seconds: number): string {
  return new Date(seconds * 1_000).toISOString().slice(0, 16).replace('T', ' ')
}

/** The width of a chart: the terminal's, else 80 columns. */
export function chartWidth(host: Pick<HostProcess, 'stdout' | 'env'>): number {
  const width = widthOf(host)
  return Number.isFinite(width) ? width : DEFAULT_COLUMNS
}

const DEFAULT_COLUMNS = 80
