import type { Client } from 'etn-market'
import { estimateCost } from 'etn-market'
import { expectTypeOf, test } from 'vitest'

declare const client: Client
const address = '0x043fAa1b5C5FC9a7dc35171f290c29ECDE0cCff1'

// What each operation takes is in `test/package/api/index.api.md`. Here is what a method makes of it, in one operation of each kind.

test('required parameters cannot be left out, and optional ones may be undefined', () => {
  // @ts-expect-error no parameters
  client.token.price()
  // @ts-expect-error no address
  client.token.candles({ limit: 5, bucket: '1h' })
  // @ts-expect-error undefined is not an address
  client.token.price({ address: undefined })
  // @ts-expect-error no addresses
  client.prices.batch({})
  // @ts-expect-error no address
  client.token.price.estimate()
  client.token.candles({ address, limit: undefined, bucket: undefined, currency: undefined })
  client.token.list()
  client.token.list({ limit: undefined, chainId: undefined })
  client.token.list.estimate()
  client.etn.price({})
})

test('parameters reject values outside their enumeration', () => {
  // @ts-expect-error no such bucket
  client.token.candles({ address, bucket: '5m' })
  // @ts-expect-error a version is a number
  client.pool.list({ version: '2' })
  // @ts-expect-error there is one chain
  client.token.list({ chainId: 1 })
  // @ts-expect-error null is not a limit
  client.token.list({ limit: null })
  client.token.history({ address, duration: 'week' })
  client.token.history({ address, duration: 'WEEK' })
  client.pool.list({ version: 3, chainId: 52014 })
})

test('operations reject unknown parameters', () => {
  // @ts-expect-error misspelt
  client.token.list({ limt: 5 })
  // @ts-expect-error a price has no limit
  client.token.price({ address, limit: 5 })
  // @ts-expect-error this one takes no parameters, not even a chain
  client.nft.stats({ chainId: 52014 })
  // @ts-expect-error parameters are an object
  client.etn.price('ETN')
  // @ts-expect-error a batch has no limit
  client.prices.batch({ addresses: [address], limit: 5 })
  // @ts-expect-error addresses are a list
  client.prices.batch({ addresses: address })
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
