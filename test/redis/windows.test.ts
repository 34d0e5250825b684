import fc from 'fast-check'
import { expect } from 'vitest'
import type { MemoryReservation } from '../../src/credits/budget.ts'
import { createMemoryBudget } from '../../src/credits/budget-core.ts'
import { type Drawn, testProperty, weighted } from '../support/property.ts'
import { configOf, START, useScripts, WINDOW_MS } from './scripts/setup.ts'
import { WindowsModel } from './windows-model.ts'

const scripts = useScripts()
const LIMIT = 1_000
/** No lease ends within a case. */
const config = configOf(LIMIT, WINDOW_MS, 1_000_000)

const which = fc.nat(20)
const charged = fc.nat(400)
const step = fc.oneof(
  weighted(4, {
    do: fc.constant('reserve'),
    // What fits exactly, and what just does not.
    credits: fc.oneof({ weight: 8, arbitrary: fc.integer({ min: 1, max: 600 }) }, fc.constantFrom('all', 'oneMore')),
  }),
  weighted(6, { do: fc.constantFrom('confirm', 'settle', 'release', 'markUncertain'), which, charged }),
  weighted(2, { do: fc.constant('move'), ms: fc.integer({ min: 0, max: 1_500 }) }),
  weighted(2, { do: fc.constant('move'), ms: fc.integer({ min: -2_500, max: 3_500 }) }),
)
type Step = Drawn<typeof step>

/** A clock that visits few windows, so that a budget of one process counts none of them together with another. */
const MIN = START - 2 * WINDOW_MS
const MAX = START + 5 * WINDOW_MS

async function run(steps: readonly Step[]): Promise<void> {
  await scripts.redis.flushall()
  let now = START
  scripts.at(now)
  await scripts.initialize(config)
  // Its windows begin at multiples of their length, as those of a fleet.
  const windows = new WindowsModel(WINDOW_MS, 0, () => now)
  const budget = createMemoryBudget({ limit: LIMIT, windows, keyBalances: undefined, now: () => now })
  // The first look of both is at the same time.
  await scripts.reserve('first', 0, { config })
  const held: { readonly id: string; readonly credits: number; readonly reservation: MemoryReservation }[] = []
  const verdictOf = async (work: () => unknown) => {
    try {
      await work()
      return 'granted'
    } catch (error) {
      const { code } = error as { code: string }
      return { budget_exceeded: 'refused', reservation_decided: 'decided' }[code] ?? error
    }
  }

  for (const [index, what] of steps.entries()) {
    if (what.do === 'move') {
      now = Math.min(MAX, Math.max(MIN, now + what.ms))
      scripts.at(now)
    } else if (what.do === 'reserve') {
      const id = `id-${index}`
      // What is free needs no entry in Redis.
      const available = Math.max(1, budget.available)
      const credits = what.credits === 'all' ? available : what.credits === 'oneMore' ? available + 1 : what.credits
      const verdict = await verdictOf(async () => {
        held.push({ id, credits, reservation: budget.reserve(credits) })
      })
      expect((await scripts.reserve(id, credits, { config })).verdict).toBe(verdict)
    } else {
      const { id, credits, reservation } = held[what.which % held.length] ?? {}
      if (id === undefined || credits === undefined || reservation === undefined) continue
      if (what.do === 'confirm') {
        const verdict = await verdictOf(() => reservation.confirm())
        expect((await scripts.reserve(id, credits, { config })).verdict).toBe(verdict)
      } else if (what.do === 'settle') {
        reservation.settle(what.charged)
        await scripts.settle(id, 's', what.charged)
      } else {
        reservation[what.do]()
        await scripts.settle(id, what.do === 'release' ? 'f' : 'u')
      }
    }
    const { spent, reserved, uncertain, resetsAt = 0 } = budget
    const totals = [spent, reserved, uncertain]
    // The status looks without a trace; what is free shows the clock to those that write. One connection executes them in this order.
    const [status, free] = await Promise.all([scripts.status(config), scripts.reserve(`free-${index}`, 0, { config })])
    expect(status).toMatchObject({ totals, msLeft: resetsAt - now })
    expect(free.totals).toEqual(totals)
  }
}

testProperty(
  'the windows of a fleet are those of the model: what counts, what fits and when they end, whatever the clock does',
  () => fc.asyncProperty(fc.array(step, { maxLength: 40, size: 'max' }), run),
  { cases: 25 },
)
