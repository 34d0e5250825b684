import { describe, expect, test } from 'vitest'
import { readSources } from '../../src/contract/generator/generate.ts'
import { readModel } from '../../src/contract/generator/read-contract.ts'
import { estimateCost } from '../../src/credits/cost.ts'
import { type OperationId, operations } from '../../src/generated/operations.ts'
import type { Operation } from '../../src/operations/operation.ts'

type Row = [id: OperationId, path: string, query: string, base: number, perItem: number, max: number, most: number]

/** Copied by hand from the service's description, sections 4 and 8: not read from the contract. */
const TABLE: Row[] = [
  ['etn.price', '/prices/etn', '', 25, 0, 0, 25],
  ['token.price', '/prices/{chainId}/{address}', '', 50, 0, 0, 50],
  ['prices.batch', '/prices/{chainId}', 'addresses', 100, 10, 50, 600],
  ['token.get', '/tokens/{chainId}/{address}', '', 100, 0, 0, 100],
  ['token.list', '/tokens/{chainId}', 'limit?', 100, 5, 100, 600],
  ['token.candles', '/tokens/{chainId}/{address}/candles', 'limit? bucket? currency?', 100, 1, 500, 600],
  ['token.history', '/tokens/{chainId}/{address}/history', 'duration? currency?', 200, 0, 0, 200],
  ['pool.list', '/pools/{chainId}', 'limit? version?', 200, 5, 100, 700],
  ['trade.list', '/trades/{chainId}', 'limit? token?', 250, 10, 25, 500],
  ['nft.stats', '/nft/stats', '', 25, 0, 0, 25],
  ['nft.collections', '/nft/collections/{chainId}', 'limit?', 300, 10, 50, 800],
  ['nft.collection', '/nft/collections/{chainId}/{address}', '', 500, 0, 0, 500],
  ['nft.assets', '/nft/collections/{chainId}/{address}/assets', 'limit?', 400, 20, 50, 1400],
  ['presale.list', '/presales/{chainId}', 'limit?', 250, 10, 50, 750],
  ['presale.get', '/presales/{chainId}/{pool}', '', 200, 0, 0, 200],
  ['balances.get', '/balances/{chainId}/{address}', 'limit?', 800, 10, 200, 2800],
  ['locks.get', '/tokens/{chainId}/{address}/liquidity-locks', '', 2000, 0, 0, 2000],
  ['farm.list', '/farms/{chainId}', '', 3000, 0, 0, 3000],
  ['account.me', '/me', '', 0, 0, 0, 0],
  ['meta.openapi', '/openapi.json', '', 0, 0, 0, 0],
]
const FREE = ['account.me', 'meta.openapi']
const HEAVY = ['locks.get', 'farm.list']
const WITHOUT_KEY = ['meta.openapi']

const A = '0x043fAa1b5C5FC9a7dc35171f290c29ECDE0cCff1'

const model = readModel(readSources().contract)

test('the contract has the operations of the service description and no others', () => {
  expect(Object.keys(operations).sort()).toEqual(TABLE.map(([id]) => id).sort())
})

