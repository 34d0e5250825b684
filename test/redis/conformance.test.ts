import { createRedisFleet } from 'etn-market/redis'
import { afterEach, describe, vi } from 'vitest'
import { fleetInternalsOf } from '../../src/fleet/fleet.ts'
import { type BudgetUnderTest, LIMIT, testBudget, WINDOW_MS } from '../support/budget-conformance.ts'
import { createTimedRunner } from '../support/redis-time.ts'
import { useFleet } from './setup.ts'

const setup = useFleet()
/** Longer than a case lasts. */
const LEASE_MS = 1_000 * WINDOW_MS

afterEach(() => {
  vi.restoreAllMocks()
})

/** Time passes for Redis and for the monotonic clock of its members. */
function testTime() {
  const runner = createTimedRunner(setup.connect(), 30_000_000 * WINDOW_MS)
  let elapsed = 0
  const now = performance.now.bind(performance)
  vi.spyOn(performance, 'now').mockImplementation(() => now() + elapsed)
  return {
    runner,
    stepWallClock(ms: number) {
      runner.now += ms
    },
    pass(ms: number) {
      runner.now += ms
      elapsed += ms
    },
  }
}

describe("a fleet's budget in Redis", () =>
  testBudget(async () => {
    const { runner, ...time } = testTime()
    const options = {
      name: 'bots',
      budget: { credits: LIMIT, windowMs: WINDOW_MS },
      timeoutMs: 5_000,
      leaseMs: LEASE_MS,
    }
    const join = async (): Promise<BudgetUnderTest> => {
      const fleet = createRedisFleet(runner, options)
      setup.onEnd(() => fleet.close())
      await fleet.initialize()
      const { budget } = fleetInternalsOf(fleet) ?? {}
      if (budget === undefined) throw new Error('The fleet has no budget.')
      const totals = async () => {
        await budget.flush()
        const { spent, reserved, uncertain, available } = await fleet.status()
        return { spent, reserved, uncertain, available }
      }
      return { budget, totals, ...time, restart: join }
    }
    return join()
  }))
