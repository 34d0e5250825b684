import { checksumAddress } from '../../utils/address.ts'
import { once } from '../../utils/once.ts'
import { checkValue, FakeUsageError } from '../rules/check.ts'
import * as is from '../rules/schema.ts'
import { readDecimal } from './decimal.ts'
import { type Campaign, createCampaign, findLaunchedToken, launchedNumbers, newestEnded } from './presales.ts'
import { hash } from './random.ts'
import { baseLiquidity, generatedTokens, ownToken, realTokens, type WorldToken } from './tokens.ts'
import type { WorldOptions, WorldTokenOptions } from './world-options.ts'

/** The largest page of `token.list`. */
const PAGE = 100
/** Built-in tokens that always exist: with the launched ones they fill the page. */
const GENERATED = 50
const REORDERED_EVERY = 60

type TokensByKey = ReadonlyMap<string, WorldToken>

export class TokenList {
  readonly wetn: WorldToken
  readonly usdc: WorldToken
  readonly #seed: number
  readonly #only: boolean
  /** The user's own tokens, and the real ones that they do not redefine. */
  readonly #first: TokensByKey
  /** These and the generated ones: all but those that were launched. */
  readonly #permanent: () => TokensByKey
  #launched: { newest: number; tokens: TokensByKey } | undefined

  constructor(seed: number, own: TokensByKey, { only = false, tokenCount = PAGE }: WorldOptions) {
    const real = byKey(realTokens(seed))
    const [usdc, wetn] = ['USDC', 'WETN'].map((symbol) => [...real.values()].find((token) => token.symbol === symbol))
    if (!usdc || !wetn) throw new Error('USDC and WETN are among the built-in tokens.')
    this.wetn = own.get(wetn.key) ?? wetn
    this.usdc = usdc
    this.#seed = seed
    this.#only = only
    const added = only ? [this.wetn] : [...real.values()]
    const first = [...own.values(), ...added.filter(({ key }) => !own.has(key))]
    this.#first = byKey(first)
    this.#permanent = once(() => {
      if (only) return this.#first
      const listed = [...own.values()].filter(({ launchedAt }) => launchedAt === undefined)
      const isNew = ({ key }: WorldToken) => !real.has(key)
      const count = Math.max(0, GENERATED + Math.max(0, tokenCount - PAGE) - listed.filter(isNew).length)
      return byKey([...first, ...generatedTokens(seed, count).filter(({ key }) => !own.has(key))])
    })
  }

  /** All listed tokens at a moment. The user's own come first, then the real ones. */
  all(now: number): readonly WorldToken[] {
    return [...this.#permanentAt(now), ...this.#launchedAt(now).values()]
  }

  /** A token that is listed, or was at an earlier moment: what was listed once stays. */
  find(address: string, now: number): WorldToken | undefined {
    const key = address.toLowerCase()
    const permanent = this.#first.get(key) ?? this.#permanent().get(key)
    if (permanent) return hasLaunched(permanent, now) ? permanent : undefined
    const launched = this.#launchedAt(now).get(key)
    return launched ?? (this.#only ? undefined : findLaunchedToken(this.#seed, key, now))
  }

  /** The tokens in the order of `token.list`: shuffled by the seed and the time. */
  page(now: number): readonly WorldToken[] {
    const order = hash(this.#seed, 5, Math.floor(now / REORDERED_EVERY))
    const permanent = this.#permanentAt(now)
    const first = permanent.filter(({ key }) => this.#first.has(key))
    const rest = permanent.filter(({ key }) => !this.#first.has(key))
    const ranked = [...first, ...this.#launchedAt(now).values(), ...rest]
    return [...shuffled(ranked.slice(0, PAGE), order), ...shuffled(ranked.slice(PAGE), order)]
  }

  #permanentAt(now: number): readonly WorldToken[] {
    return [...this.#permanent().values()].filter((token) => hasLaunched(token, now))
  }

  #launchedAt(now: number): TokensByKey {
    const newest = newestEnded(now)
    if (this.#launched?.newest !== newest) {
      const numbers = this.#only ? [] : launchedNumbers(this.#seed, newest)
      const tokens = numbers.map((number) => createCampaign(this.#seed, number).token())
      this.#launched = { newest, tokens: byKey(tokens) }
    }
    return this.#launched.tokens
  }
}

function byKey(tokens: readonly WorldToken[]): TokensByKey {
  return new Map(tokens.map((token) => [token.key, token]))
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

/** Reads the tokens of the `world` option, and those of the user's presales; `now` in unix seconds is when the fake is created. */
export function readOwnTokens(
  entries: readonly WorldTokenOptions[] = [],
  presales: readonly Campaign[],
  seed: number,
  now: number,
): TokensByKey {
  const builtIn = once(() => byKey([...realTokens(seed), ...generatedTokens(seed, GENERATED)]))
  const known = (key: string) => builtIn().get(key) ?? findLaunchedToken(seed, key, now)
  const found = new Map<string, WorldToken>()
  const add = (path: string, token: WorldToken) => {
    if (found.has(token.key)) throw new FakeUsageError(`${path}.address occurs twice: ${token.address()}.`)
    found.set(token.key, token)
  }
  for (const [i, entry] of entries.entries()) {
    const path = `world.tokens[${i}]`
    add(path, readToken(path, entry, known(entry.address.toLowerCase()), i))
  }
  for (const [i, presale] of presales.entries()) {
    const path = `world.presales[${i}].token`
    const token = presale.token()
    if (found.has(token.key) || known(token.key))
      throw new FakeUsageError(`${path}.address is a new token, which its launch lists, not ${token.address()}.`)
    add(path, token)
  }
  return found
}

function readToken(
  path: string,
  given: WorldTokenOptions,
  known: WorldToken | undefined,
  position: number,
): WorldToken {
  if (!known) checkValue(`${path}.symbol`, is.nonEmptyText, given.symbol)
  const { symbol = known?.symbol ?? '', usd, totalSupply = known?.totalSupply ?? 1_000_000 } = given
  const { name = known?.name ?? symbol, decimals = known?.decimals ?? 18 } = given
  const names = { symbol, name, decimals, totalSupply }
  const fixedUsd = usd === undefined ? undefined : readDecimal(`${path}.usd`, usd)
  if (!known)
    return ownToken({ address: checksumAddress(given.address), ...names, index: 2_000_000 + position, fixedUsd })
  const anchor = known.anchor ?? (fixedUsd === undefined ? null : 'USD')
  const changed = { ...known, ...names, fixedUsd, anchor }
  if (usd === undefined && given.totalSupply === undefined) return changed
  // A token that is worth more has no more in its pools: all pools together hold less than all WETN.
  const share = baseLiquidity(known) / (baseLiquidity({ ...changed, poolShare: 1 }) || 1)
  return { ...changed, poolShare: Math.min(known.poolShare, share) }
}