describe.each(TABLE)('%s', (id, path, query, base, perItem, max, most) => {
  const operation = operations[id] as Operation
  const written = model.operations.find((candidate) => candidate.id === id)!

  test('has the described path and parameters', () => {
    expect([written.path, operation.path]).toEqual([path, path])
    const inPath = written.params.filter((param) => param.in === 'path')
    expect(inPath.map(({ name }) => `{${name}}`)).toEqual(path.match(/\{\w+\}/g) ?? [])
    expect(inPath.every(({ required }) => required)).toBe(true)
    const inQuery = written.params.filter((param) => param.in === 'query')
    expect(inQuery.map(({ name, required }) => (required ? name : `${name}?`)).join(' ')).toBe(query)
    const carried = operation.params.map(({ name, required }) => (required ? name : `${name}?`))
    const inPathToFill = inPath.map(({ name }) => name).filter((name) => name !== 'chainId')
    expect(carried.join(' ')).toBe([...inPathToFill, ...(query === '' ? [] : [query])].join(' '))
  })

  test('has the described cost', () => {
    for (const { credits } of [written, operation]) {
      expect(credits === null).toBe(FREE.includes(id))
      expect([credits?.base ?? 0, credits?.perItem ?? 0, credits?.maxItems ?? 0]).toEqual([base, perItem, max])
    }
    expect(base + perItem * max).toBe(most)
  })

  test('is estimated from an empty page to a full one', () => {
    const required = operation.params.filter((param) => param.required)
    const params = Object.fromEntries(required.map(({ name, kind }) => [name, kind === 'addresses' ? [A] : A]))
    const expected = id === 'prices.batch' ? { min: 110, max: 110 } : { min: base, max: most }
    expect(estimateCost(id, params as never)).toEqual({ ...expected, requests: 1 })
  })

  test('is heavy, and needs a key, as described', () => {
    expect([written.heavy, operation.heavy ?? false]).toEqual([HEAVY.includes(id), HEAVY.includes(id)])
    expect([!written.needsKey, operation.keyless ?? false]).toEqual([
      WITHOUT_KEY.includes(id),
      WITHOUT_KEY.includes(id),
    ])
  })

  test('declares the errors that it can answer with', () => {
    const paths = model.document.paths as Record<string, { get: { responses: object } }>
    const namesOne = path.includes('{address}') || path.includes('{pool}')
    const codes = [
      '200',
      ...(written.params.length > 0 ? ['400'] : []),
      ...(WITHOUT_KEY.includes(id) ? [] : ['401']),
      ...(FREE.includes(id) ? [] : ['402']),
      ...(namesOne && id !== 'balances.get' ? ['404'] : []),
      '429',
      ...(HEAVY.includes(id) ? ['503'] : []),
      '5XX',
      'default',
    ]
    expect(Object.keys(paths[path]?.get.responses ?? {}).sort()).toEqual(codes.sort())
  })
})

const accepts = (id: OperationId, params: object) => {
  try {
    estimateCost(id, params as never)
    return true
  } catch {
    return false
  }
}

describe('accepts the allowed values only:', () => {
  test.each([
    ['token.candles', 'bucket', ['1m', '15m', '1h', '4h', '1d'], ['5m', '1H', '1w', '', 60]],
    ['token.candles', 'currency', ['USD', 'ETN'], ['usd', 'EUR', '', 1]],
    ['token.history', 'currency', ['USD', 'ETN'], ['etn', 'EUR']],
    ['token.history', 'duration', ['HOUR', 'DAY', 'WEEK', 'MONTH', 'YEAR', 'hour', 'wEeK'], ['DECADE', 'DAYS', '', 1]],
    ['pool.list', 'version', [2, 3], [1, 4, '2', '3', 2.5, 'V2']],
    ['token.list', 'chainId', [52014], [1, '52014', 52015, 0]],
    ['presale.get', 'pool', [A, A.toLowerCase()], ['', '0x', A.slice(2), `${A}0`, '../me', 5]],
    ['trade.list', 'token', [A], ['', 'BOLT', A.slice(0, 41)]],
  ] as const)('%s: %s', (id, name, good, bad) => {
    const rest = operations[id].path.includes('{address}') ? { address: A } : {}
    expect(good.filter((value) => !accepts(id, { ...rest, [name]: value }))).toEqual([])
    expect(bad.filter((value) => accepts(id, { ...rest, [name]: value }))).toEqual([])
  })

  test.each(TABLE.filter(([, , query]) => query.includes('limit')))('limit of %s', (id, path, _, __, ___, max) => {
    const rest = path.includes('{address}') ? { address: A } : {}
    const refused = [0, -1, 1.5, max + 1, Number.NaN, Number.POSITIVE_INFINITY, '1', null, true]
    expect([1, max].filter((limit) => !accepts(id, { ...rest, limit }))).toEqual([])
    expect(refused.filter((limit) => accepts(id, { ...rest, limit }))).toEqual([])
  })
})

test('declares both credit headers on every metered answer and on no other', () => {
  const { responses } = model.document.components as { responses: Record<string, { headers?: object }> }
  const names = model.operations.filter(({ credits }) => credits !== null)
  const metered = Object.values(responses).filter(({ headers = {} }) => 'X-Credits-Cost' in headers)
  expect(metered.every(({ headers = {} }) => 'X-Credits-Remaining' in headers)).toBe(true)
  expect(metered).toHaveLength(names.length)
  const remaining = Object.values(responses).filter(({ headers = {} }) => 'X-Credits-Remaining' in headers)
  expect(remaining).toHaveLength(metered.length)
})
