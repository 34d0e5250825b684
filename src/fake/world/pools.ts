import { checksumAddress } from '../../address.ts'
import { CHAIN_ID } from '../routes.ts'
import { hash, hex, unit } from './random.ts'
import { once, type Tokens, type WorldToken } from './tokens.ts'

/** A pool of the fake world; its tokens are in the order of their addresses, as on chain. */
export interface WorldPool {
  version: 2 | 3
  token0: WorldToken
  token1: WorldToken
  /** Hundredths of a per cent. */
  fee: number
  address(): string
}

export interface Pools {
  /** Pools of one version, in the order of the token list. */
  list(version: 2 | 3): readonly WorldPool[]
  /** Where a token trades against WETN; a token without a V3 pool trades in its V2 one. */
  ofToken(token: WorldToken, version: 2 | 3): WorldPool
}

export function createPools(seed: number, tokens: Tokens): Pools {
  const noise = hash(seed, 30)
  const pair = (version: 2 | 3, a: WorldToken, b: WorldToken): WorldPool => {
    const [token0, token1] = a.key < b.key ? [a, b] : [b, a]
    const salt = hash(noise, version, a.index, b.index)
    const fee = version === 2 ? 30 : a.anchor === 'USD' ? 5 : salt % 4 === 0 ? 100 : 30
    return { version, token0, token1, fee, address: once(() => checksumAddress(`0x${hex(40, salt)}`)) }
  }
  const made = { 2: new Map<WorldToken, WorldPool>(), 3: new Map<WorldToken, WorldPool>() }
  const ofToken = (token: WorldToken, wanted: 2 | 3): WorldPool => {
    if (token === tokens.wetn) throw new Error('WETN is the other side of every pool and has none of its own.')
    const version = wanted === 3 && hasV3(token, noise) ? 3 : 2
    const pool = made[version].get(token) ?? pair(version, token, tokens.wetn)
    made[version].set(token, pool)
    return pool
  }
  const all = (version: 2 | 3) =>
    tokens.all
      .filter((token) => token !== tokens.wetn && (version === 2 || hasV3(token, noise)))
      .map((token) => ofToken(token, version))
  const lists = { 2: once(() => all(2)), 3: once(() => all(3)) }
  return { ofToken, list: (version) => lists[version]() }
}

/** Two thirds of the tokens, and every busy one, have a V3 pool too. */
function hasV3(token: WorldToken, noise: number): boolean {
  return token.activity > 40 || unit(noise, 4, token.index) < 0.66
}

/** A pool as the service returns it. */
export function poolBody(pool: WorldPool) {
  return {
    address: pool.address(),
    chainId: CHAIN_ID,
    version: pool.version,
    token0: sideBody(pool.token0),
    token1: sideBody(pool.token1),
  }
}

function sideBody(token: WorldToken) {
  const { name, symbol, decimals, blockAdded, totalSupply } = token
  const address = token.address()
  return { address, name, symbol, decimals, chainId: CHAIN_ID, blockAdded, deployer: token.deployer(), totalSupply }
}
