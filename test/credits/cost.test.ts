import { describe, expect, test } from 'vitest'
import { creditsToUsd, requestCost, sumCosts } from '../../src/credits/cost.ts'

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

test('the costs of several requests add up; without requests they are 0', () => {
  const costs = [requestCost('token.list', { limit: 20 }), requestCost('prices.batch', { addresses: 3 })]
  expect(sumCosts(costs.map((cost) => ({ cost })))).toEqual({ min: 230, max: 330, requests: 2 })
  expect(sumCosts([])).toEqual({ min: 0, max: 0, requests: 0 })
})
