import { expect, test } from 'vitest'
import { creditsToUsd, sumCosts } from '../../src/credits/cost.ts'

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

test('the costs of several requests add up; without requests they are 0', () => {
  const costs = [
    { min: 100, max: 200, requests: 1 },
    { min: 130, max: 130, requests: 1 },
  ]
  expect(sumCosts(costs.map((cost) => ({ cost })))).toEqual({ min: 230, max: 330, requests: 2 })
  expect(sumCosts([])).toEqual({ min: 0, max: 0, requests: 0 })
})
