import type { Currency } from '../check.ts'
import { fromDecimal, ONE, toDecimal } from './decimal.ts'
import { createMarket, type Market, SLOT_SECONDS } from './market.ts'
import { drift, hash } from './random.ts'
import { TICKS } from './span.ts'
import { once, type Tokens, type WorldToken } from './tokens.ts'

/** Prices at any moment, in both currencies, exact. */
export interface Prices {
  /** The order flow behind a token's price; WETN trades where USDC does. */
  market(token: WorldToken): Market
  /** USD for one ETN, as fixed point. */
  etnUsd(time: number): bigint
  /** The same as a double, for volumes. */
  etnUsdNumber(time: number): number
  /** A price level of a token in a currency at a moment, as fixed point. */
  quote(token: WorldToken, ticks: number, time: number, currency: Currency): bigint
  /** A number that orders levels of one token in one currency exactly, cheaper than `quote`. */
  rank(token: WorldToken, ticks: number, time: number, currency: Currency): number
  /** The token's price level at a moment. */
  level(token: WorldToken, time: number): number
  /** The last price as decimal strings; `undefined` for a token without a market. */
  spot(token: WorldToken, time: number): { usd: string; etn: string } | undefined
}

/** Two years of quarters of an hour are remembered. */
const MOST_RATES = 70_000

/** Whether a price in `currency` moves with the price of ETN as well. */
export function isConverted(token: WorldToken, currency: Currency): boolean {
  return token.anchor !== currency
}

export function createPrices(seed: number, tokens: Tokens): Prices {
  const rateNoise = hash(seed, 20)
  const rateBase = fromDecimal(`0.0022${hash(rateNoise, 1)}${hash(rateNoise, 2)}`)
  const rateBaseNumber = Number(toDecimal(rateBase))
  const bases = new Map<WorldToken, bigint>()
  const markets = new Map<WorldToken, Market>()
  const wetnFlow = once(() => flat(createMarket(seed, tokens.usdc)))
  const ticks = BigInt(TICKS)

  const rates = new Map<number, number>()

  function rate(time: number): number {
    const slot = Math.floor(time / SLOT_SECONDS)
    const known = rates.get(slot)
    if (known !== undefined) return known
    if (rates.size > MOST_RATES) rates.clear()
    const slow = 0.22 * drift(rateNoise, slot, 96 * 41) + 0.09 * drift(rateNoise, slot, 96 * 9)
    const fast = 0.04 * drift(rateNoise, slot, 96) + 0.012 * drift(rateNoise, slot, 8)
    const made = Math.floor(TICKS * (1 + slow + fast))
    rates.set(slot, made)
    return made
  }

  function base(token: WorldToken): bigint {
    const known = bases.get(token)
    if (known !== undefined) return known
    const made = fromDecimal(token.basePrice)
    bases.set(token, made)
    return made
  }

  function quote(token: WorldToken, level: number, time: number, currency: Currency): bigint {
    const inAnchor = base(token) * BigInt(level)
    if (!isConverted(token, currency)) return inAnchor / ticks
    const etn = rateBase * BigInt(rate(time))
    return token.anchor === 'USD' ? (inAnchor * ONE) / etn : (inAnchor * etn) / (ticks * ticks * ONE)
  }

  function market(token: WorldToken): Market {
    if (token === tokens.wetn) return wetnFlow()
    const known = markets.get(token) ?? createMarket(seed, token)
    markets.set(token, known)
    return known
  }

  return {
    market,
    quote,
    etnUsd: (time) => (rateBase * BigInt(rate(time))) / ticks,
    etnUsdNumber: (time) => (rateBaseNumber * rate(time)) / TICKS,
    rank(token, level, time, currency) {
      if (!isConverted(token, currency)) return level
      return token.anchor === 'USD' ? level / rate(time) : level * rate(time)
    },
    level: (token, time) => market(token).priceAt(time),
    spot(token, time) {
      if (token.anchor === null) return undefined
      const level = market(token).priceAt(time)
      const price = (currency: Currency) => toDecimal(quote(token, level, time, currency))
      return { usd: price('USD'), etn: price('ETN') }
    },
  }
}

/** WETN is ETN: where it trades, its price does not move. */
function flat(flow: Market): Market {
  const steady = { open: TICKS, high: TICKS, low: TICKS, close: TICKS }
  return {
    periods: (range) => flow.periods(range).map((period) => ({ ...period, ...steady })),
    fills: (from, until) => flow.fills(from, until).map((fill) => ({ ...fill, price: TICKS, before: TICKS })),
    priceAt: () => TICKS,
  }
}
