import type { Candle } from 'etn-market'

/** The columns, in this order. */
const COLUMNS = ['open', 'high', 'low', 'close', 'volume', 'count'] as const
const HEADER = ['time', ...COLUMNS].join(',')

/** Candles as CSV, oldest first, with ISO times and all digits of each number. */
export function toCsv(candles: readonly Candle[]): string {
  const lines = candles.map((candle) =>
    [toIsoTime(candle.time), ...COLUMNS.map((name) => toPlainNumber(candle[name]))].join(','),
  )
  return `${[HEADER, ...lines].join('\n')}\n`
}

/** The candles of such a file; undefined if it is another one. A torn last line is left out. */
export function parseCsv(text: string): Candle[] | undefined {
  const [header, ...lines] = text.split(/\r?\n/)
  if (header !== HEADER) return undefined
  return lines.flatMap((line) => {
    const [time = '', ...cells] = line.split(',')
    const numbers = cells.map((cell) => (cell === '' ? Number.NaN : Number(cell)))
    const candle = { time: Date.parse(time) / 1_000, ...zip(numbers) }
    return cells.length === COLUMNS.length && Object.values(candle).every(Number.isFinite) ? [candle] : []
  })
}

/** Seconds since 1970 as `2026-11-22T07:00:00Z`. */
export function toIsoTime(seconds: number): string {
  return new Date(seconds * 1_000).toISOString().replace('.000Z', 'Z')
}

function zip(numbers: readonly number[]): Omit<Candle, 'time'> {
  const [open = 0, high = 0, low = 0, close = 0, volume = 0, count = 0] = numbers
  return { open, high, low, close, volume, count }
}

/** The shortest digits that are this number, without an exponent. */
export function toPlainNumber(number: number): string {
  const [, sign = '', whole = '', fraction = '', exponent] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(number)) ?? []
  if (exponent === undefined) return String(number)
  const point = whole.length + Number(exponent)
  const digits = whole + fraction
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`
  return point >= digits.length
    ? sign + digits.padEnd(point, '0')
    : `${sign}${digits.slice(0, point)}.${digits.slice(point)}`
}
