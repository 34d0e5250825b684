import { describe, expect, test } from 'vitest'
import { createBudget, type StoredBudget } from '../../src/credits/budget.ts'
import { BudgetExceededError } from '../../src/errors/budget.ts'
import { inAnotherProcess } from '../support/store.ts'

const HOUR = 3_600_000
const MIDNIGHT = Date.UTC(2026, 10, 20)

/** A machine whose wall clock can be set, and a store that outlives its processes. */
function machine() {
  const store = new Map<string, string>()
  const time = { elapsed: 0, wallOffset: 0 }
  const now = () => MIDNIGHT + time.elapsed + time.wallOffset
  const clock = { now, monotonic: () => time.elapsed + 0.25 }
  const start = async () => {
    const budget = createBudget({ credits: 1_000, windowMs: HOUR, store: inAnotherProcess(store) }, clock)
    await budget.load()
    return budget
  }
  return { store, time, start }
}

async function spend(budget: StoredBudget, credits: number): Promise<void> {
  const reservation = await budget.reserve(credits)
  await reservation.confirm()
  reservation.settle(credits)
  await budget.flush()
}

/** Spends what fits, in steps of 100, and returns how much. */
async function spendAll(budget: StoredBudget): Promise<number> {
  for (let spent = 0; ; spent += 100) {
    const error = await spend(budget, 100).catch((caught) => caught)
    if (error instanceof BudgetExceededError) return spent
  }
}

test('while a process lives, no step of the wall clock frees what was spent in the last hour', async () => {
  const { time, start } = machine()
  const budget = await start()
  let spent = await spendAll(budget)
  for (const hours of [1, -1, -8_760, 8_760, 8_760, -24 * 8, 2, -5, 48]) {
    time.wallOffset += hours * HOUR
    spent += await spendAll(budget)
  }
  expect(spent).toBe(1_000)
  await budget.flush()
  // The next process finds it too, wherever the wall clock is.
  expect(await start()).toMatchObject({ spent: 1_000, available: 0 })
  time.elapsed += HOUR
  expect(budget.available).toBe(1_000)
  expect(await start()).toMatchObject({ spent: 0, available: 1_000 })
})

test('resetsAt is a moment of the wall clock as it is now', async () => {
  const { time, start } = machine()
  const budget = await start()
  time.elapsed += HOUR / 4
  time.wallOffset = -10 * HOUR
  expect(budget.resetsAt).toBe(MIDNIGHT - 9 * HOUR)
})

test('resetsAt is midnight for clocks that count parts of a millisecond, as the system does', async () => {
  for (let elapsed = 0; elapsed < 40; elapsed += 0.7) {
    const at = (ms: number) => ({ now: () => Math.floor(MIDNIGHT + ms), monotonic: () => ms + 0.123 })
    let clock = at(elapsed)
    const time = { now: () => clock.now(), monotonic: () => clock.monotonic() }
    const budget = createBudget({ credits: 1, windowMs: HOUR, store: new Map() }, time)
    await budget.load()
    clock = at(elapsed * 31.7)
    expect(budget.resetsAt).toBe(MIDNIGHT + HOUR)
  }
})

describe('over a restart', () => {
  test('an entry from the future counts for the length of a window, however far ahead it is and however often it is loaded', async () => {
    const { time, start } = machine()
    time.wallOffset = 87_600 * HOUR
    await spendAll(await start())
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
    expect((await start()).available).toBe(0)
    time.elapsed = HOUR
    expect((await start()).available).toBe(1_000)
  })
})

