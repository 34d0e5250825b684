import { createClient, type OperationId, operations } from 'etn-market'
import { createFakeService, fakeKey, fakeTokens, fakeWallets } from 'etn-market/fake'
import * as published from 'etn-market/schemas'
import { expect, test } from 'vitest'
import * as z from 'zod/mini'

const { schemas, tokenHistory, tokenPrice } = published
const ids = Object.keys(operations) as OperationId[]

test('every operation has its schemas, by its id and by its own name', () => {
  const names = ids.map((id) => id.replace(/\.(.)/, (_, letter: string) => letter.toUpperCase()))
  const { schemas: byId, ...byName } = published
  expect(Object.keys(byName).sort()).toEqual([...names].sort())
  expect(names.map((name) => byName[name as keyof typeof byName])).toEqual(ids.map((id) => byId[id]))
})

test('a form is checked, sent, and its answer stored and checked again', async () => {
  await using fake = createFakeService({})
  await using client = createClient({ apiKey: fakeKey, baseUrl: fake.baseUrl, fetch: fake.fetch })
  const form = { address: fakeTokens.BOLT, duration: 'week' }

  const params = tokenHistory.params.parse(form)
  expect(params).toEqual({ ...form, duration: 'WEEK' })
  const stored = JSON.stringify(await client.token.history(params))

  expect(tokenHistory.data.parse(JSON.parse(stored))).toEqual(JSON.parse(stored))
  expect(tokenPrice.data.safeParse({ address: form.address, usd: 0.5 }).error?.issues).toMatchObject([
    { path: ['usd'], expected: 'string' },
  ])
})

test('the data of every operation of the fake service matches its schema', async () => {
  await using fake = createFakeService({})
  await using client = createClient({ apiKey: fakeKey, baseUrl: fake.baseUrl, fetch: fake.fetch, validate: 'off' })
  const address = fakeTokens.BOLT
  const [presale] = await client.presale.list()
  const params: Partial<Record<string, object>> = {
    'prices.batch': { addresses: [address] },
    'presale.get': { pool: presale?.pool },
    'balances.get': { address: fakeWallets.whale },
    'nft.collection': { address: (await client.nft.collections())[0]?.address },
    'nft.assets': { address: (await client.nft.collections())[0]?.address },
  }
  for (const id of ids) {
    const [group = '', action = ''] = id.split('.')
    const needsAddress = operations[id].params.some(({ name }) => name === 'address')
    const given = params[id] ?? (needsAddress ? { address } : {})
    expect(schemas[id].params.safeParse(given), id).toMatchObject({ success: true })
    const methods = client as unknown as Record<string, Record<string, (params: object) => Promise<unknown>>>
    const data = await methods[group]?.[action]?.(given)
    // The client returns prices by address with null for a missing one; the service leaves it out.
    expect(schemas[id].data.safeParse(data), id).toMatchObject({ success: true })
  }
})

test('the parameters of every operation become a JSON Schema, for example for a tool of a language model', () => {
  const all = ids.map((id) => z.toJSONSchema(schemas[id].params, { io: 'input' }))
  expect(all.every(({ type, additionalProperties }) => type === 'object' && additionalProperties === false)).toBe(true)
  expect(z.toJSONSchema(schemas['token.candles'].params, { io: 'input' })).toMatchObject({
    required: ['address'],
    properties: {
      address: { type: 'string', pattern: '^0x[0-9a-fA-F]{40}$' },
      limit: { type: 'integer', minimum: 1, maximum: 500 },
      bucket: { enum: ['1m', '15m', '1h', '4h', '1d'] },
    },
  })
})
