import { FakeUsageError } from '../rules/check-options.ts'
import { wallet } from './chain.ts'
import { ONE } from './decimal.ts'
import { hashText } from './random.ts'
import { type FieldReader, readEntry, readList } from './read-fields.ts'
import { BASE_ETN_USD, baseLiquidity, MAX_LIQUIDITY, realTokens, type WorldToken } from './tokens.ts'
import type { WorldOptions } from './world-options.ts'

/** The tokens of the `world` option. */
export interface OwnTokens {
  tokens: readonly WorldToken[]
  byKey: ReadonlyMap<string, WorldToken>
  /** Whether the built-in data is left out. */
  only: boolean
  tokenCount: number | undefined
}

const NAMES = ['address', 'symbol', 'name', 'decimals', 'totalSupply', 'usd']
/** Reads the tokens; `launching` are the tokens of the user's presales. */
export function readOwnTokens(
  options: WorldOptions,
  seed: number,
  launching: readonly WorldToken[],
  builtIn: (key: string) => WorldToken | undefined,
): OwnTokens {
  const real = new Map(realTokens(seed).map((token) => [token.key, token]))
  const byKey = new Map<string, WorldToken>()
  const add = (path: string, token: WorldToken) => {
    if (byKey.has(token.key)) throw new FakeUsageError(`${path}.address occurs twice: ${token.address()}.`)
    byKey.set(token.key, token)
  }
  for (const [i, entry] of readList('world.tokens', options.tokens).entries()) {
    const path = `world.tokens[${i}]`
    const field = readEntry(path, entry, NAMES)
    const key = field.address('address').toLowerCase()
    add(path, readToken(field, real.get(key) ?? builtIn(key), i))
  }
  for (const [i, token] of launching.entries()) {
    const path = `world.presales[${i}].token`
    if (byKey.has(token.key) || real.has(token.key) || builtIn(token.key))
      throw new FakeUsageError(`${path}.address is a new token, which its launch lists, not ${token.address()}.`)
    add(path, token)
  }
  return { tokens: [...byKey.values()], byKey, only: options.only ?? false, tokenCount: options.tokenCount }
}

function readToken(field: FieldReader, known: WorldToken | undefined, position: number): WorldToken {
  const address = field.address('address')
  const symbol = field.text('symbol', known?.symbol)
  const totalSupply = field.number('totalSupply', 0, undefined, known?.totalSupply ?? 1_000_000)
  const decimals = readDecimals(field, known?.decimals ?? 18)
  const names = { symbol, name: field.text('name', known?.name ?? symbol), decimals, totalSupply }
  const fixedUsd = field.amount('usd')
  const price = fixedUsd === undefined ? {} : { fixedUsd, anchor: known?.anchor ?? ('USD' as const) }
  if (known) {
    const changed = { ...known, ...names, ...price }
    // A token that is worth more has no more in its pools: all pools together hold less than all WETN.
    const share = baseLiquidity(known) / (baseLiquidity({ ...changed, poolShare: 1 }) || 1)
    return field.any('usd') === undefined && field.any('totalSupply') === undefined
      ? changed
      : { ...changed, poolShare: Math.min(known.poolShare, share) }
  }
  return ownToken({ address, ...names, index: 2_000_000 + position, ...(fixedUsd === undefined ? {} : { fixedUsd }) })
}

/** Decimal places: the amounts of a token are whole numbers of its smallest unit. */
export function readDecimals(field: FieldReader, fallback: number): number {
  field.number('decimals', 0, 36, fallback)
  return field.count('decimals', fallback)
}

/** A token of the user that has no built-in counterpart. */
export function ownToken(
  token: Pick<WorldToken, 'index' | 'name' | 'symbol' | 'decimals' | 'totalSupply' | 'fixedUsd' | 'launchedAt'> & {
    address: string
  },
): WorldToken {
  const { address, ...rest } = token
  const key = address.toLowerCase()
  const capInEtn = (Number(rest.fixedUsd ?? 0n) / Number(ONE) / BASE_ETN_USD) * rest.totalSupply
  return {
    ...rest,
    key,
    blockAdded: 3_000_000 + (rest.index % 1_000_000),
    anchor: rest.fixedUsd === undefined ? null : 'USD',
    base: rest.fixedUsd ?? ONE,
    activity: 40,
    poolShare: Math.min(0.2, capInEtn === 0 ? 0.2 : MAX_LIQUIDITY / capInEtn),
    address: () => address,
    deployer: () => wallet(hashText(key)),
  }
}
