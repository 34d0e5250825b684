import type { Client, OperationData, OperationId, OperationParams, TokenPrice } from 'etn-market'
import { schemas, tokenHistory, tokenPrice } from 'etn-market/schemas'
import { expectTypeOf, test } from 'vitest'
import type * as z from 'zod/mini'

declare const client: Client
type Schemas = typeof schemas

test('every operation has schemas', () => {
  expectTypeOf<keyof Schemas>().toEqualTypeOf<OperationId>()
  expectTypeOf(schemas['token.price']).toEqualTypeOf(tokenPrice)
  // @ts-expect-error no such operation
  schemas['token.prices']
})

test('parsed parameters are the parameters of the call', () => {
  expectTypeOf<{ [Id in OperationId]: z.output<Schemas[Id]['params']> }>().toEqualTypeOf<OperationParams>()
  client.token.history(tokenHistory.params.parse({}))
  client.prices.batch(schemas['prices.batch'].params.parse({}))
  // @ts-expect-error the parameters of another operation
  client.token.history(schemas['token.list'].params.parse({}))
})

test('parsed data is the data of the call', () => {
  expectTypeOf<{ [Id in OperationId]: z.output<Schemas[Id]['data']> }>().toEqualTypeOf<OperationData>()
  expectTypeOf<z.infer<typeof tokenPrice.data>>().toEqualTypeOf<TokenPrice>()
  // @ts-expect-error no such field
  tokenPrice.data.parse({}).price.toFixed()
})
