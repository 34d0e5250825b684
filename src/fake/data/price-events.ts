import { ONE } from './decimal.ts'
import { LEVELS, SLOT_LEVEL, SLOT_SECONDS } from './market.ts'
import type { Prices, Quote } from './prices.ts'
import { rowMinutes } from './row.ts'
import type { Span } from './span.ts'
import type { Piece, Row } from './timeline.ts'
import type { WorldToken } from './tokens.ts'

/** A moment at which a price may have changed, with the trades that happened. */
export interface PriceEvent {
  time: number
  /** `undefined` without a price. */
  quote: Quote | undefined
  count: number
  /** Volume in both currencies, as doubles. */
  etnVolume: number
  usdVolume: number
  /** A whole row as it was given, for buckets that are at least as long. */
  row?: Row
}

/** Everything that happened to the price of a token in a range whose ends are those of buckets of `length` seconds. */
export function priceEvents(prices: Prices, token: WorldToken, range: { from: number; until: number; length: number }) {
  const { from, until, length } = range
  const timeline = prices.timeline(token)
  const events = timeline.pieces(from, until).flatMap((piece) => eventsOfPiece(prices, token, piece, length))
  for (const trade of timeline.trades) {
    if (trade.time < from || trade.time > until) continue
    const quote = prices.ofUsd(trade.price, trade.time)
    const usdVolume = Number(trade.usd) / Number(ONE)
    events.push({
      time: trade.time,
      quote,
      count: 1,
      usdVolume,
      etnVolume: usdVolume / prices.rates.number(trade.time),
    })
  }
  // What holds at the end of a second comes after the trades of that second.
  return events.sort((a, b) => a.time - b.time || Number(b.count > 0) - Number(a.count > 0))
}

function eventsOfPiece(prices: Prices, token: WorldToken, piece: Piece, length: number): PriceEvent[] {
  const { segment, from, until } = piece
  if (segment.kind === 'none') return [still(from, undefined)]
  if (segment.kind === 'row') return eventsOfRow(prices, segment.row, piece, length)
  const events: PriceEvent[] = []
  const market = prices.market(token)
  let level = segment.kind === 'computed' ? market.priceAt(from) : 0
  const quoteAt = (time: number) => prices.ofSegment(token, segment, time, () => level)
  const [start, end] = segment.kind === 'fixed' && length >= SLOT_SECONDS ? wholeSlots(from, until) : [from, from]
  const fills = [...(from < start ? market.fills(from, start - 1) : []), ...market.fills(end, until)]
  if (start < end) {
    const periods = market.periods({ from: start, until: end - 1, level: SLOT_LEVEL, includeEmpty: false })
    events.push(...periods.map((period) => volumeOf(period, quoteAt(period.time))))
  }
  let next = 0
  for (const time of momentsOf(prices, piece, length)) {
    for (; (fills[next]?.time ?? Number.POSITIVE_INFINITY) < time; next++) takeFill(fills[next])
    events.push(still(time, quoteAt(time)))
  }
  for (; next < fills.length; next++) takeFill(fills[next])
  return events

  function volumeOf({ time, count, volume }: Span, quote: Quote | undefined): PriceEvent {
    const etnVolume = volume / 1e6
    return { time, quote, count, etnVolume, usdVolume: etnVolume * prices.rates.number(time) }
  }

  function takeFill(fill: (typeof fills)[number] | undefined): void {
    if (!fill) return
    level = fill.price
    const before = prices.timeline(token).forTrade(fill.time)
    const quote = prices.ofSegment(token, before, fill.time, () => fill.price)
    const etnVolume = fill.volume / 1e6
    events.push({ time: fill.time, quote, count: 1, etnVolume, usdVolume: etnVolume * prices.rates.number(fill.time) })
  }
}

/** The 15-minute periods that are whole within a range, the end exclusive. Their trades count together, at a constant price. */
function wholeSlots(from: number, until: number): [start: number, end: number] {
  const start = Math.ceil(from / SLOT_SECONDS) * SLOT_SECONDS
  const end = Math.floor((until + 1) / SLOT_SECONDS) * SLOT_SECONDS
  return start < end ? [start, end] : [from, from]
}

/**
 * The start and the end of a piece, and every moment in between at which a price without trades can turn. It turns with the
 * price of ETN too, because one of the two currencies is converted.
 */
function momentsOf(prices: Prices, piece: Piece, length: number): number[] {
  const moments = new Set<number>()
  const step = Math.min(length, SLOT_SECONDS)
  for (const { from, until, segment } of [piece, ...prices.rates.pieces(piece.from, piece.until)]) {
    moments.add(from)
    for (let time = Math.ceil(from / step) * step; time <= until; time += step) moments.add(time)
    if (segment.kind !== 'ramp') continue
    for (let time = Math.ceil((from + 1) / step) * step - 1; time <= until; time += step) moments.add(time)
    if (segment.until >= from && segment.until <= until) moments.add(segment.until)
    moments.add(until)
  }
  return [...moments].sort((a, b) => a - b)
}

function eventsOfRow(prices: Prices, row: Row, { from, until }: Piece, length: number): PriceEvent[] {
  const quoteAt = (usd: bigint) => prices.ofUsd(usd, row.from)
  const isWhole = row.until - row.from <= length && from === row.from
  const rate = prices.rates.number(row.from)
  if (isWhole) {
    const end = { count: row.count, usdVolume: row.volume, etnVolume: row.volume / rate, row }
    const path = [row.open, row.low, row.high].map((usd) => still(row.from, quoteAt(usd)))
    return [...path, { time: Math.min(until, row.until - 1), quote: quoteAt(row.close), ...end }]
  }
  return rowMinutes(row, from, until).flatMap(({ time, open, high, low, close, count, volume }) => [
    ...[open, low, high].map((usd) => still(time, quoteAt(usd))),
    {
      time: Math.min(time + 59, row.until - 1),
      quote: quoteAt(close),
      count,
      usdVolume: volume,
      etnVolume: volume / rate,
    },
  ])
}

function still(time: number, quote: Quote | undefined): PriceEvent {
  return { time, quote, count: 0, etnVolume: 0, usdVolume: 0 }
}

/** Length of a day in seconds. */
export const DAY_SECONDS = LEVELS[0]
