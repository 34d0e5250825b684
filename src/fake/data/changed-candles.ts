import { type CandleRange, type FakeCandle, secondsOf } from './candle.ts'
import { toDecimal } from './decimal.ts'
import { type PriceEvent, priceEvents } from './price-events.ts'
import type { Prices } from './prices.ts'
import type { WorldToken } from './tokens.ts'

/** Candles of a range in which the user has changed prices, oldest first. */
export function changedCandles(prices: Prices, token: WorldToken, range: CandleRange): FakeCandle[] {
  const { bucket, currency, from, until, now, includeEmpty } = range
  const length = secondsOf(bucket)
  const events = priceEvents(prices, token, { from, until, length })
  const priceOf = ({ quote }: PriceEvent) => quote && (currency === 'USD' ? quote.usd : quote.etn)
  const candles: FakeCandle[] = []
  let last: bigint | undefined
  let next = 0
  for (let time = from; time <= until; time += length) {
    const own: PriceEvent[] = []
    for (; (events[next]?.time ?? Number.POSITIVE_INFINITY) < time + length; next++) {
      const event = events[next]
      if (event) own.push(event)
    }
    const opening = own.find((event) => event.time === time && event.count === 0)
    const prices = [opening ? priceOf(opening) : last, ...own.map(priceOf)].filter((price) => price !== undefined)
    if (own.length > 0) last = own.at(-1)?.quote === undefined ? undefined : prices.at(-1)
    const count = own.reduce((sum, event) => sum + event.count, 0)
    const isCurrent = now < time + length
    const [open] = prices
    if (open === undefined || (count === 0 && !includeEmpty && !isCurrent)) continue
    const volume = own.reduce((sum, event) => sum + (currency === 'USD' ? event.usdVolume : event.etnVolume), 0)
    const given = own.find(({ row }) => row && currency === 'USD' && isExactly(row, time, length))?.row
    if (given && !isCurrent) candles.push({ ...given.given })
    else candles.push({ time, ...extremesOf(prices), volume, count })
  }
  return candles
}

function isExactly(row: { from: number; until: number }, time: number, length: number): boolean {
  return row.from === time && row.until - row.from === length
}

function extremesOf(prices: bigint[]) {
  const number = (price: bigint | undefined) => Number(toDecimal(price ?? 0n))
  let [high, low] = [prices[0] ?? 0n, prices[0] ?? 0n]
  for (const price of prices) {
    if (price > high) high = price
    if (price < low) low = price
  }
  return { open: number(prices[0]), high: number(high), low: number(low), close: number(prices.at(-1)) }
}
