import { plot } from 'asciichart'
import { scaleLinear, scaleUtc } from 'd3-scale'
import type { Candle } from 'etn-market'
import { formatPrice } from 'etn-market/format'
import type { Colors } from 'picocolors/types'
import { cleanLine } from '../utils/clean-line.ts'
import type { HostProcess } from './host.ts'
import { formatChange } from './output.ts'
import { widthOf } from './table.ts'

const CHART_ROWS = 12
const DEFAULT_COLUMNS = 80
const AXIS_WIDTH = 2
const MIN_WIDTH = 20

/** The closing prices as a line, with an axis, the times of both ends, and the highest and lowest price. */
export function formatChart(candles: readonly Candle[], host: HostProcess, colors: Colors): string[] {
  const [first, last] = [candles[0], candles.at(-1)]
  if (first === undefined || last === undefined) return ['No candles.']
  const columns = widthOf(host, DEFAULT_COLUMNS)
  const highest = candles.reduce((most, candle) => (candle.high > most.high ? candle : most))
  const lowest = candles.reduce((least, candle) => (candle.low < least.low ? candle : least))
  const change = first.open > 0 ? (100 * (last.close - first.open)) / first.open : null
  const closes = candles.map(({ close }) => close)
  const [bottom, range] = [Math.min(...closes), Math.max(...closes) - Math.min(...closes)]
  const format = formatBetween(bottom, bottom + range)
  const labels = Array.from({ length: CHART_ROWS + 1 }, (_, row) => `${format(bottom + (range * row) / CHART_ROWS)} `)
  const labelWidth = Math.max(...labels.map(({ length }) => length))
  const points = downsample(closes, Math.max(MIN_WIDTH, columns - labelWidth - AXIS_WIDTH))
  // In rows instead of prices: asciichart labels a flat series wrongly, and counts for ever in a range of 1e-16.
  const rows = points.map((close) => (range > 0 ? ((close - bottom) / range) * CHART_ROWS : 0))
  const labelOf = (row: number) => (labels[Math.round(row)] ?? '').padStart(labelWidth)
  const chart = plot(rows, {
    height: CHART_ROWS,
    min: 0,
    max: range > 0 ? CHART_ROWS : 0,
    offset: AXIS_WIDTH,
    format: labelOf,
  })
  const indent = ' '.repeat(labelWidth + AXIS_WIDTH)
  const [from, to] = [formatTime(first.time), formatTime(last.time)]
  const gap = Math.max(1, points.length - from.length - to.length)
  const high = `High ${format(highest.high)} ${formatTime(highest.time)}`
  const low = `Low ${format(lowest.low)} ${formatTime(lowest.time)}`
  const times = `${indent}${from}${' '.repeat(gap)}${to}`
  return [
    `Last ${format(last.close)} (${formatChange(change)})`,
    ...(high.length + low.length + 2 <= columns ? [`${high}  ${low}`] : [high, low]),
    '',
    ...chart.split('\n').map((line) => colors.cyan(line.trimEnd())),
    colors.dim(times.length <= columns ? times : `${from} to ${to}`),
  ]
}

/** Formats prices of a range with six digits, or as many more as tell them apart. */
function formatBetween(low: number, high: number): (price: number) => string {
  const apart = high > low ? Math.ceil(Math.log10(high / (high - low))) + 2 : 0
  return (price) => formatPrice(price, { symbol: '', digits: Math.min(17, Math.max(6, apart)) })
}

/** At most `count` points: the last one of each stretch, so that the newest stays. */
function downsample(values: readonly number[], count: number): number[] {
  if (values.length <= count) return [...values]
  return Array.from({ length: count }, (_, index) => values[Math.ceil(((index + 1) * values.length) / count) - 1] ?? 0)
}

function formatTime(seconds: number): string {
  return new Date(seconds * 1_000).toISOString().slice(0, 16).replace('T', ' ')
}

const WIDTH = 960
const HEIGHT = 480
const MARGIN = { top: 48, right: 88, bottom: 36, left: 16 }
const BODY = 0.7
const MAX_BODY = 14

