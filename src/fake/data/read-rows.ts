import { asCount, FakeUsageError, show } from '../rules/check-options.ts'
import type { Bucket } from '../rules/parse-query.ts'
import { type FakeCandle, secondsOf } from './candle.ts'
import { fromDecimal } from './decimal.ts'
import { MAX_PRICE, MIN_PRICE, readEntry, readList } from './read-fields.ts'
import type { Row } from './timeline.ts'

const NAMES = ['time', 'open', 'high', 'low', 'close', 'volume', 'count']

/** Reads rows of candles in the form of the route; `now` in unix seconds. */
export function readRows(bucket: Bucket, rows: readonly FakeCandle[], now: number): Row[] {
  const length = secondsOf(bucket)
  const seen = new Set<number>()
  return readList('rows', rows).map((entry, i) => {
    const path = `rows[${i}]`
    const field = readEntry(path, entry, NAMES)
    const time = asCount(`${path}.time`, field.any('time'))
    if (time % length !== 0) raise(`${path}.time is the start of a period of ${bucket}, not ${time}.`)
    if (seen.has(time)) raise(`${path}.time occurs twice: ${time}.`)
    if (time > now) raise(`${path}.time is in the future: ${time}.`)
    seen.add(time)
    const price = (name: string) => {
      const value = field.number(name, 0)
      if (value === 0) raise(`${path}.${name} is above 0, not ${show(value)}.`)
      return field.number(name, MIN_PRICE, MAX_PRICE)
    }
    const given = {
      time,
      open: price('open'),
      high: price('high'),
      low: price('low'),
      close: price('close'),
      volume: field.number('volume', 0),
      count: field.count('count'),
    }
    if (given.high < Math.max(given.open, given.close)) raise(`${path}.high is at least open and close.`)
    if (given.low > Math.min(given.open, given.close)) raise(`${path}.low is at most open and close.`)
    if (given.count === 0 && given.volume > 0) raise(`${path}.volume is 0 without trades.`)
    const { open, high, low, close, volume, count } = given
    const prices = { open: exact(open), high: exact(high), low: exact(low), close: exact(close) }
    return { from: time, until: time + length, ...prices, volume, count, given }
  })
}

/** A double as fixed point; its shortest decimal form is kept. */
function exact(value: number): bigint {
  const [digits = '0', exponent = '0'] = String(value).split('e')
  const [whole = '0', fraction = ''] = digits.split('.')
  const shift = Number(exponent)
  if (shift === 0) return fromDecimal(digits)
  const all = whole + fraction
  const point = whole.length + shift
  if (point <= 0) return fromDecimal(`0.${'0'.repeat(-point)}${all}`)
  return fromDecimal(`${all.padEnd(point, '0').slice(0, point)}.${all.slice(point)}`)
}

function raise(message: string): never {
  throw new FakeUsageError(message)
}
