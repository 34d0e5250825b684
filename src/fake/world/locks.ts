import { wallet } from './chain.ts'
import type { Pools } from './pools.ts'
import { below, hash, pick, unit } from './random.ts'
import type { WorldToken } from './tokens.ts'

const DAY = 86_400
/** A token may lock liquidity once in so many days; locks of this many such turns are kept on record. */
const TURN = 90 * DAY
const TURNS = 6

/** The liquidity locks of a token, newest first, those that ran out among them. */
export function liquidityLocks(seed: number, pools: Pools, token: WorldToken, wetn: WorldToken, now: number) {
  const subject = token === wetn ? undefined : token
  if (!subject) return []
  const noise = hash(seed, 110, token.index)
  // Some tokens never locked anything.
  if (below(8, noise) === 0 && token.activity < 40) return []
  const offset = below(TURN, noise, 1)
  const turn = Math.floor((now - offset) / TURN)
  const turns = Array.from({ length: TURNS }, (_, i) => turn - i)
  return turns
    .filter((one) => one === turn || below(3, noise, 2, one) > 0)
    .map((one) => lockBody(noise, pools, subject, offset, one, now))
}

function lockBody(noise: number, pools: Pools, token: WorldToken, offset: number, turn: number, now: number) {
  const own = hash(noise, 3, turn)
  const pool = pools.ofToken(token, own % 2 === 0 ? 2 : 3)
  const created = offset + turn * TURN
  const duration = pick([30 * DAY, 60 * DAY, 180 * DAY, 365 * DAY], own, 1)
  const amount = (salt: number) => `${1 + below(999_999, own, salt)}${String(hash(own, salt, 1)).padStart(18, '0')}`
  return {
    lockId: (Math.abs(turn) % 10_000) * 1_000 + token.index,
    pair: pool.address(),
    owner: wallet(own),
    created,
    duration,
    token0: pool.token0.address(),
    token1: pool.token1.address(),
    amountToken0: amount(2),
    amountToken1: amount(3),
    percentSupply: Math.round(unit(own, 4) * 10_000) / 100,
    active: now < created + duration,
    version: pool.version === 2 ? 'V2' : 'V3',
  }
}
