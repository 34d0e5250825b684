import { describe, expect, test } from 'vitest'
import { createBudget } from '../../src/credits/budget.ts'
import { BudgetExceededError } from '../../src/errors/index.ts'

const HOUR = 3_600_000
const MIDNIGHT = Date.UTC(2026, 10, 20)

/** A machine whose wall clock can be set, and a store that outlives its processes. */
function machine(limit = 1_000) {
  const store = new Map<string, string>()
  const time = { elapsed: 0, wallOffset: 0 }
  const clock = { now: () => MIDNIGHT + time.elapsed + time.wallOffset, monotonic: () => time.elapsed + 0.25 }
  const start = async (windowMs = HOUR) => {
    const budget = createBudget({ credits: limit, windowMs, store }, clock)
    await budget.load()
    return budget
  }
  return { store, time, start }
}

/** Spends what fits, in steps of 100, and returns how much. */
async function spendAll(budget: Awaited<ReturnType<ReturnType<typeof machine>['start']>>): Promise<number> {
  for (let spent = 0; ; spent += 100) {
    const reservation = await budget.reserve(100).catch((error) => error)
    if (reservation instanceof BudgetExceededError) return spent
    await reservation.confirm()
    reservation.settle(100)
  }
}

describe('while a process lives, no step of the wall clock changes a stored window', () => {
  test.each([
    ['back', [-HOUR, -24 * HOUR, -8_760 * HOUR]],
    ['forward', [HOUR, 24 * HOUR, 8_760 * HOUR]],
    ['back and forth', [HOUR, -HOUR, 2 * HOUR, -5 * HOUR, 48 * HOUR]],
    ['eight times back and once forward', [...Array(8).fill(-24 * HOUR), 8 * 24 * HOUR]],
  ])('%s', async (_, steps) => {
    const { time, start, store } = machine()
    const budget = await start()
    let spent = await spendAll(budget)
    for (const step of steps) {
      time.wallOffset += step
      spent += await spendAll(budget)
    }
    expect(spent).toBe(1_000)
    await budget.flush()
    expect(() => JSON.parse([...store.values()].join())).not.toThrow()
    // The next process finds it too, wherever the wall clock is.
    expect(await start()).toMatchObject({ spent: 1_000, available: 0 })
    time.elapsed += HOUR
    expect(budget.available).toBe(1_000)
    expect(await start()).toMatchObject({ spent: 0, available: 1_000 })
  })

  test('a clock without a monotonic time that is set back twice holds up for one window', () => {
    let now = MIDNIGHT + 10 * HOUR
    const budget = createBudget({ credits: 1_000, windowMs: HOUR }, { now: () => now })
    budget.reserve(900).settle(900)
    for (const step of [-5 * HOUR, -3 * HOUR]) {
      now += step
      expect(budget.available).toBe(100)
    }
    now += HOUR - 1
    expect(budget.available).toBe(100)
    now += 1
    expect(budget.available).toBe(1_000)
  })

  test('resetsAt is a moment of the wall clock as it is now', async () => {
    const { time, start } = machine()
    const budget = await start()
    time.elapsed += HOUR / 4
    time.wallOffset = -10 * HOUR
    expect(budget.resetsAt).toBe(MIDNIGHT - 9 * HOUR)
  })
})

describe('over a restart', () => {
  test('an entry from the future counts for the length of a window, however far ahead it is and however often it is loaded', async () => {
    const { time, start } = machine()
    time.wallOffset = 87_600 * HOUR
    const ahead = await start()
    await spendAll(ahead)
    await ahead.flush()
    time.wallOffset = 0
    for (let quarter = 0; quarter < 4; quarter++) {
      const restarted = await start()
      expect(restarted.available).toBe(0)
      await restarted.flush()
      time.elapsed += HOUR / 4
    }
    expect((await start()).available).toBe(1_000)
  })

  test('what was charged after the wall clock was corrected counts until its window ends by the right clock', async () => {
    const { time, start } = machine()
    time.elapsed = HOUR / 2
    time.wallOffset = -HOUR
    const budget = await start()
    time.wallOffset = 0
    await spendAll(budget)
    await budget.flush()
    expect((await start()).available).toBe(0)
    time.elapsed = HOUR
    expect((await start()).available).toBe(1_000)
  })
})

describe('without a monotonic time', () => {
  test('what a clock that is set back many times leaves behind is forgotten by no step', async () => {
    let now = MIDNIGHT
    const store = new Map<string, string>()
    const create = () => createBudget({ credits: 1_000, windowMs: HOUR, store }, { now: () => now })
    const budget = create()
    const reservation = await budget.reserve(900)
    reservation.settle(900)
    for (let step = 0; step < 12; step++) {
      now -= HOUR
      await (await budget.reserve(1)).release()
    }
    now += 12 * HOUR
    expect(budget.available).toBe(100)
    await budget.flush()
    const restarted = create()
    await restarted.load()
    expect(restarted.available).toBe(100)
  })

  test('more windows than are kept are counted together', async () => {
    let now = MIDNIGHT
    const budget = createBudget({ credits: 1_000, windowMs: HOUR, store: new Map() }, { now: () => now })
    for (let step = 0; step < 20; step++) {
      const reservation = await budget.reserve(10)
      reservation.settle(10)
      now -= HOUR / 60
      await (await budget.reserve(0)).release()
      now -= HOUR
    }
    now += 21 * HOUR
    expect(budget.spent).toBeGreaterThanOrEqual(10)
  })
})
