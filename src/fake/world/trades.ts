import { wallet } from './chain.ts'
import { fromDecimal, ONE, toDecimal } from './decimal.ts'
import { dayOf, type Fill, LEVELS, SLOT_SECONDS } from './market.ts'
import type { Pools } from './pools.ts'
import type { Prices } from './prices.ts'
import { hash, hex } from './random.ts'
import type { Tokens, WorldToken } from './tokens.ts'

/** How long it looks back for trades of a token that rarely trades. */
const MOST_DAYS = 60

/** What trades are made of. */
export interface TradeSources {
  seed: number
  tokens: Tokens
  prices: Prices
  pools: Pools
}

interface Found {
  token: WorldToken
  fill: Fill
  /** Which of the trades of its token's second it is. */
  order: number
}

/** The newest trades of all tokens or of one, newest first; WETN is on one side of every trade, so asking for it is asking for all. */
export function newestTrades(
  sources: TradeSources,
  ask: { token: WorldToken | undefined; limit: number; now: number },
) {
  const { tokens } = sources
  const all = ask.token === undefined || ask.token === tokens.wetn
  const asked = ask.token === undefined || all ? tokens.all : [ask.token]
  const traded = asked.filter((token) => token !== tokens.wetn && token.anchor !== null)
  // All tokens together fill a page within minutes, a quiet one alone may need days.
  let step: number = all ? SLOT_SECONDS : LEVELS[0]
  let found: Found[] = []
  let until = ask.now
  const oldest = (dayOf(ask.now) - MOST_DAYS) * LEVELS[0]
  while (found.length < ask.limit && until > oldest) {
    const from = until - step + 1
    found = found.concat(traded.flatMap((token) => fillsOf(sources, token, from, until)))
    until = from - 1
    step *= 2
  }
  found.sort((a, b) => b.fill.time - a.fill.time || b.order - a.order || a.token.index - b.token.index)
  return found.slice(0, ask.limit).map((one) => tradeBody(sources, one))
}

function fillsOf({ prices }: TradeSources, token: WorldToken, from: number, until: number): Found[] {
  return prices
    .market(token)
    .fills(from, until)
    .map((fill, order) => ({ token, fill, order }))
}

function tradeBody({ seed, prices, pools, tokens }: TradeSources, { token, fill }: Found) {
  const noise = hash(hash(seed, 40), token.index, fill.time, fill.volume)
  const pool = pools.ofToken(token, noise % 2 === 0 ? 2 : 3)
  const etn = fromDecimal((fill.volume / 1e6).toFixed(6))
  const amount = (etn * ONE) / prices.quote(token, fill.price, fill.time, 'ETN')
  const wetnFirst = pool.token0 === tokens.wetn
  return {
    hash: `0x${hex(64, noise)}`,
    timestamp: fill.time,
    pool: pool.address(),
    token0: pool.token0.address(),
    token1: pool.token1.address(),
    amount0: toDecimal(wetnFirst ? etn : amount),
    amount1: toDecimal(wetnFirst ? amount : etn),
    usd: toDecimal((etn * prices.etnUsd(fill.time)) / ONE),
    sender: wallet(hash(seed, 41, noise % 400)),
  }
}
