import { QueryClient } from '@tanstack/query-core'
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { createClient, type EtnMarketError, type NftStats, type TokenPrice } from 'etn-market'
import { etnQueries } from 'etn-market/tanstack-query'
import { expectTypeOf, test } from 'vitest'

const queries = etnQueries(createClient())
const queryClient = new QueryClient()
const address = '0x043fAa1b5C5FC9a7dc35171f290c29ECDE0cCff1'

test('query options carry the type of their data and of their errors', () => {
  const options = queries.token.price({ address })
  expectTypeOf(queryClient.getQueryData(options.queryKey)).toEqualTypeOf<TokenPrice | undefined>()
  expectTypeOf(queryClient.fetchQuery(queries.nft.stats())).resolves.toEqualTypeOf<NftStats>()
  expectTypeOf(useSuspenseQuery(options).data).toEqualTypeOf<TokenPrice>()
  const { data, error } = useQuery({ ...options, select: ({ usd }) => usd })
  expectTypeOf(data).toEqualTypeOf<string | null | undefined>()
  expectTypeOf(error).toEqualTypeOf<EtnMarketError | null>()
  expectTypeOf(queryClient.getQueryState(options.queryKey)?.error).toEqualTypeOf<EtnMarketError | null | undefined>()
})

test('parameters are those of the operation', () => {
  // @ts-expect-error address is required
  queries.token.price()
  // @ts-expect-error there is no such parameter
  queries.token.list({ limt: 5 })
  // @ts-expect-error there is no such operation
  queries.token.prise({ address })
})
