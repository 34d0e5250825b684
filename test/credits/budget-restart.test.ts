import { expect, test } from 'vitest'
import { type BudgetOptions, createBudget } from '../../src/credits/budget.ts'
import { BudgetExceededError } from '../../src/errors/index.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const MIDNIGHT = Date.UTC(2026, 10, 20)

/** A store and a wall clock that outlive each process. */
function machine(defaults: Omit<BudgetOptions, 'store'>) {
  const store = new Map<string, string>()
  const time = { now: MIDNIGHT }
  const start = async (options: Partial<BudgetOptions> = {}) => {
    const budget = createBudget({ ...defaults, ...options, store }, { now: () => time.now })
    await budget.load()
    return budget
  }
  return { start, time, store }
}

test('20,000 credits a day stay 20,000 when the process restarts every ten minutes', async () => {
  const { start, time } = machine({ credits: 20_000, windowMs: DAY })
  const charged: number[] = []
  for (let day = 0; day < 3; day++) {
    let ofDay = 0
    for (let restart = 0; restart < 144; restart++) {
      const budget = await start()
      for (let i = 0; i < 12; i++) {
        const reservation = await budget.reserve(50).catch((error) => error)
        if (reservation instanceof BudgetExceededError) break
        await reservation.confirm()
        ofDay += 50
        // Every fifth process is killed with its last request in flight, every seventh answer is lost.
        if (restart % 5 === 0 && i === 11) break
        if (i % 7 === 0) reservation.markUncertain()
        else reservation.settle(50)
        time.now += 50_000
      }
      if (restart % 5 !== 0) await budget.flush()
      time.now = MIDNIGHT + day * DAY + (restart + 1) * 600_000
    }
    charged.push(ofDay)
  }
  expect(charged).toEqual([20_000, 20_000, 20_000])
})

test('windows begin at multiples of their length since 1970', async () => {
  const { start, time } = machine({ credits: 100, windowMs: DAY })
  time.now += 23 * HOUR
  const budget = await start()
  expect(budget.resetsAt).toBe(MIDNIGHT + DAY)
  const reservation = await budget.reserve(60)
  reservation.settle(60)
  await budget.flush()
  time.now += HOUR - 1
  expect((await start()).spent).toBe(60)
  time.now += 1
  expect(await start()).toMatchObject({ spent: 0, available: 100, resetsAt: MIDNIGHT + 2 * DAY })
})

test('without a window it never renews itself', async () => {
  const { start, time } = machine({ credits: 100 })
  const budget = await start()
  const reservation = await budget.reserve(60)
  reservation.settle(55)
  await budget.reserve(10)
  await budget.flush()
  time.now += 1000 * DAY
  expect(await start()).toMatchObject({ spent: 55, uncertain: 10, available: 35, resetsAt: undefined })
})

test.each([-10_000 * DAY, -DAY, -HOUR])('a wall clock %i ms behind at the restart frees nothing', async (step) => {
  const { start, time } = machine({ credits: 100, windowMs: DAY })
  const budget = await start()
  const reservation = await budget.reserve(60)
  reservation.settle(60)
  await budget.reserve(10)
  await budget.flush()
  time.now += step
  const restarted = await start()
  expect(restarted).toMatchObject({ spent: 60, uncertain: 10, available: 30 })
  expect(restarted.resetsAt).toBeLessThanOrEqual(time.now + DAY)
  time.now -= step
  expect(restarted).toMatchObject({ spent: 60, uncertain: 10, available: 30 })
})

test('a step forward that is taken back after a restart leaves the window as it was', async () => {
  const { start, time } = machine({ credits: 100, windowMs: DAY })
  const budget = await start()
  const before = await budget.reserve(60)
  before.settle(60)
  await budget.flush()
  time.now += 10_000 * DAY
  const ahead = await start()
  const reservation = await ahead.reserve(20)
  reservation.settle(20)
  await ahead.flush()
  time.now -= 10_000 * DAY
  expect(await start()).toMatchObject({ spent: 80, available: 20, resetsAt: MIDNIGHT + DAY })
})

test.each([
  ['shorter', DAY, HOUR],
  ['longer', HOUR, DAY],
  ['none', HOUR, undefined],
  ['one, where there was none', undefined, DAY],
])('with another window (%s) what is not over still counts', async (_, windowMs, other) => {
  const { start, time } = machine({ credits: 100, exclusiveKey: true })
  time.now += 5 * HOUR
  const budget = await start({ windowMs })
  const reservation = await budget.reserve(60)
  reservation.settle(60)
  await budget.reserve(10)
  expect(await start({ windowMs: other })).toMatchObject({ spent: 60, uncertain: 10, available: 30 })
  if (windowMs === HOUR && other === DAY) {
    time.now += HOUR
    expect(await start({ windowMs: other })).toMatchObject({ spent: 60 })
  }
})

test('a window that is over does not count with another length', async () => {
  const { start, time } = machine({ credits: 100 })
  const reservation = await (await start({ windowMs: HOUR })).reserve(60)
  reservation.settle(60)
  time.now += DAY
  expect(await start({ windowMs: DAY })).toMatchObject({ spent: 0, available: 100 })
})

test('with exclusiveKey the balance is kept: what a crash left in flight is proven after the restart', async () => {
  const { start, time } = machine({ credits: 5000, windowMs: DAY, exclusiveKey: true })
  const first = await start()
  const known = await first.reserve(50)
  await known.confirm()
  known.settle(50, { remaining: 10_000 })
  await (await first.reserve(600)).confirm()
  await (await first.reserve(300)).confirm()
  // The first of the two was charged 420.
  const second = await start()
  expect(second).toMatchObject({ spent: 50, uncertain: 900 })
  const free = await second.reserve(0)
  await free.confirm()
  expect(free.settle(0, { remaining: 9_580 })).toEqual({ charged: 420, freed: 480 })
  await second.flush()
  expect(await start()).toMatchObject({ spent: 470, uncertain: 0 })
  // What is lost on one day and proven on the next belongs to the first.
  await (await second.reserve(100)).confirm()
  time.now += DAY
  const nextDay = await start()
  const later = await nextDay.reserve(0)
  await later.confirm()
  expect(later.settle(0, { remaining: 9_480 })).toEqual({ charged: 100, freed: 0 })
  expect(nextDay).toMatchObject({ spent: 0, available: 5000 })
})
