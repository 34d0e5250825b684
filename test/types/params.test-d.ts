import type { Client } from 'etn-market'
import { estimateCost } from 'etn-market'
import { expectTypeOf, test } from 'vitest'

declare const client: Client
const address = '0x043fAa1b5C5FC9a7dc35171f290c29ECDE0cCff1'

test('required parameters cannot be left out', () => {
  // @ts-expect-error no parameters
  client.token.price()
  // @ts-expect-error no address
  client.token.price({})
  // @ts-expect-error no address
  client.token.get({ chainId: 52014 })
  // @ts-expect-error no address
  client.token.candles({ limit: 5, bucket: '1h' })
  // @ts-expect-error no address
  client.token.history({ duration: 'DAY' })
  // @ts-expect-error no address
  client.nft.collection({})
  // @ts-expect-error no address
  client.nft.assets({ limit: 5 })
  // @ts-expect-error no pool
  client.presale.get({})
  // @ts-expect-error a presale is found by its pool
  client.presale.get({ address })
  // @ts-expect-error no address
  client.balances.get()
  // @ts-expect-error no address
  client.locks.get()
  // @ts-expect-error no addresses
  client.prices.batch({})
  // @ts-expect-error no parameters
  client.prices.batch()
  // @ts-expect-error undefined is not an address
  client.token.price({ address: undefined })
  // @ts-expect-error no address
  client.token.price.estimate()
  // @ts-expect-error no addresses
  client.prices.batch.estimate({})
})

test('optional parameters can be left out or be undefined', () => {
  client.etn.price()
  client.etn.price({})
  client.token.list()
  client.token.list({ limit: undefined, chainId: undefined })
  client.token.candles({ address, limit: undefined, bucket: undefined, currency: undefined })
  client.token.history({ address, duration: undefined, currency: undefined })
  client.pool.list({ version: undefined })
  client.trade.list({ token: undefined })
  client.farm.list()
  client.account.me()
  client.meta.openapi()
  client.token.list.estimate()
})

test('parameters reject values outside their enumeration', () => {
  // @ts-expect-error no such bucket
  client.token.candles({ address, bucket: '5m' })
  // @ts-expect-error buckets have one case
  client.token.candles({ address, bucket: '1H' })
  // @ts-expect-error no such currency
  client.token.candles({ address, currency: 'EUR' })
  // @ts-expect-error no such window
  client.token.history({ address, duration: 'DECADE' })
  // @ts-expect-error a version is a number
  client.pool.list({ version: '2' })
  // @ts-expect-error there is no version 4
  client.pool.list({ version: 4 })
  // @ts-expect-error there is one chain
  client.token.list({ chainId: 1 })
  // @ts-expect-error a chain is a number
  client.token.list({ chainId: '52014' })
  // @ts-expect-error a limit is a number
  client.token.list({ limit: '5' })
  // @ts-expect-error null is not a limit
  client.token.list({ limit: null })
  client.token.candles({ address, bucket: '15m', currency: 'ETN' })
  client.token.history({ address, duration: 'week' })
  client.token.history({ address, duration: 'WEEK' })
  client.pool.list({ version: 3, chainId: 52014 })
})

test('operations reject unknown parameters', () => {
  // @ts-expect-error misspelt
  client.token.list({ limt: 5 })
  // @ts-expect-error no route takes a cursor
  client.trade.list({ cursor: 'x' })
  // @ts-expect-error farms have no filter by account
  client.farm.list({ farmer: address })
  // @ts-expect-error a price has no limit
  client.token.price({ address, limit: 5 })
  // @ts-expect-error this one takes no parameters
  client.etn.price({ limit: 5 })
  // @ts-expect-error this one takes no parameters, not even a chain
  client.nft.stats({ chainId: 52014 })
  // @ts-expect-error this one takes no parameters
  client.account.me({ address })
  // @ts-expect-error this one takes no parameters
  client.meta.openapi({ version: 3 })
  // @ts-expect-error parameters are an object
  client.etn.price('ETN')
  // @ts-expect-error parameters are an object
  client.nft.stats(5)
  // @ts-expect-error a batch has no limit
  client.prices.batch({ addresses: [address], limit: 5 })
  // @ts-expect-error addresses are a list
  client.prices.batch({ addresses: address })
  // @ts-expect-error addresses are texts
  client.prices.batch({ addresses: [5] })
  // @ts-expect-error misspelt
  client.token.list.estimate({ limt: 5 })
})

test('estimateCost takes the parameters of its operation', () => {
  expectTypeOf(estimateCost('token.list')).toEqualTypeOf<{
    readonly min: number
    readonly max: number
    readonly requests: number
  }>()
  expectTypeOf(client.token.list.estimate({ limit: 5 })).toEqualTypeOf(estimateCost('token.list', { limit: 5 }))
  expectTypeOf(client.prices.batch.estimate({ addresses: [address] })).toEqualTypeOf(estimateCost('token.list'))
  estimateCost('prices.batch', { addresses: [address] as readonly string[] })
  // @ts-expect-error no such operation
  estimateCost('token.prices')
  // @ts-expect-error no address
  estimateCost('token.price')
  // @ts-expect-error no address
  estimateCost('token.price', {})
  // @ts-expect-error the parameters of another operation
  estimateCost('token.list', { address })
  // @ts-expect-error this one takes no parameters
  estimateCost('etn.price', { limit: 5 })
})

test('only the operations of the contract', () => {
  // @ts-expect-error no such action
  client.token.trades({})
  // @ts-expect-error no such group
  client.tokens.list()
  // @ts-expect-error read only
  client.token = { ...client.token }
})
