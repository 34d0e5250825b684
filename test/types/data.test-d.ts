import type {
  ApiPromise,
  BalanceDocument,
  CallMeta,
  Candle,
  Client,
  EtnPrice,
  LiquidityLock,
  Presale,
  Token,
  TokenPrice,
  WithMeta,
} from 'etn-market'
import { expectTypeOf, test } from 'vitest'

declare const client: Client
const address = '0x043fAa1b5C5FC9a7dc35171f290c29ECDE0cCff1'
const other = '0x309B916b3A90cb3E071697Ea9680e9217A30066f'

test('an operation resolves to its data: each of them is in `test/package/api/index.api.md`', () => {
  expectTypeOf(client.etn.price()).resolves.toEqualTypeOf<EtnPrice>()
  expectTypeOf(client.token.candles({ address })).resolves.toEqualTypeOf<Candle[]>()
  expectTypeOf(client.presale.get({ pool: address })).resolves.toEqualTypeOf<Presale>()
})

test('decimals and amounts are texts, and states are open unions', async () => {
  const price = await client.token.price({ address })
  expectTypeOf(price.usd).toEqualTypeOf<string | null | undefined>()
  // @ts-expect-error a price is not a number
  price.usd?.toFixed(2)
  const [candle] = await client.token.candles({ address })
  // @ts-expect-error the list may be empty
  candle.close.toFixed(2)
  expectTypeOf<Candle['close']>().toEqualTypeOf<number>()
  expectTypeOf<LiquidityLock['amountToken0']>().toEqualTypeOf<string>()
  expectTypeOf<BalanceDocument['balances'][string]['balance']>().toEqualTypeOf<string>()
  expectTypeOf<'A STATE OF TOMORROW'>().toExtend<Presale['status']>()
  expectTypeOf<5>().not.toExtend<Presale['status']>()
  // @ts-expect-error assumed, so it may be null or absent
  const tier: string = (await client.account.me()).tier
  // @ts-expect-error no such field is known
  ;(await client.token.price({ address })).eur
  return tier
})

test('a batch is keyed by the addresses as the caller wrote them', async () => {
  const prices = await client.prices.batch({ addresses: [address, other] })
  expectTypeOf(prices).toEqualTypeOf<Record<typeof address | typeof other, TokenPrice | null>>()
  expectTypeOf(prices[address]).toEqualTypeOf<TokenPrice | null>()
  // @ts-expect-error null for a token without a price
  prices[address].usd
  // @ts-expect-error the caller wrote it in another case
  prices['0x043faa1b5c5fc9a7dc35171f290c29ecde0ccff1']

  const list: readonly string[] = [address]
  const some = await client.prices.batch({ addresses: list, chainId: 52014 })
  expectTypeOf(some).toEqualTypeOf<Record<string, TokenPrice | null>>()
  expectTypeOf(some[other]).toEqualTypeOf<TokenPrice | null | undefined>()
  const mutable: string[] = [address]
  expectTypeOf(client.prices.batch({ addresses: mutable })).resolves.toEqualTypeOf<Record<string, TokenPrice | null>>()
})

test('withMeta resolves to the data and its cost', async () => {
  expectTypeOf(client.token.list()).toEqualTypeOf<ApiPromise<Token[]>>()
  expectTypeOf(client.token.list()).toExtend<Promise<Token[]>>()
  const { data, meta } = await client.token.list().withMeta()
  expectTypeOf(data).toEqualTypeOf<Token[]>()
  expectTypeOf(meta).toEqualTypeOf<CallMeta>()
  expectTypeOf(meta.credits.source).toEqualTypeOf<'header' | 'computed' | 'none'>()
  expectTypeOf(client.prices.batch({ addresses: [address] }).withMeta()).resolves.toEqualTypeOf<
    WithMeta<Record<typeof address, TokenPrice | null>>
  >()
  // @ts-expect-error the promise has it, not the data
  ;(await client.token.list()).withMeta()
  // @ts-expect-error read only
  meta.attempts = 5
})
