import { checksumAddress } from '../../utils/address.ts'
import { FakeUsageError } from '../rules/check.ts'
import type { Pools } from './pools.ts'
import { below, hash, pick, unit, wallet } from './random.ts'
import type { TokenList } from './token-list.ts'
import type { WorldToken } from './tokens.ts'
import type { Sources } from './world.ts'
import type { WorldLockOptions, WorldOptions } from './world-options.ts'

const DAY = 86_400
/** A token locks liquidity at most once per turn; the locks of the last turns are listed. */
const TURN = 90 * DAY
const TURNS = 6
/** At most five locks of a pool are active at once, so they add up to less than 100 per cent. */
const MAX_PERCENT = 19.9
/** Built-in tokens after these have no locks: WETN lists the locks of all tokens in one answer, 1.6 kB for each. */
const LOCKED_TOKENS = 2_350
/** Tokens of launches and of the user have higher numbers than this. */
const MAX_BUILT_IN = 999_999

/** A lock, before its amounts are known. */
type Lock = ReturnType<typeof readLock>

export type OwnLocks = ReadonlyMap<string, readonly Lock[]>

/** The liquidity locks of all pools of a token, newest first, expired ones included. */
export function liquidityLocks(sources: Sources, token: WorldToken, now: number) {
  const { tokens } = sources
  const isWetn = token.key === tokens.wetn.key
  const others = isWetn
    ? tokens.all(now)
    : [token, ...[...sources.own.locks.keys()].flatMap((key) => tokens.find(key, now) ?? [])]
  const subjects = [...new Map(others.map((one) => [one.key, one])).values()]
  return subjects
    .flatMap((one) => sources.own.locks.get(one.key) ?? builtInLocks(sources, one, now))
    .filter(({ pool }) => pool.token0.key === token.key || pool.token1.key === token.key)
    .sort((a, b) => b.created - a.created || b.id - a.id)
    .map((lock) => lockBody(sources.pools, lock, now))
}

function builtInLocks({ seed, pools, only, tokens }: Sources, token: WorldToken, now: number): Lock[] {
  if (only || token.key === tokens.wetn.key) return []
  if (token.index >= LOCKED_TOKENS && token.index <= MAX_BUILT_IN) return []
  const noise = hash(seed, 110, token.index)
  // Some tokens have no locks.
  if (below(8, noise) === 0 && token.activity < 40) return []
  const offset = below(TURN, noise, 1)
  const turn = Math.floor((now - offset) / TURN)
  return Array.from({ length: TURNS }, (_, i) => turn - i)
    .filter((one) => one === turn || below(3, noise, 2, one) > 0)
    .filter((one) => offset + one * TURN >= (token.launchedAt ?? Number.NEGATIVE_INFINITY))
    .map((one) => {
      const own = hash(noise, 3, one)
      return {
        id: (Math.abs(one) % 10_000) * 1_000 + (token.index % 1_000),
        pool: pools.ofToken(token, own % 2 === 0 ? 2 : 3),
        owner: wallet(own),
        created: offset + one * TURN,
        duration: pick([30 * DAY, 60 * DAY, 180 * DAY, 365 * DAY], own, 1),
        percent: Math.floor((0.5 + (MAX_PERCENT - 0.5) * unit(own, 4)) * 100) / 100,
      }
    })
}

function lockBody(pools: Pools, { id, pool, owner, created, duration, percent }: Lock, now: number) {
  const { amount0, amount1 } = pools.reserves(pool, now)
  const part = (amount: bigint) => ((amount * BigInt(Math.round(percent * 1e6))) / 100_000_000n).toString()
  return {
    lockId: id,
    pair: pool.address(),
    owner,
    created,
    duration,
    token0: pool.token0.address(),
    token1: pool.token1.address(),
    amountToken0: part(amount0),
    amountToken1: part(amount1),
    percentSupply: percent,
    active: now < created + duration,
    version: pool.version === 2 ? 'V2' : 'V3',
  }
}

const DEFAULT_DURATION_MS = 30 * DAY * 1000

/** Reads the locks of the `world` option; `now` in unix seconds is when the fake is created. */
export function readOwnLocks(
  entries: WorldOptions['locks'] = {},
  tokens: TokenList,
  pools: Pools,
  now: number,
): OwnLocks {
  const found = new Map<string, Lock[]>()
  /** A pool has two tokens, and locks of both count. */
  const sums = new Map<string, number>()
  for (const [address, list] of Object.entries(entries)) {
    const path = `world.locks[${address}]`
    const token = tokens.find(address, now)
    if (!token) throw new FakeUsageError(`${path} is for a token of the world.`)
    if (token.key === tokens.wetn.key) throw new FakeUsageError(`${path} is for the other token of a pool with WETN.`)
    const locks = list.map((lock, i) => readLock(`${path}[${i}]`, lock, token, hash(token.index, i), pools, now))
    found.set(token.key, locks)
    // Active locks of a pool are at most the whole pool, now and later: later ones only end.
    for (const { pool, percent } of locks.filter(({ created, duration }) => created + duration > now)) {
      const sum = (sums.get(pool.address()) ?? 0) + percent
      sums.set(pool.address(), sum)
      if (sum > 100)
        throw new FakeUsageError(`${path}: percentSupply of the active locks of a pool adds up to ${sum}, above 100.`)
    }
  }
  return found
}

function readLock(path: string, given: WorldLockOptions, token: WorldToken, noise: number, pools: Pools, now: number) {
  const { percentSupply: percent, unlocksInMs, pair, owner } = given
  const { durationMs = Math.max(DEFAULT_DURATION_MS, unlocksInMs) } = given
  const pool = pair === undefined ? pools.ofToken(token, 2) : pools.find(pair, now)
  if (!pool || (pool.token0.key !== token.key && pool.token1.key !== token.key))
    throw new FakeUsageError(`${path}.pair is a pool of the token, not ${pair}.`)
  const duration = Math.ceil(durationMs / 1000)
  const created = now + Math.ceil(unlocksInMs / 1000) - duration
  const id = 20_000_000 + (noise % 10_000_000)
  return { id, pool, owner: owner ? checksumAddress(owner) : wallet(noise), created, duration, percent }
}
