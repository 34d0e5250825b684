import { createRedisFleet } from 'etn-market/redis'
import { describe } from 'vitest'
import { fleetInternalsOf } from '../../src/fleet/internals.ts'
import { LIMIT, testBudget } from '../support/budget-conformance.ts'
import { DAY_MS, OPTIONS, useFleet } from './setup.ts'

const setup = useFleet()

describe("a fleet's budget in Redis", () =>
  testBudget(
    async () => {
      const fleet = createRedisFleet(setup.connect(), { ...OPTIONS, budget: { credits: LIMIT, windowMs: DAY_MS } })
      setup.onEnd(() => fleet.close())
      await fleet.initialize()
      const { budget } = fleetInternalsOf(fleet) ?? {}
      if (budget === undefined) throw new Error('The fleet has no budget.')
      const totals = async () => {
        await budget.flush()
        const { spent, reserved, uncertain, available } = await fleet.status()
        return { spent, reserved, uncertain, available }
      }
      return { budget, totals }
    },
    // Its windows are those of the clock of Redis: `model.test.ts` lets that pass.
    { canPass: false },
  ))
