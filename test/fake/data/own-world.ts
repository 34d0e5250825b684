import type { WorldOptions } from '../../../src/fake/index.ts'
import { checksumAddress } from '../../../src/utils/address.ts'
import { BOLT, USDC } from '../setup.ts'

export const address = (digit: string) => checksumAddress(`0x${digit.repeat(40)}`)
export const MINE = address('a')
export const SALE = address('b')
export const POOL = address('c')
export const ART = address('d')
export const WALLET = address('e')
export const DAY = 86_400_000

export const WORLD: WorldOptions = {
  tokens: [
    { address: MINE, symbol: 'MINE', decimals: 6, totalSupply: 1e6, usd: '0.019' },
    { address: BOLT, usd: 5 },
    { address: USDC },
  ],
  pools: [{ address: POOL, version: 3, token0: MINE, token1: USDC }],
  balances: { [WALLET]: { [MINE]: '5000000' } },
  locks: { [MINE]: [{ percentSupply: 40, unlocksInMs: DAY }] },
  nftCollections: [
    {
      address: ART,
      name: 'Art',
      symbol: 'ART',
      totalSupply: 3,
      stats: { floorPrice: 7, listingCount: 1 },
      assets: [{ tokenId: '1', traits: [{ name: 'Hat', value: 'Red', rarity: 0.5 }] }],
    },
  ],
  presales: [{ pool: address('1'), token: { address: SALE, symbol: 'SALE' }, startsInMs: DAY, endsInMs: 2 * DAY }],
  farms: [{ poolAddr: POOL, tvl: 1_000, baseRewardApy: 12 }],
}
