import type { Row } from './timeline.ts'

/** A minute of a row: its prices and its part of the trades. */
export interface RowMinute {
  time: number
  open: bigint
  high: bigint
  low: bigint
  close: bigint
  count: number
  volume: number
}

/** The price inside a row: straight lines from its open to its low and its high, and to its close. */
export function rowPriceAt(row: Row, time: number): bigint {
  const knots = knotsOf(row)
  for (const [i, { at, price }] of knots.entries()) {
    const next = knots[i + 1]
    if (next === undefined || time >= next.at) continue
    return price + ((next.price - price) * BigInt(Math.max(0, time - at))) / BigInt(next.at - at)
  }
  return row.close
}

/** The minutes of a row within a range, both ends included. */
export function rowMinutes(row: Row, from: number, until: number): RowMinute[] {
  const exact = (row.until - row.from) / 60
  const minutes = Math.ceil(exact)
  const first = Math.max(0, Math.floor((from - row.from) / 60))
  const last = Math.min(minutes - 1, Math.floor((until - row.from) / 60))
  const knots = knotsOf(row)
  const doneBy = (minute: number) => Math.floor((row.count * Math.min(minute, exact)) / exact)
  const found: RowMinute[] = []
  for (let i = first; i <= last; i++) {
    const time = row.from + i * 60
    const ends = knots.filter(({ at }) => at >= time && at <= time + 60).map(({ price }) => price)
    const [open, close] = [rowPriceAt(row, time), rowPriceAt(row, Math.min(time + 60, row.until))]
    const all = [open, close, ...ends]
    const count = doneBy(i + 1) - doneBy(i)
    found.push({
      time,
      open,
      close,
      high: all.reduce((a, b) => (a > b ? a : b)),
      low: all.reduce((a, b) => (a < b ? a : b)),
      count,
      volume: row.count === 0 ? 0 : (row.volume * count) / row.count,
    })
  }
  return found
}

function knotsOf({ from, until, open, high, low, close }: Row): { at: number; price: bigint }[] {
  const third = Math.floor((until - from) / 3)
  const [first, second] = close >= open ? [low, high] : [high, low]
  return [
    { at: from, price: open },
    { at: from + third, price: first },
    { at: until - third, price: second },
    { at: until, price: close },
  ]
}
