import fc from 'fast-check'
import { expect } from 'vitest'
import { addressList, creditsFor } from '../bench/economics/ledger.ts'
import { lowerBound } from '../bench/economics/lower-bound.ts'
import { cellsOf, type Promises, promisesOf } from '../bench/economics/promises.ts'
import type { Shape } from '../bench/economics/shapes.ts'
import { testProperty } from '../support/property.ts'

const STEP_MS = 1_000
const ROUNDS = 40

/** The cheapest schedule of all, found by trying every one. */
function cheapestSchedule(shape: Shape): number {
  const promises = promisesOf(shape)
  const cells = cellsOf(shape)
  const known = new Map<string, number>()
  const isKept = ({ notBefore, isWanted }: Promises, bought: number, cell: number) =>
    !isWanted[cell] || bought >= (notBefore[cell] ?? 0)
  const cheapestFrom = (cell: number, bought: readonly number[]): number => {
    if (cell === cells) return 0
    const key = `${cell} ${bought}`
    const before = known.get(key)
    if (before !== undefined) return before
    let lowest = Number.POSITIVE_INFINITY
    for (let subset = 0; subset < 2 ** promises.length; subset++) {
      const isBought = (index: number) => (subset & (1 << index)) !== 0
      if (promises.some(({ isWanted }, index) => isBought(index) && !isWanted[cell])) continue
      const now = bought.map((at, index) => (isBought(index) ? cell : at))
      if (!promises.every((one, index) => isKept(one, now[index] ?? -1, cell))) continue
      const count = promises.filter((_, index) => isBought(index)).length
      lowest = Math.min(lowest, creditsFor(count) + cheapestFrom(cell + 1, now))
    }
    known.set(key, lowest)
    return lowest
  }
  return cheapestFrom(
    0,
    promises.map(() => -1),
  )
}

const shape = fc
  .record({
    cells: fc.integer({ min: 1, max: 9 }),
    tokens: fc.integer({ min: 1, max: 4 }),
    watches: fc.array(
      fc.record({
        token: fc.nat(3),
        from: fc.nat(8),
        cells: fc.integer({ min: 1, max: 9 }),
        every: fc.integer({ min: 1, max: 4 }),
      }),
      { maxLength: 5 },
    ),
    lookUps: fc.array(fc.record({ token: fc.nat(3), at: fc.nat(8), maxAge: fc.nat(4) }), { maxLength: 4 }),
  })
  .map(({ cells, tokens, watches, lookUps }): Shape => {
    const addresses = addressList(tokens)
    const addressOf = (token: number) => addresses[token % tokens] as string
    return {
      durationMs: cells * STEP_MS,
      stepMs: STEP_MS,
      consumers: watches.map((watch, index) => ({
        name: String(index),
        addresses: [addressOf(watch.token)],
        everyMs: watch.every * STEP_MS,
        spans: [
          { from: (watch.from % cells) * STEP_MS, to: Math.min(cells, (watch.from % cells) + watch.cells) * STEP_MS },
        ],
      })),
      lookUps: lookUps.map(({ token, at, maxAge }) => ({
        at: (at % cells) * STEP_MS,
        addresses: [addressOf(token)],
        maxAgeMs: maxAge * STEP_MS,
      })),
    }
  })

let bounds = 0
let optima = 0

testProperty(
  'the lower bound of the bench is never above the cheapest schedule, and close to it',
  fc.property(shape, (one) => {
    const optimum = cheapestSchedule(one)
    expect(lowerBound(one, 0)).toBeLessThanOrEqual(optimum + 1e-6)
    const bound = lowerBound(one, ROUNDS)
    expect(bound).toBeLessThanOrEqual(optimum + 1e-6)
    bounds += bound
    optima += optimum
  }),
  {
    cases: 300,
    afterAll: () => expect(bounds).toBeGreaterThan(0.95 * optima),
  },
)
