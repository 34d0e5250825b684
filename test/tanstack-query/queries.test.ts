import { QueryClient, QueryObserver } from '@tanstack/query-core'
import { createClient, InvalidRequestError, operations } from 'etn-market'
import { createFakeService, fakeTokens } from 'etn-market/fake'
import { type EtnQueriesSettings, etnQueries } from 'etn-market/tanstack-query'
import { describe, expect, test } from 'vitest'

const { BOLT, WETN } = fakeTokens

function start(settings?: EtnQueriesSettings, latencyMs = 0) {
  const fake = createFakeService({ latencyMs })
  const client = createClient({ apiKey: fake.key, fetch: fake.fetch })
  return { fake, client, queries: etnQueries(client, settings), queryClient: new QueryClient() }
}

test('every operation has query options that call it, and never retry', async () => {
  const { fake, queries } = start()
  const made = Object.entries(queries).flatMap(([group, actions]) =>
    Object.entries(actions).map(([action, factory]) => [`${group}.${action}`, (factory as () => object)()] as const),
  )
  expect(made.map(([operation]) => operation).sort()).toEqual(Object.keys(operations).sort())
  for (const [operation, options] of made) {
    expect(options).toMatchObject({
      queryKey: ['etn-market', operation, {}],
      retry: false,
      refetchOnWindowFocus: false,
    })
    const { staleTime, gcTime } = options as { staleTime: number; gcTime: number }
    expect(gcTime).toBeGreaterThanOrEqual(Math.max(staleTime, 300_000))
  }
  expect(await queries.nft.stats().queryFn({ signal: new AbortController().signal })).toHaveProperty('collections')
  expect(fake.charged()).toBe(25)
})

describe('nothing is bought twice', () => {
  test('while data is fresh, in any spelling of an address and any order of a batch', async () => {
    const { fake, queries, queryClient } = start()
    for (const address of [BOLT, BOLT.toLowerCase()]) await queryClient.fetchQuery(queries.token.price({ address }))
    for (const addresses of [
      [BOLT, WETN],
      [WETN, BOLT],
    ]) {
      expect(Object.keys(await queryClient.fetchQuery(queries.prices.batch({ addresses })))).toHaveLength(2)
    }
    const spelled = [WETN.toLowerCase(), BOLT, BOLT.toLowerCase()]
    const observer = new QueryObserver(queryClient, queries.prices.batch({ addresses: spelled }))
    const { data } = observer.getCurrentResult()
    expect(Object.keys(data ?? {})).toEqual(spelled)
    expect(data?.[BOLT.toLowerCase()]).toBe(data?.[BOLT])
    for (const duration of ['DAY', 'day'] as const)
      await queryClient.fetchQuery(queries.token.history({ address: BOLT, duration }))
    await queryClient.fetchQuery(queries.token.list({ limit: undefined }))
    await queryClient.fetchQuery(queries.token.list({ chainId: 52014 }))
    expect(fake.ledger().map(({ operation }) => operation)).toEqual([
      'token.price',
      'prices.batch',
      'token.history',
      'token.list',
    ])
    queryClient.clear()
  })

  test('when a component leaves before its answer and returns', async () => {
    const { fake, client, queries, queryClient } = start({}, 100)
    const options = queries.token.price({ address: BOLT })
    for (let visit = 0; visit < 3; visit++) {
      const leave = new QueryObserver(queryClient, options).subscribe(() => {})
      await expect.poll(() => fake.journal().length, { interval: 5 }).toBe(1)
      leave()
    }
    const data = await queryClient.fetchQuery(options)
    expect(data.address).toBe(BOLT)
    expect([fake.charged(), client.budget.uncertain]).toEqual([50, 0])
    queryClient.clear()
  })

  test('unless calls are aborted on demand: then a lost answer may have been charged', async () => {
    const { fake, client, queries, queryClient } = start({ abort: true }, 200)
    const options = queries.token.price({ address: BOLT })
    const leave = new QueryObserver(queryClient, options).subscribe(() => {})
    await expect.poll(() => fake.journal().length, { interval: 5 }).toBe(1)
    leave()
    await queryClient.fetchQuery(options)
    expect(client.budget.spent + client.budget.uncertain).toBe(100)
    expect(queries.token.price({ address: BOLT }, { abort: false }).queryFn.length).toBe(0)
    queryClient.clear()
  })
})

test('invalid parameters fail the query once, before anything is sent', async () => {
  const { fake, queries, queryClient } = start()
  const query = queryClient.fetchQuery(queries.token.price({ address: '0x12' }))
  await expect(query).rejects.toThrow(InvalidRequestError)
  expect(fake.journal()).toHaveLength(0)
  queryClient.clear()
})

test('fresh times can be set for an operation and for one query, and data is kept as long', () => {
  const { queries } = start({ staleTime: { 'token.list': 604_800_000 } })
  expect(queries.token.list()).toMatchObject({ staleTime: 604_800_000, gcTime: 604_800_000 })
  expect(queries.token.list({}, { staleTime: 1_000 })).toMatchObject({ staleTime: 1_000, gcTime: 300_000 })
  expect(queries.token.list({}, { gcTime: 0 })).toMatchObject({ gcTime: 0 })
})
