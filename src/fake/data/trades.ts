import { fixedPoint, ONE, toDecimal } from './decimal.ts'
import { dayOf, LEVELS, SLOT_SECONDS } from './market.ts'
import type { Quote } from './prices.ts'
import { hash, hex, wallet } from './random.ts'
import { type Piece, type Row, rowMinutes } from './timeline.ts'
import type { WorldToken } from './tokens.ts'
import type { Sources } from './world.ts'

const MAX_DAYS = 60
/** Trades added by hand come after the computed ones of the same second. */
const ADDED_ORDER = 1_000_000

interface Trade {
  token: WorldToken
  time: number
  /** Its position among the trades of the token. */
  order: number
  noise: number
  quote: Quote
  /** Value in both currencies, as fixed point. */
  usd: bigint
  etn: bigint
}

/** The trades of all tokens or of one, newest first. WETN is one side of every trade, so its trades are all trades. */
export function newestTrades(sources: Sources, query: { token: WorldToken | undefined; limit: number; now: number }) {
  const { tokens } = sources
  const { now, limit } = query
  const isForAll = query.token === undefined || query.token.key === tokens.wetn.key
  const asked = query.token === undefined || isForAll ? tokens.all(now) : [query.token]
  const traded = asked.filter((token) => token.key !== tokens.wetn.key)
  // All tokens together fill a page within minutes; a single token may need days.
  let step: number = isForAll ? SLOT_SECONDS : LEVELS[0]
  let found: Trade[] = []
  let until = now
  const oldest = (dayOf(now) - MAX_DAYS) * LEVELS[0]
  while (found.length < limit && until > oldest) {
    const from = until - step + 1
    found = found.concat(traded.flatMap((token) => tradesOf(sources, token, from, until)))
    until = from - 1
    step *= 2
  }
  found.sort((a, b) => b.time - a.time || b.order - a.order || a.token.index - b.token.index)
  return found.slice(0, limit).map((trade) => tradeBody(sources, trade))
}

function tradesOf({ prices, seed }: Sources, token: WorldToken, from: number, until: number): Trade[] {
  const timeline = prices.timelineOf(token)
  const inUsd = (time: number, order: number, noise: number, price: bigint, usd: bigint): Trade => {
    const quote = { usd: price, etn: prices.inEtn(price, time) }
    return { token, time, order, noise, quote, usd, etn: prices.inEtn(usd, time) }
  }
  const added = timeline.trades
    .filter(({ time }) => time >= from && time <= until)
    .map(({ time, id, price, usd }) => inUsd(time, ADDED_ORDER + id, hash(hash(seed, 42), token.index, id), price, usd))

  function ofRow(row: Row, { from, until }: Piece): Trade[] {
    const noise = hash(seed, 43)
    return rowMinutes(row, from, until).flatMap(({ time: minute, open, close, count, volume }) =>
      Array.from({ length: count }, (_, i) => {
        const time = minute + Math.floor(((i + 1) * 60) / (count + 1))
        const price = open + ((close - open) * BigInt(i + 1)) / BigInt(count)
        return inUsd(time, i, hash(noise, token.index, time, i), price, fixedPoint((volume / count).toFixed(12)))
      }).filter(({ time }) => time >= from && time <= until),
    )
  }

  function computed({ from, until }: Piece): Trade[] {
    return prices
      .market(token)
      .fills(from, until)
      .flatMap(({ time, volume, price }, order) => {
        // A change counts for later trades: those of its second have the price before.
        const quote = prices.ofSegment(token, timeline.at(time - 1), time, price)
        if (!quote) return []
        const etn = fixedPoint((volume / 1e6).toFixed(6))
        const noise = hash(hash(seed, 40), token.index, time, volume)
        return [{ token, time, order, noise, quote, etn, usd: (etn * prices.etnUsd(time)) / ONE }]
      })
  }

  const found = timeline.pieces(from, until).flatMap((piece) => {
    const { segment } = piece
    return segment.kind === 'none' ? [] : segment.kind === 'row' ? ofRow(segment.row, piece) : computed(piece)
  })
  return [...found, ...added]
}

function tradeBody({ seed, pools, tokens }: Sources, { token, time, noise, quote, usd, etn }: Trade) {
  const pool = pools.ofToken(token, noise % 2 === 0 ? 2 : 3)
  const amount = (etn * ONE) / quote.etn
  const isWetnFirst = pool.token0.key === tokens.wetn.key
  return {
    hash: `0x${hex(64, noise)}`,
    timestamp: time,
    pool: pool.address(),
    token0: pool.token0.address(),
    token1: pool.token1.address(),
    amount0: toDecimal(isWetnFirst ? etn : amount),
    amount1: toDecimal(isWetnFirst ? amount : etn),
    usd: toDecimal(usd),
    sender: wallet(hash(seed, 41, noise % 400)),
  }
}

/** The cursor after a page of trades; undefined after an empty one. */
export function cursorOf(page: readonly ReturnType<typeof tradeBody>[]): string | undefined {
  const oldest = page.at(-1)
  return oldest && `${oldest.timestamp}-${oldest.hash.slice(2, 10)}`
}
