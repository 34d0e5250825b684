import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { type FakeOperation, fakeOperations, fakeRoutes } from '../../../src/fake/index.ts'
import { BOLT, examplePaths, NOBODY, play } from '../setup.ts'

// Typed in from the table of §8 a second time, so that one typo shows.
const TABLE: [FakeOperation, base: number, perItem: number, max: number | undefined, most: number][] = [
  ['etn.price', 25, 0, undefined, 25],
  ['token.price', 50, 0, undefined, 50],
  ['prices.batch', 100, 10, undefined, 600],
  ['token.get', 100, 0, undefined, 100],
  ['token.list', 100, 5, 100, 600],
  ['token.candles', 100, 1, 500, 600],
  ['token.history', 200, 0, undefined, 200],
  ['pool.list', 200, 5, 100, 700],
  ['trade.list', 250, 10, 25, 500],
  ['nft.stats', 25, 0, undefined, 25],
  ['nft.collections', 300, 10, 50, 800],
  ['nft.collection', 500, 0, undefined, 500],
  ['nft.assets', 400, 20, 50, 1_400],
  ['presale.list', 250, 10, 50, 750],
  ['presale.get', 200, 0, undefined, 200],
  ['balances.get', 800, 10, 200, 2_800],
  ['locks.get', 2_000, 0, undefined, 2_000],
  ['farm.list', 3_000, 0, undefined, 3_000],
]

const sizeOf = (data: object) =>
  'balances' in data ? Object.keys(data.balances as object).length : Array.isArray(data) ? data.length : 0

describe('§8: what a call costs', () => {
  it('lists every metered operation', () => {
    const metered = fakeOperations.filter((operation) => !fakeRoutes[operation].free)
    expect(TABLE.map(([operation]) => operation).sort()).toEqual([...metered].sort())
  })

  it.each(TABLE)('%s: base %i + %i x items returned, at most limit %s', async (operation, base, perItem, max, most) => {
    const { fake, get } = play({ world: { tokenCount: 240 } })
    expect(fakeRoutes[operation].maxLimit).toBe(max)
    const found = (await examplePaths(fake))[operation]
    fake.reset()
    const path = operation === 'balances.get' ? '/balances/52014/0xFeEdBeEf00000000000000000000000000000001' : found
    let charged = 0
    for (const query of max === undefined ? [''] : ['', '?limit=1', `?limit=${max}`]) {
      const { headers, body } = await get(path + query)
      const items = operation === 'prices.batch' ? 3 : sizeOf(body.data)
      if (query !== '') expect(query).toBe(`?limit=${items}`)
      const cost = base + perItem * items
      charged += cost
      expect(headers.get('x-credits-cost')).toBe(String(cost))
      expect(headers.get('x-credits-remaining')).toBe(String(1_000_000_000 - charged))
      expect(cost).toBeLessThanOrEqual(most)
      if (query.endsWith(`=${max}`)) expect(cost).toBe(most)
      fake.expectCredits({ [operation]: charged })
    }
  })

  it('prices.batch: every address in the list is charged, priced or not, repeated or not', async () => {
    const { fake, get } = play({ world: { tokenCount: 240 } })
    await get(`/prices/52014?addresses=${[BOLT, BOLT, NOBODY]}`)
    fake.expectCredits({ 'prices.batch': 130 })
    await get(`/prices/52014?addresses=${Array(50).fill(NOBODY)}`)
    fake.expectCredits({ 'prices.batch': 130 + 600 })
  })

  it.each(['/me', '/openapi.json'])('%s is free and carries no credit header', async (path) => {
    const { fake, get } = play({ keys: { k: 0 } })
    const { status, headers } = await get(path)
    expect(status).toBe(200)
    expect([...headers.keys()].filter((name) => name.startsWith('x-credits'))).toEqual([])
    fake.expectCredits(0)
  })

  it('this table equals that of the contract', () => {
    const contract = parse(readFileSync(new URL('../../../src/contract/openapi.yaml', import.meta.url), 'utf8'))
    for (const operation of fakeOperations) {
      const { path, base, perItem, maxLimit, heavy, free } = fakeRoutes[operation]
      const its = contract.paths[path]?.get
      expect(its?.operationId).toBe(operation)
      const limit = its.parameters?.find(({ name }: { name?: string }) => name === 'limit')
      expect({ operation, maxLimit: limit?.schema.maximum, heavy: its['x-heavy'], free: its['x-free'] }).toEqual({
        operation,
        maxLimit,
        heavy,
        free,
      })
      if (!free) expect({ operation, ...its['x-credits'] }).toMatchObject({ operation, base, perItem })
    }
  })
})
