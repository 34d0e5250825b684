import type { ApiPromise, Client, CostEstimate } from 'etn-market'

/** One line of the table: an operation, what it will cost, and how to call it. */
export interface Step {
  operation: string
  estimate: CostEstimate
  /** What was charged, what remains, and a taste of the answer. */
  run(): Promise<string[]>
}

/** A call to make: its cost is predicted now, its parameters are asked for again when it is made. */
export function step<Params, Data>(
  operation: string,
  method: { (params: Params): ApiPromise<Data>; estimate(params: Params): CostEstimate },
  params: () => Params,
  taste: (data: Data) => string,
): Step {
  // Fields that nobody has seen live may turn out different: then the line says so, and the others follow.
  const tasteOf = (data: Data) => {
    try {
      return taste(data)
    } catch {
      return 'an answer of another shape'
    }
  }
  return {
    operation,
    estimate: method.estimate(params()),
    async run() {
      const { data, meta } = await method(params()).withMeta()
      return [String(meta.credits.charged), String(meta.credits.remaining ?? '–'), tasteOf(data)]
    },
  }
}

/** Every item is paid for, so the lists are asked for few. */
const few = { limit: 3 }

/** How many of the addresses have a price. */
const priced = (prices: Record<string, unknown>) => {
  const all = Object.values(prices)
  return `${all.filter(Boolean).length} of ${all.length} have a price`
}

const names = (list: readonly { name?: string | null | undefined }[]) => list.map(({ name }) => name).join(', ')

/** A batch of any size. */
export function batchOf(client: Client, addresses: readonly string[]): Step {
  return step(`batch of ${addresses.length}`, client.prices.batch, () => ({ addresses }), priced)
}

/** Every operation, on a few real tokens. */
export function allOperations(client: Client, addresses: readonly [string, ...string[]]): Step[] {
  const [address] = addresses
  const { account, balances, etn, farm, locks, meta, nft, pool, presale, prices, token, trade } = client
  // What later steps ask about, found by earlier ones; until then any address will do, to predict the cost.
  const found = { collection: address, pool: address }
  return [
    step(
      'account.me',
      account.me,
      () => ({}),
      ({ credits, tier }) => `${credits} credits, tier ${tier}`,
    ),
    step(
      'meta.openapi',
      meta.openapi,
      () => ({}),
      ({ openapi }) => `OpenAPI ${openapi}`,
    ),
    step(
      'etn.price',
      etn.price,
      () => ({}),
      ({ usd }) => `1 ETN = ${usd} USD`,
    ),
    step(
      'token.price',
      token.price,
      () => ({ address }),
      ({ usd, etn }) => `${usd} USD, ${etn} ETN`,
    ),
    step('prices.batch', prices.batch, () => ({ addresses }), priced),
    step(
      'token.get',
      token.get,
      () => ({ address }),
      ({ name, totalSupply }) => `${name}, supply ${totalSupply}`,
    ),
    step(
      'token.list',
      token.list,
      () => few,
      (list) => list.map(({ symbol }) => symbol).join(', '),
    ),
    step(
      'token.candles',
      token.candles,
      () => ({ address, bucket: '1h' as const, ...few }),
      (list) => `closes at ${list.map(({ close }) => close.toPrecision(4)).join(', ')}`,
    ),
    step(
      'token.history',
      token.history,
      () => ({ address, duration: 'day' as const }),
      ({ low, high }) => `from ${low?.toPrecision(4)} to ${high?.toPrecision(4)} USD`,
    ),
    step(
      'pool.list',
      pool.list,
      () => ({ version: 3 as const, ...few }),
      (list) => list.map(({ token0, token1 }) => `${token0.symbol}/${token1.symbol}`).join(', '),
    ),
    step(
      'trade.list',
      trade.list,
      () => few,
      (list) => list.map(({ usd }) => `${Number(usd).toFixed(2)} USD`).join(', '),
    ),
    step(
      'nft.stats',
      nft.stats,
      () => ({}),
      ({ collections }) => `${collections.length} collections`,
    ),
    step(
      'nft.collections',
      nft.collections,
      () => few,
      (list) => {
        found.collection = list[0]?.address ?? found.collection
        return names(list)
      },
    ),
    step(
      'nft.collection',
      nft.collection,
      () => ({ address: found.collection }),
      ({ name, stats }) => `${name}, floor ${stats.floorPrice} ETN`,
    ),
    step('nft.assets', nft.assets, () => ({ address: found.collection, ...few }), names),
    step(
      'presale.list',
      presale.list,
      () => few,
      (list) => {
        found.pool = list[0]?.pool ?? found.pool
        return list.map(({ token, status }) => `${token.symbol} ${status}`).join(', ')
      },
    ),
    step(
      'presale.get',
      presale.get,
      () => ({ pool: found.pool }),
      ({ token, status }) => `${token.symbol} is ${status}`,
    ),
    step(
      'balances.get',
      balances.get,
      () => ({ address, ...few }),
      (held) => `${Object.keys(held.balances).length} tokens`,
    ),
    step(
      'locks.get',
      locks.get,
      () => ({ address }),
      (all) => `${all.length} locks, ${all.filter(({ active }) => active).length} active`,
    ),
    step(
      'farm.list',
      farm.list,
      () => ({}),
      (farms) => `${farms.length} farms`,
    ),
  ]
}