describe('restarted after each step', () => {
  /** Each step moves the wall clock, and then the process ends. */
  async function process() {
    const { time, start } = machine()
    let budget = await start()
    const step = async (ms: number) => {
      await budget.flush()
      time.wallOffset += ms
      budget = await start()
      return budget
    }
    return { step, moment: () => MIDNIGHT + time.wallOffset }
  }

  test('a wall clock that is set back again and again holds up for one window', async () => {
    const { step, moment } = await process()
    await spend(await step(0), 900)
    for (const ms of [-5 * HOUR, -3 * HOUR, -87_600 * HOUR]) {
      const budget = await step(ms)
      expect(budget).toMatchObject({ spent: 900, available: 100 })
      expect(budget.resetsAt).toBeLessThanOrEqual(moment() + HOUR)
    }
    expect((await step(HOUR - 1)).available).toBe(100)
    expect((await step(1)).available).toBe(1_000)
  })

  test('a step forward that is taken back leaves the window as it was', async () => {
    const { step } = await process()
    await spend(await step(0), 600)
    const ahead = await step(87_600 * HOUR)
    expect(ahead.spent).toBe(0)
    await spend(ahead, 150)
    await ahead.reserve(50)
    const budget = await step(-87_600 * HOUR)
    expect(budget).toMatchObject({ spent: 750, uncertain: 50, available: 200, resetsAt: MIDNIGHT + HOUR })
    expect(await step(HOUR)).toMatchObject({ available: 1_000, resetsAt: MIDNIGHT + 2 * HOUR })
  })

  test('a step back over the begin of a window, and forward again, frees nothing', async () => {
    const { step } = await process()
    await spend(await step(0), 900)
    await spend(await step(HOUR), 800)
    expect(await step(-1_000)).toMatchObject({ available: 0, resetsAt: MIDNIGHT + HOUR })
    expect(await step(1_000)).toMatchObject({ spent: 800, available: 200 })
  })

  test('what a clock that is set back many times leaves behind is forgotten by no step', async () => {
    const { step } = await process()
    await spend(await step(0), 900)
    for (let back = 0; back < 12; back++) await (await (await step(-HOUR)).reserve(1)).release()
    expect((await step(12 * HOUR)).available).toBe(100)
  })
})

describe('a step forward', () => {
  test('begins the next window, in which what was spent counts for as long as it had left', async () => {
    const { time, start } = machine()
    const budget = await start()
    time.elapsed = HOUR / 4
    await spend(budget, 700)
    time.wallOffset = 7 * HOUR
    expect(budget).toMatchObject({ spent: 700, available: 300, resetsAt: MIDNIGHT + 8 * HOUR })
    await spend(budget, 300)
    time.elapsed = HOUR / 2
    // Over a restart, too.
    await budget.flush()
    for (const one of [budget, await start()]) expect(one).toMatchObject({ available: 0 })
    time.elapsed = HOUR
    for (const one of [budget, await start()])
      expect(one).toMatchObject({ spent: 0, available: 1_000, resetsAt: MIDNIGHT + 9 * HOUR })
  })

  test('within a window ends it early by the step, and what was spent counts for as long as it had left', async () => {
    const { time, start } = machine()
    const budget = await start()
    await spend(budget, 700)
    time.wallOffset = HOUR / 2
    expect(budget).toMatchObject({ spent: 700, resetsAt: MIDNIGHT + HOUR })
    time.elapsed = HOUR / 2
    expect(budget).toMatchObject({ spent: 700, available: 300, resetsAt: MIDNIGHT + 1.5 * HOUR })
    time.elapsed = HOUR
    expect(budget).toMatchObject({ spent: 0, available: 1_000, resetsAt: MIDNIGHT + 2 * HOUR })
  })

  test('counts a reservation once that is sent after it', async () => {
    const { time, start } = machine()
    const budget = await start()
    const queued = await budget.reserve(400)
    time.wallOffset += HOUR
    await queued.confirm()
    expect(budget).toMatchObject({ spent: 0, reserved: 400, uncertain: 0, available: 600 })
  })

  test('again and again makes no more windows than are kept, and frees nothing', async () => {
    const { time, start, store } = machine()
    const budget = await start()
    for (let step = 1; step <= 20; step++) {
      await spend(budget, 10)
      time.wallOffset += HOUR
      expect(budget.spent).toBe(10 * step)
    }
    await spend(budget, 10)
    expect(JSON.parse([...store.values()][0] ?? '').windows.length).toBeLessThan(10)
    time.elapsed = HOUR
    expect(budget.spent).toBe(0)
  })

  test('drifts no midnight: after ten nights in which nothing has counted the time, the window is that of the wall clock', async () => {
    const { time, start } = machine()
    const budget = await start()
    for (let night = 0; night < 10; night++) {
      time.elapsed += 16.5 * HOUR
      time.wallOffset += 7.25 * HOUR
      expect(budget.resetsAt).toBe((Math.floor((MIDNIGHT + time.elapsed + time.wallOffset) / HOUR) + 1) * HOUR)
    }
  })
})
