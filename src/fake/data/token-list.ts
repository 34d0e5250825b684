import { FakeUsageError } from '../rules/check-options.ts'
import { once } from '../rules/once.ts'
import { createCampaign, findLaunched, launchedNumbers } from './presales.ts'
import { hash } from './random.ts'
import {
  baseLiquidity,
  generatedKey,
  generatedTokens,
  launchedToken,
  ownToken,
  readDecimals,
  realTokens,
  type WorldToken,
} from './tokens.ts'
import { type FieldReader, readEntry, readList, type WorldOptions } from './world-options.ts'

/** The largest page of `token.list`. */
const PAGE = 100
/** Built-in tokens that always exist: with the launched ones they fill the page. */
const GENERATED = 50
/** The order of the list changes after so many seconds. */
const REORDERED_EVERY = 60
/** Launched tokens that are kept in memory. */
const MAX_CACHED = 1_000

/** The tokens of the world. */
export class TokenList {
  readonly wetn: WorldToken
  readonly usdc: WorldToken
  readonly #seed: number
  readonly #own: OwnTokens
  readonly #real: readonly WorldToken[]
  /** The user's own tokens, and the real ones that they do not redefine. */
  readonly #first: readonly WorldToken[]
  /** All but the launched ones. */
  readonly #permanent: () => readonly WorldToken[]
  readonly #byKey: () => ReadonlyMap<string, WorldToken>
  readonly #launched = new Map<number, WorldToken>()
  #current: { newest: number; tokens: WorldToken[]; byKey: Map<string, WorldToken> } | undefined

  constructor(seed: number, own: OwnTokens) {
    const real = realTokens(seed)
    const isReplaced = ({ key }: WorldToken) => own.byKey.has(key)
    const named = (symbol: string) => real.find((token) => token.symbol === symbol) ?? raise(symbol)
    const wetn = own.byKey.get(named('WETN').key) ?? named('WETN')
    const first = [...own.tokens, ...real.filter((token) => !isReplaced(token))]
    this.wetn = wetn
    this.usdc = named('USDC')
    this.#seed = seed
    this.#own = own
    this.#real = real
    this.#first = first
    this.#permanent = once(() => {
      if (own.only) return own.byKey.has(wetn.key) ? own.tokens : [...own.tokens, wetn]
      const listed = own.tokens.filter(({ launchedAt }) => launchedAt === undefined)
      const added = listed.length - real.filter(isReplaced).length
      const count = Math.max(0, GENERATED + Math.max(0, (own.tokenCount ?? PAGE) - PAGE) - added)
      return [...first, ...generatedTokens(seed, count).filter((token) => !isReplaced(token))]
    })
    this.#byKey = once(() => new Map(this.#permanent().map((token) => [token.key, token])))
  }

  /** All listed tokens at a moment. The user's own come first, then the real ones. */
  all(now: number): readonly WorldToken[] {
    return [...this.#permanentAt(now), ...this.#launchedAt(now).tokens]
  }

  /** A token that is listed, or was at an earlier moment: what was listed once stays. */
  find(address: string, now: number): WorldToken | undefined {
    const key = address.toLowerCase()
    const real = this.#own.only ? undefined : this.#real.find((token) => token.key === key)
    const permanent = this.#own.byKey.get(key) ?? real ?? this.#byKey().get(key)
    const found = permanent ?? this.#launchedAt(now).byKey.get(key) ?? this.#findOlder(key, now)
    return found && hasLaunched(found, now) ? found : undefined
  }

  /** The tokens in the order of `token.list`: shuffled by the seed and the time. */
  page(now: number): readonly WorldToken[] {
    const order = hash(this.#seed, 5, Math.floor(now / REORDERED_EVERY))
    const isFirst = new Set(this.#first)
    const permanent = this.#permanentAt(now)
    const first = permanent.filter((token) => isFirst.has(token))
    const rest = permanent.filter((token) => !isFirst.has(token))
    const ranked = [...first, ...this.#launchedAt(now).tokens, ...rest]
    return [...shuffled(ranked.slice(0, PAGE), order), ...shuffled(ranked.slice(PAGE), order)]
  }

  #permanentAt(now: number): readonly WorldToken[] {
    return this.#permanent().filter((token) => hasLaunched(token, now))
  }

  #launchedAt(now: number) {
    const numbers = this.#own.only ? [] : launchedNumbers(this.#seed, now)
    const newest = numbers[0] ?? 0
    if (this.#current?.newest === newest) return this.#current
    const tokens = numbers.map((number) => this.#tokenOf(number))
    this.#current = { newest, tokens, byKey: new Map(tokens.map((token) => [token.key, token])) }
    return this.#current
  }

  #findOlder(key: string, now: number): WorldToken | undefined {
    const number = this.#own.only ? undefined : findLaunched(this.#seed, key, now)
    return number === undefined ? undefined : this.#tokenOf(number)
  }

  #tokenOf(number: number): WorldToken {
    if (this.#launched.size > MAX_CACHED) this.#launched.clear()
    const token = this.#launched.get(number) ?? launchedToken(createCampaign(this.#seed, number))
    this.#launched.set(number, token)
    return token
  }
}

function hasLaunched({ launchedAt }: WorldToken, now: number): boolean {
  return launchedAt === undefined || launchedAt <= now
}

function shuffled(tokens: WorldToken[], order: number): WorldToken[] {
  return tokens
    .map((token) => ({ token, rank: hash(order, token.index) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ token }) => token)
}

function raise(symbol: string): never {
  throw new Error(`${symbol} is missing in the built-in tokens.`)
}

/** A built-in token that is not among the real ones. */
export function findGenerated(seed: number, key: string, now: number): WorldToken | undefined {
  // Most keys are of no such token, and keys cost less than tokens.
  for (let i = 0; i < GENERATED; i++) if (generatedKey(seed, i) === key) return generatedTokens(seed, i + 1)[i]
  const number = findLaunched(seed, key, now)
  return number === undefined ? undefined : launchedToken(createCampaign(seed, number))
}

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
