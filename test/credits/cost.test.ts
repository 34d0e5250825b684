import { describe, expect, test } from 'vitest'
import { countItems, creditsToUsd, requestCost, sumCosts } from '../../src/credits/cost.ts'

describe('creditsToUsd', () => {
  test.each([
    [0, 0],
    [1_000_000, 1],
    [10_000, 0.01],
    [50, 0.00005],
    [2_500_000, 2.5],
    [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
  ])('%s credits are %s USD', (credits, usd) => {
    expect(creditsToUsd(credits)).toBe(usd)
  })
})

describe('the number of charged items is read from the data or the request', () => {
  test.each([
    ['token.list', [{}, {}, {}], 3],
    ['token.list', [], 0],
    ['balances.get', { balances: { a: {}, b: {} } }, 2],
    ['balances.get', { balances: {} }, 0],
    ['token.price', { usd: '1' }, 0],
    ['prices.batch', {}, 7],
    ['account.me', {}, 0],
  ] as const)('%s %j: %s', (operation, data, items) => {
    expect(countItems(operation, data, 7)).toBe(items)
  })

  test.each([
    ['token.list', undefined],
    ['token.list', null],
    ['token.list', 'text'],
    ['balances.get', {}],
    ['balances.get', { balances: null }],
    ['balances.get', null],
  ] as const)('the number of items is undefined for %s %j', (operation, data) => {
    expect(countItems(operation, data, 0)).toBeUndefined()
  })
})

test('the costs of several requests add up; without requests they are 0', () => {
  const costs = [requestCost('token.list', { limit: 20 }), requestCost('prices.batch', { addresses: 3 })]
  expect(sumCosts(costs.map((cost) => ({ cost })))).toEqual({ min: 230, max: 330, requests: 2 })
  expect(sumCosts([])).toEqual({ min: 0, max: 0, requests: 0 })
})
