/** Calls every operation and uses the result, as an application does. */
import { createClient } from 'etn-market'

const address = '0x043fAa1b5C5FC9a7dc35171f290c29ECDE0cCff1'

const client = createClient({
  apiKey: 'esk_test_bench',
  budget: { credits: 100_000, windowMs: 86_400_000 },
  retry: { limit: 1 },
  cache: { ttlMs: { 'token.list': 60_000 } },
})

export async function prices(): Promise<string[]> {
  const etn = await client.etn.price()
  const batch = await client.prices.batch({ addresses: [address] })
  const price = await client.token.price({ address }, { timeoutMs: 1_000, validate: 'strict' })
  const { data, meta } = await client.token.price({ address }).withMeta()
  const charged = `${meta.credits.charged} of ${meta.credits.estimated}, ${meta.durationMs} ms`
  return [etn.usd ?? '', batch[address]?.usd ?? '', price.etn ?? '', data.address, charged]
}

export async function tokens(): Promise<(string | number)[]> {
  const list = await client.token.list({ limit: 20 })
  const { name, symbol, decimals, totalSupply, usd } = await client.token.get({ address })
  const candles = await client.token.candles({ address, limit: 500, bucket: '1h', currency: 'USD' })
  const history = await client.token.history({ address, duration: 'WEEK' })
  const range = candles.map(
    ({ high, low, open, close, volume, count, time }) => high - low + open - close + volume + count + time,
  )
  const points = history.prices?.map(({ timestamp, value }) => (timestamp ?? 0) + (value ?? 0)) ?? []
  const figures = [history.volume ?? 0, history.high ?? 0, history.low ?? 0]
  return [
    ...list.map((token) => `${token.symbol} ${token.decimals}`),
    name,
    symbol,
    decimals,
    totalSupply,
    usd ?? '',
    ...range,
    ...points,
    ...figures,
  ]
}

export async function market(): Promise<(string | number)[]> {
  const pools = await client.pool.list({ version: 3, limit: 10 })
  const trades = await client.trade.list({ token: address, limit: 25 })
  const sides = pools.flatMap(({ token0, token1, chainId, version }) => [
    token0.symbol,
    token1.deployer,
    chainId,
    version,
  ])
  const swaps = trades.flatMap(({ hash, timestamp, amount0, amount1, usd, sender }) => [
    hash ?? '',
    timestamp ?? 0,
    amount0 ?? '',
    amount1 ?? '',
    usd ?? '',
    sender ?? '',
  ])
  return [...sides, ...swaps]
}

export async function art(): Promise<(string | number)[]> {
  const stats = await client.nft.stats()
  const collections = await client.nft.collections({ limit: 5 })
  const collection = await client.nft.collection({ address })
  const assets = await client.nft.assets({ address, limit: 5 })
  return [
    stats.updatedAt,
    ...stats.collections.map(
      ({ floorPrice, uniqueOwners, listingCount, image }) =>
        (floorPrice ?? 0) + uniqueOwners + listingCount + (image ?? '').length,
    ),
    ...collections.map(({ name, totalSupply }) => `${name} ${totalSupply}`),
    collection.stats.floorPrice ?? 0,
    collection.stats.volume ?? 0,
    ...assets.flatMap(({ tokenId, ownerAddress, traits }) => [
      tokenId ?? '',
      ownerAddress ?? '',
      traits?.[0]?.rarity ?? 0,
    ]),
  ]
}

export async function launches(): Promise<(string | number)[]> {
  const presales = await client.presale.list({ limit: 5 })
  const { status, token, campaign, id } = await client.presale.get({ pool: address })
  const raised = presales.map((presale) => presale.campaign?.etnRaised ?? 0)
  return [...raised, status, token.symbol ?? '', campaign?.contributorCount ?? 0, campaign?.ends ?? '', id ?? '']
}

export async function holdings(): Promise<(string | number | boolean)[]> {
  const { balances, updated } = await client.balances.get({ address, limit: 50 })
  const locks = await client.locks.get({ address })
  const farms = await client.farm.list()
  const held = Object.entries(balances).map(
    ([token, { balance, blockUpdated }]) => `${token} ${balance} ${blockUpdated}`,
  )
  const locked = locks.flatMap(({ pair, created, duration, percentSupply, active, version }) => [
    pair,
    created + duration,
    percentSupply,
    active,
    version,
  ])
  const yields = farms.flatMap(({ name, baseRewardApy, thirdPartyReward, tvl }) => [
    name ?? '',
    baseRewardApy ?? 0,
    thirdPartyReward?.symbol ?? '',
    tvl ?? 0,
  ])
  return [updated, ...held, ...locked, ...yields]
}

export async function own(): Promise<(string | number)[]> {
  const { credits, tier } = await client.account.me()
  const { openapi } = await client.meta.openapi()
  const { limit, spent, reserved, uncertain, available } = client.budget
  const planned = client.token.candles.estimate({ address, limit: 100 }).max
  await client.close()
  return [credits ?? 0, tier ?? '', openapi, limit, spent, reserved, uncertain, available, planned]
}