/** Both colour schemes are in one file: the viewer's setting chooses. */
const STYLE = `
    svg { background: #ffffff; font: 12px system-ui, sans-serif }
    text { fill: #57606a } .title { fill: #1f2328; font-size: 15px; font-weight: 600 }
    .grid { stroke: #d8dee4 } .up { fill: #1a7f37; stroke: #1a7f37 } .down { fill: #cf222e; stroke: #cf222e }
    @media (prefers-color-scheme: dark) {
      svg { background: #0d1117 } text { fill: #8b949e } .title { fill: #e6edf3 }
      .grid { stroke: #30363d } .up { fill: #3fb950; stroke: #3fb950 } .down { fill: #f85149; stroke: #f85149 }
    }`

/** Candles as an SVG file with axes, for light and dark surroundings. */
export function toSvg(candles: readonly Candle[], title: string): string {
  const times = candles.map(({ time }) => time * 1_000)
  const [from = 0, to = 1] = [times[0], times.at(-1)]
  const slot = (WIDTH - MARGIN.left - MARGIN.right) / Math.max(1, candles.length)
  const x = scaleUtc()
    .domain([from, Math.max(to, from + 1)])
    .range([MARGIN.left + slot / 2, WIDTH - MARGIN.right - slot / 2])
  const low = candles.reduce((least, candle) => Math.min(least, candle.low), Number.POSITIVE_INFINITY)
  const high = candles.reduce((most, candle) => Math.max(most, candle.high), Number.NEGATIVE_INFINITY)
  const y = scaleLinear()
    .domain(candles.length === 0 ? [0, 1] : padded(low, high))
    .nice()
    .range([HEIGHT - MARGIN.bottom, MARGIN.top])
  const format = formatBetween(low, high)
  const width = Math.max(1, Math.min(MAX_BODY, slot * BODY))
  const formatTick = x.tickFormat(6)

  const prices = y.ticks(6).map((value) => {
    const at = round(y(value))
    return `<line class="grid" x1="${MARGIN.left}" x2="${WIDTH - MARGIN.right}" y1="${at}" y2="${at}"/><text x="${WIDTH - MARGIN.right + 8}" y="${at + 4}">${format(value)}</text>`
  })
  const dates = x
    .ticks(6)
    .map(
      (date) =>
        `<text x="${round(x(date))}" y="${HEIGHT - 12}" text-anchor="middle">${escapeXml(formatTick(date))}</text>`,
    )
  const bodies = candles.map((candle) => {
    const at = round(x(candle.time * 1_000))
    const [top, bottom] = [Math.max(candle.open, candle.close), Math.min(candle.open, candle.close)]
    const height = Math.max(1, round(y(bottom) - y(top)))
    const body = `<rect x="${round(at - width / 2)}" y="${round(y(top))}" width="${round(width)}" height="${height}"/>`
    return `<g class="${candle.close >= candle.open ? 'up' : 'down'}"><line x1="${at}" x2="${at}" y1="${round(y(candle.high))}" y2="${round(y(candle.low))}"/>${body}</g>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img">
  <title>${escapeXml(title)}</title>
  <style>${STYLE}
  </style>
  <text class="title" x="${MARGIN.left}" y="28">${escapeXml(title)}</text>
  ${[...prices, ...dates, ...bodies].join('\n  ')}
</svg>
`
}

/** One price alone still needs some room. */
function padded(low: number, high: number): [number, number] {
  const pad = high > low ? 0 : Math.abs(high) / 100 || 1
  return [low - pad, high + pad]
}

const round = (value: number) => Number(value.toFixed(1))

const ENTITIES: Readonly<Record<string, string>> = { '<': '&lt;', '>': '&gt;', '&': '&amp;', '"': '&quot;' }

function escapeXml(text: string): string {
  return cleanLine(text).replace(/[<>&"]/g, (character) => ENTITIES[character] ?? '')
}
