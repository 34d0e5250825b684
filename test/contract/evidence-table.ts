import type { OperationId } from '../../src/generated/operations.ts'

/**
 * Every field of every answer with its grade, copied by hand from the notes on the live service: not read from the contract.
 * `[]` are the items of a list, `{}` the values of an object keyed by address.
 */
export const EVIDENCE: Record<OperationId, { readonly [field: string]: string }> = {
  'etn.price': { assumed: 'usd' },
  'token.price': { observed: 'address usd etn' },
  'prices.batch': { observed: '{}.usd {}.etn' },
  'token.list': { observed: '[].address [].name [].symbol [].decimals [].totalSupply' },
  'token.get': { observed: 'address name symbol decimals totalSupply', assumed: 'usd etn' },
  'token.candles': { observed: '[].time [].open [].high [].low [].close [].volume [].count' },
  'token.history': { assumed: 'prices prices[].timestamp prices[].value volume high low' },
  'pool.list': {
    observed: `[].address [].chainId [].version [].token0 [].token1
      [].token0.address [].token0.name [].token0.symbol [].token0.decimals
      [].token0.chainId [].token0.blockAdded [].token0.deployer [].token0.totalSupply
      [].token1.address [].token1.name [].token1.symbol [].token1.decimals
      [].token1.chainId [].token1.blockAdded [].token1.deployer [].token1.totalSupply`,
  },
  'trade.list': {
    assumed: '[].hash [].timestamp [].pool [].token0 [].token1 [].amount0 [].amount1 [].usd [].sender',
  },
  'nft.stats': {
    observed: `updatedAt collections collections[].address collections[].name collections[].symbol
      collections[].image collections[].floorPrice collections[].uniqueOwners collections[].listingCount`,
  },
  'nft.collections': { observed: '[].address [].name [].symbol [].totalSupply' },
  'nft.collection': {
    observed: 'address name symbol totalSupply stats stats.floorPrice stats.uniqueOwners stats.listingCount',
    assumed: 'stats.volume',
  },
  'nft.assets': {
    inferred: `[].tokenId [].name [].description [].image [].ownerAddress [].lastPrice [].traits
      [].traits[].name [].traits[].value [].traits[].rarity`,
  },
  'presale.list': presale('[].'),
  'presale.get': presale(''),
  'balances.get': { observed: 'address updated balances balances{}.balance balances{}.blockUpdated' },
  'locks.get': {
    observed: `[].lockId [].pair [].owner [].created [].duration [].token0 [].token1
      [].amountToken0 [].amountToken1 [].percentSupply [].active [].version`,
  },
  'farm.list': {
    inferred: `[].id [].version [].name [].poolAddr [].liquidity [].allocation [].farmerCount [].token0 [].token1
      [].fee [].active [].tvl [].baseRewardApy [].thirdPartyRewardApy [].thirdPartyReward [].thirdPartyReward.token
      [].thirdPartyReward.symbol [].thirdPartyReward.tokensPerBlock [].thirdPartyReward.endBlock`,
  },
  'account.me': { assumed: 'credits tier' },
  'meta.openapi': { observed: 'openapi' },
}

function presale(at: string) {
  const under = (name: string, fields: string) => fields.split(' ').map((field) => `${at}${name}.${field}`)
  const campaign =
    'creator description website starts ends etnRaised minEtnToLaunch minEtnToList contributorCount maxBuy'
  return {
    documented: `${at}pool ${at}status ${at}token`,
    inferred: [
      `${at}id ${at}campaign`,
      ...under('token', 'name symbol decimals totalSupply address liquidityPool'),
      ...under('campaign', campaign),
    ].join(' '),
  }
}

/** Texts that are no decimal as the service sends them. To refuse an exponent would refuse an answer that is paid for. */
const DECIMALS = ['0', '12', '0.0', '0.0431328059369531392178303', '6.24e-8', '1E+21', '9'.repeat(78)]
const NO_DECIMALS = [
  '',
  ' ',
  'NaN',
  'Infinity',
  '-1',
  '+1',
  '-0',
  '.5',
  '5.',
  '1,5',
  '0x1',
  '1e',
  '1e999',
  '1 ',
  '1\n',
  '1_0',
  '١',
  1,
  true,
  [],
]
const PRICES: readonly [operation: OperationId, field: string][] = [
  ['etn.price', 'usd'],
  ['token.price', 'usd'],
  ['token.price', 'etn'],
  ['prices.batch', '{}.usd'],
  ['prices.batch', '{}.etn'],
  ['token.get', 'usd'],
  ['token.get', 'etn'],
  ['trade.list', '[].usd'],
]

/** The types that the notes state: each field with right and wrong values. */
export const TYPES: [operation: OperationId, field: string, right: readonly unknown[], wrong: readonly unknown[]][] = [
  ...PRICES.map(([id, field]) => [id, field, DECIMALS, NO_DECIMALS] as (typeof TYPES)[number]),
  ['token.list', '[].totalSupply', [1e9, 0.5], ['1000000000']],
  ['token.list', '[].decimals', [18], ['18', 1.5]],
  ['token.candles', '[].open', [0.5], ['0.5', null]],
  ['token.candles', '[].time', [1_700_000_000], ['2026-01-01', null]],
  ['nft.stats', 'updatedAt', ['2026-01-01T00:00:00Z'], [1_700_000_000]],
  ['nft.stats', 'collections[].floorPrice', [12.5, null], ['12.5']],
  ['nft.collection', 'stats.volume', [5, null, undefined], ['5']],
  ['presale.list', '[].status', ['ACTIVE', 'NEVER_SEEN'], [1, null]],
  [
    'balances.get',
    'balances{}.balance',
    ['0xde0b6b3a7640000', '0x0', '0xDE'],
    ['', '0x', 'de', '10', '-0x1', '0x1 ', 1e18],
  ],
  ['balances.get', 'updated', [1_700_000_000_000], ['2026-01-01']],
  ['locks.get', '[].amountToken0', ['1000000000000000000', '0'], ['', '-1', '1.5', '1e18', '0x1', 1e18]],
  ['locks.get', '[].active', [true], ['true', 1]],
  ['locks.get', '[].version', ['V2', 'V3'], [2]],
  ['farm.list', '[].thirdPartyReward', [null, undefined, {}], ['none']],
]
