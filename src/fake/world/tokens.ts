import { checksumAddress } from '../../address.ts'
import { wallet } from './chain.ts'
import { coinName, REAL_TOKENS } from './names.ts'
import { below, hash, hex, pick, unit } from './random.ts'

/** A listed token of the fake world. */
export interface WorldToken {
  index: number
  /** Lower case. */
  key: string
  name: string
  symbol: string
  decimals: number
  totalSupply: number
  blockAdded: number
  /** What it is priced against at its source: stablecoins hold to USD, all others to ETN; `null` has no market. */
  anchor: 'USD' | 'ETN' | null
  /** First digits of the price in the anchor, as a decimal. */
  basePrice: string
  /** Typical trades in a day. */
  activity: number
  /** EIP-55 spelling; worked out when first asked for. */
  address(): string
  deployer(): string
}

/** The listing of tokens. The real ones are there at once; the others, and the whole list, when they are first asked for. */
export interface Tokens {
  readonly all: readonly WorldToken[]
  wetn: WorldToken
  usdc: WorldToken
  find(address: string): WorldToken | undefined
}

const GENERATED = 230

/** A function that works once and remembers. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

export function createTokens(seed: number): Tokens {
  const real = REAL_TOKENS.map((one, index) => realToken(seed, one, index))
  const all = once(() => [...real, ...generate(seed, real.length)])
  const byKey = once(() => new Map(all().map((token) => [token.key, token])))
  const named = (symbol: string) => {
    const found = real.find((token) => token.symbol === symbol)
    if (!found) throw new Error(`The token list lost ${symbol}.`)
    return found
  }
  return {
    get all() {
      return all()
    },
    wetn: named('WETN'),
    usdc: named('USDC'),
    find(address) {
      const key = address.toLowerCase()
      return real.find((token) => token.key === key) ?? byKey().get(key)
    },
  }
}

function realToken(seed: number, real: (typeof REAL_TOKENS)[number], index: number): WorldToken {
  const noise = hash(seed, 1, index)
  const { address, symbol, name, decimals, totalSupply, anchor, price, activity } = real
  const key = address.toLowerCase()
  const basePrice = symbol === 'WETN' ? '1' : digits(price, noise)
  const deployer = once(() => wallet(noise, 4))
  const shared = { index, key, name, symbol, decimals, totalSupply, anchor, basePrice, activity, deployer }
  return { ...shared, blockAdded: blockAdded(index, noise), address: () => address }
}

function generate(seed: number, from: number): WorldToken[] {
  const taken = new Set<string>(REAL_TOKENS.map(({ symbol }) => symbol))
  return Array.from({ length: GENERATED }, (_, i) => {
    const index = from + i
    const noise = hash(seed, 2, index)
    const { name, symbol } = coinName(noise, taken)
    const zeros = below(6, noise, 3)
    const price = zeros === 0 ? `${1 + below(40, noise, 8)}.` : `0.${'0'.repeat(zeros - 1)}${1 + below(9, noise, 8)}`
    const key = `0x${hex(40, noise, 4)}`
    return {
      index,
      key,
      name,
      symbol,
      decimals: pick([18, 18, 18, 18, 18, 9, 8, 6], noise, 5),
      totalSupply: pick([1_000_000, 10_000_000, 21_000_000, 100_000_000, 1_000_000_000, 420_690_000_000], noise, 6),
      // About one in twelve is listed without ever having traded.
      anchor: below(12, noise, 7) === 0 ? null : 'ETN',
      basePrice: digits(price, noise),
      activity: 4 + Math.floor(unit(noise, 9) * unit(noise, 10) * 90),
      blockAdded: blockAdded(index, noise),
      address: once(() => checksumAddress(key)),
      deployer: once(() => wallet(noise, 11)),
    }
  })
}

/** The digits that a price leaves open come from the seed: prices are long decimals. */
function digits(price: string, noise: number): string {
  return `${price}${hash(noise, 12)}${hash(noise, 13)}`
}

function blockAdded(index: number, noise: number): number {
  return 120_000 + index * 9_000 + below(9_000, noise, 14)
}
