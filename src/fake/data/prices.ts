import { once } from '../rules/once.ts'
import type { Currency } from '../rules/parse-query.ts'
import { ONE, toDecimal } from './decimal.ts'
import { createMarket, type Market } from './market.ts'
import type { Rates } from './rates.ts'
import { rowPriceAt } from './row.ts'
import { TICKS } from './span.ts'
import { rampAt, type Segment, type Timeline } from './timeline.ts'
import type { WorldToken } from './tokens.ts'

/** A price in both currencies, as fixed point. */
export interface Quote {
  usd: bigint
  etn: bigint
}

/** Exact prices at any moment, in both currencies. */
export interface Prices {
  readonly rates: Rates
  /** The computed market of a token. The trades of WETN are those of USDC. */
  market(token: WorldToken): Market
  timeline(token: WorldToken): Timeline
  /** A price level of a token in a currency at a moment, as fixed point. */
  ofLevel(token: WorldToken, level: number, time: number, currency: Currency): bigint
  /** A number that orders the computed levels of one token in one currency exactly. It is cheaper than `ofLevel`. */
  rank(token: WorldToken, level: number, time: number, currency: Currency): number
  /** A price in USD in both currencies. */
  ofUsd(usd: bigint, time: number): Quote
  /** The price of a segment; `level` is the computed level at that moment. */
  ofSegment(token: WorldToken, segment: Segment, time: number, level: () => number): Quote | undefined
  /** The last price; `undefined` for a token without a price. */
  quote(token: WorldToken, time: number): Quote | undefined
  /** The last price as decimal strings. */
  spot(token: WorldToken, time: number): { usd: string; etn: string } | undefined
}

/** Whether a computed price in `currency` also depends on the price of ETN. */
export function isConverted(token: WorldToken, currency: Currency): boolean {
  return token.anchor !== currency
}

const SCALE = BigInt(TICKS)

export interface PriceParts {
  seed: number
  usdc: WorldToken
  wetn: WorldToken
  rates: Rates
  timelineOf(token: WorldToken): Timeline
}

export function createPrices({ seed, usdc, wetn, rates, timelineOf }: PriceParts): Prices {
  const markets = new Map<string, Market>()
  const wetnMarket = once(() => constantPrice(createMarket(seed, usdc)))

  function ofLevel(token: WorldToken, level: number, time: number, currency: Currency): bigint {
    const inAnchor = token.base * BigInt(level)
    if (!isConverted(token, currency)) return inAnchor / SCALE
    const rate = rates.scaled(time)
    return token.anchor === 'USD' ? (inAnchor * ONE) / rate : (inAnchor * rate) / (SCALE * SCALE * ONE)
  }

  function market(token: WorldToken): Market {
    if (token.key === wetn.key) return wetnMarket()
    const known = markets.get(token.key) ?? createMarket(seed, token)
    markets.set(token.key, known)
    return known
  }

  const ofUsd = (usd: bigint, time: number): Quote => ({ usd, etn: (usd * ONE * SCALE) / rates.scaled(time) })

  function ofSegment(token: WorldToken, segment: Segment, time: number, level: () => number): Quote | undefined {
    if (token.key === wetn.key) return { usd: rates.usd(time), etn: ONE }
    if (segment.kind === 'none') return undefined
    if (segment.kind === 'fixed') return ofUsd(segment.usd, time)
    if (segment.kind === 'ramp') return ofUsd(rampAt(segment, time), time)
    if (segment.kind === 'row') return ofUsd(rowPriceAt(segment.row, time), time)
    const made = level()
    return { usd: ofLevel(token, made, time, 'USD'), etn: ofLevel(token, made, time, 'ETN') }
  }

  const quote = (token: WorldToken, time: number) =>
    ofSegment(token, timelineOf(token).at(time), time, () => market(token).priceAt(time))

  return {
    rates,
    market,
    timeline: timelineOf,
    ofLevel,
    ofUsd,
    ofSegment,
    quote,
    rank(token, level, time, currency) {
      if (!isConverted(token, currency)) return level
      return token.anchor === 'USD' ? level / rates.level(time) : level * rates.level(time)
    },
    spot(token, time) {
      const found = quote(token, time)
      return found && { usd: toDecimal(found.usd), etn: toDecimal(found.etn) }
    },
  }
}

/** A market with the trades of another one and a constant price, for WETN. */
function constantPrice(flow: Market): Market {
  const steady = { open: TICKS, high: TICKS, low: TICKS, close: TICKS }
  return {
    periods: (view) => flow.periods(view).map((period) => ({ ...period, ...steady })),
    fills: (from, until) => flow.fills(from, until).map((fill) => ({ ...fill, price: TICKS })),
    priceAt: () => TICKS,
  }
}
