import { creditsToUsd, estimateCost, type OperationId } from 'etn-market'
import { describe, expect, test } from 'vitest'
import { setup } from '../support/setup.ts'

const A = '0x043fAa1b5C5FC9a7dc35171f290c29ECDE0cCff1'
const B = '0x309B916b3A90cb3E071697Ea9680e9217A30066f'
const many = (count: number) => Array.from({ length: count }, (_, i) => `0x${i.toString(16).padStart(40, '0')}`)

const { client, script } = setup(() => new Response('{}'))

type Anything = { (params?: unknown): PromiseLike<unknown>; estimate(params?: unknown): unknown }
const methodOf = (operation: OperationId) => {
  const [group = '', action = ''] = operation.split('.')
  return (client as unknown as Record<string, Record<string, Anything>>)[group]![action]!
}

/** Those with the fewest parameters are in `test/contract/operations.test.ts`. */
const CASES: [operation: OperationId, params: object | undefined, min: number, max: number, requests?: number][] = [
  ['token.price', { address: A }, 50, 50],
  ['locks.get', { address: A, chainId: 52014 }, 2000, 2000],
  ['account.me', undefined, 0, 0],
  ['prices.batch', { addresses: [] }, 0, 0, 0],
  ['prices.batch', { addresses: [A, B, A.toLowerCase(), A] }, 120, 120],
  ['prices.batch', { addresses: many(20) }, 300, 300],
  ['prices.batch', { addresses: many(50) }, 600, 600],
  ['prices.batch', { addresses: many(51) }, 710, 710, 2],
  ['prices.batch', { addresses: many(120) }, 1500, 1500, 3],
  ['token.list', { limit: 20 }, 100, 200],
  ['token.list', { limit: 1 }, 100, 105],
  ['token.list', undefined, 100, 600],
  ['token.candles', { address: A, limit: 500 }, 100, 600],
  ['pool.list', { version: 3 }, 200, 700],
  ['trade.list', { limit: 3, token: A }, 250, 280],
  ['nft.assets', { address: A, limit: 50 }, 400, 1400],
  ['presale.list', { limit: undefined }, 250, 750],
  ['balances.get', { address: A, limit: 10 }, 800, 900],
]

describe('the estimate of a call: exact where the price is flat or per address, else from an empty page to a full one', () => {
  test.each(CASES)('%s %j: %i to %i', (operation, params, min, max, requests = 1) => {
    const expected = { min, max, requests }
    expect(estimateCost(operation, params as never)).toEqual(expected)
    expect(methodOf(operation).estimate(params)).toEqual(expected)
    expect(script.requests).toHaveLength(0)
  })
})

test.each(['nothing.here', 'toString', '__proto__', '', undefined])('rejects the unknown operation %j', (operation) => {
  expect(() => estimateCost(operation as 'etn.price')).toThrow(/Unknown operation/)
})

test.each([
  [0, 0],
  [50, 0.00005],
  [10_000, 0.01],
  [2_500_000, 2.5],
  [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
])('%s credits are %s USD', (credits, usd) => {
  expect(creditsToUsd(credits)).toBe(usd)
})
