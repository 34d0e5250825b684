import type { Candle } from '../generated/types.ts'
import type { FilledCandle } from './ohlcv.ts'

const COLUMNS = ['open', 'high', 'low', 'close', 'volume', 'count'] as const
const HEADER = ['time', ...COLUMNS].join(',')
const NUMBER = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i

/** Candles as CSV, oldest first, with ISO times and all digits of each number. Of filled ones a last column says which were added. */
export function toCsv(candles: readonly (Candle | FilledCandle)[]): string {
  const lines = candles.map((candle) => {
    const cells = [toIsoTime(candle.time), ...COLUMNS.map((name) => toPlainNumber(candle[name]))]
    return ['filled' in candle ? [...cells, candle.filled] : cells].join(',')
  })
  const isFilled = candles.some((candle) => 'filled' in candle)
  return `${[isFilled ? `${HEADER},filled` : HEADER, ...lines].join('\n')}\n`
}

/** The candles of such a file. A last line that is torn is left out: the next purchase writes it again. */
export function parseCsv(text: string): Candle[] {
  const [header, ...lines] = text.replace(/^\ufeff/, '').split(/\r?\n/)
  if (header !== HEADER) throw new Error(`it is no CSV file with candles: line 1 must be ${HEADER}`)
  return lines.flatMap((line, index) => {
    if (line.trim() === '') return []
    const candle = parseLine(line)
    if (candle !== undefined) return [candle]
    if (index === lines.length - 1) return []
    throw new Error(`line ${index + 2} cannot be read: ${JSON.stringify(line.slice(0, 60))}. Mend or delete it`)
  })
}

function parseLine(line: string): Candle | undefined {
  const [time = '', ...cells] = line.split(',').map((cell) => cell.trim())
  const seconds = Date.parse(time) / 1_000
  // Other forms of a time are read in the time zone of the machine.
  if (!Number.isFinite(seconds) || toIsoTime(seconds) !== time) return undefined
  if (cells.length !== COLUMNS.length || !cells.every((cell) => NUMBER.test(cell))) return undefined
  const [open = 0, high = 0, low = 0, close = 0, volume = 0, count = 0] = cells.map(Number)
  return { time: seconds, open, high, low, close, volume, count }
}

/** Seconds since 1970 as `2026-11-22T07:00:00Z`. */
export function toIsoTime(seconds: number): string {
  return new Date(seconds * 1_000).toISOString().replace('.000Z', 'Z')
}

const PLAIN = new Intl.NumberFormat('en-US', { useGrouping: false, maximumSignificantDigits: 21 })

/** The shortest digits that are this number, without an exponent. */
export function toPlainNumber(number: number): string {
  return number === 0 ? '0' : PLAIN.format(number)
}
