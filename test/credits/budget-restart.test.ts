import { describe, expect, test } from 'vitest'
import { type BudgetOptions, createBudget } from '../../src/credits/budget.ts'
import { createKeyNames } from '../../src/credits/key-name.ts'
import { BudgetExceededError } from '../../src/errors/budget.ts'
import { inAnotherProcess } from '../support/store.ts'
import { steadyClock } from './budget-at.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const MIDNIGHT = Date.UTC(2026, 10, 20)

/** A store and a wall clock that outlive each process. */
type InWindows = Extract<BudgetOptions, { credits: number }>

function machine(defaults: InWindows) {
  const store = new Map<string, string>()
  const time = { now: MIDNIGHT }
  const start = async (options: Partial<InWindows> = {}) => {
    const budget = createBudget(
      { ...defaults, ...options, store: inAnotherProcess(store) },
      steadyClock(() => time.now),
    )
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

describe('with exclusiveKey', () => {
  const KEY = 'esk_live_a_key'
  const MINUTE = 60_000
  type Started = Awaited<ReturnType<ReturnType<typeof machine>['start']>>
  const send = async (budget: Started, credits: number) => {
    const reservation = await budget.reserve(credits)
    await reservation.confirm({}, KEY)
    return reservation
  }
  const ask = async (budget: Started, remaining: number) => (await send(budget, 0)).settle(0, { remaining })

  test('the balance is kept: what a crash left in flight is freed a minute after the restart', async () => {
    const { start, time } = machine({ credits: 5000, windowMs: DAY, exclusiveKey: true })
    const first = await start()
    ;(await send(first, 50)).settle(50, { remaining: 10_000 })
    await send(first, 600)
    await send(first, 300)
    time.now += MINUTE
    // The first of the two was charged 420. Nobody knows when the other was sent: it may have been just now.
    const second = await start()
    expect(second).toMatchObject({ spent: 50, uncertain: 900 })
    expect(await ask(second, 9_580)).toEqual({ charged: 420, freed: 0 })
    expect(second).toMatchObject({ spent: 470, uncertain: 900 })
    time.now += MINUTE
    expect(await ask(second, 9_580)).toEqual({ charged: 0, freed: 900 })
    await second.flush()
    expect(await start()).toMatchObject({ spent: 470, uncertain: 0 })
    // What is lost on one day and proven on the next belongs to the first.
    await send(second, 100)
    time.now += DAY
    const nextDay = await start()
    expect(await ask(nextDay, 9_480)).toEqual({ charged: 100, freed: 0 })
    expect(nextDay).toMatchObject({ spent: 0, available: 5000 })
  })

  test('losses keep their times over restarts, also where the wall clock was set meanwhile', async () => {
    const { start, time } = machine({ credits: 5000, windowMs: DAY, exclusiveKey: true })
    time.now += 5 * HOUR
    const first = await start()
    await ask(first, 10_000)
    ;(await send(first, 600)).markUncertain()
    time.now += MINUTE / 2
    ;(await send(first, 100)).markUncertain()
    await first.flush()
    time.now += MINUTE / 2
    const second = await start()
    expect(await ask(second, 10_000)).toEqual({ charged: 0, freed: 600 })
    await second.flush()
    // Set back: what is from the future is taken to be new.
    time.now -= HOUR
    const third = await start()
    time.now += MINUTE - 1
    expect(await ask(third, 10_000)).toBeUndefined()
    time.now += 1
    expect(await ask(third, 10_000)).toEqual({ charged: 0, freed: 100 })
  })

  test('what was lost in a window that is over frees nothing of one with another length', async () => {
    const { start, time } = machine({ credits: 5000, exclusiveKey: true })
    time.now += DAY - 10_000
    const first = await start({ windowMs: HOUR })
    await ask(first, 10_000)
    ;(await send(first, 600)).markUncertain()
    await first.flush()
    time.now += 20_000
    const second = await start({ windowMs: DAY })
    ;(await send(second, 100)).markUncertain()
    time.now += 45_000
    await ask(second, 10_000)
    expect(second.uncertain).toBe(100)
  })

  test('a request without a key that a crash left in flight is proven by no key', async () => {
    const { start, time } = machine({ credits: 5000, windowMs: DAY, exclusiveKey: true })
    const first = await start()
    await ask(first, 10_000)
    await (await first.reserve(600)).confirm()
    const second = await start()
    time.now += MINUTE
    expect(await ask(second, 10_000)).toBeUndefined()
    expect(second.uncertain).toBe(600)
  })

  test('an entry as version 0.1.0 of this package writes it is read', async () => {
    const { start, time, store } = machine({ credits: 5000, windowMs: DAY, exclusiveKey: true })
    const loss = { sentAt: MIDNIGHT, credits: 600, possible: 600, isCurrent: true }
    const evidence = { balance: 10_000, known: 30, losses: [loss] }
    const window = { start: MIDNIGHT, end: MIDNIGHT + DAY, countsUntil: null, spent: 10, reserved: 20, uncertain: 950 }
    const name = createKeyNames()(KEY)
    const keyBalances = { evidence: { [name]: evidence }, inUse: [name] }
    store.set('etn-market:budget:default', JSON.stringify({ v: 3, windowMs: DAY, windows: [window], keyBalances }))
    const budget = await start()
    expect(budget).toMatchObject({ spent: 10, uncertain: 970 })
    expect(await ask(budget, 9_970)).toBeUndefined()
    time.now += MINUTE
    expect(await ask(budget, 9_870)).toEqual({ charged: 100, freed: 520 })
    expect(budget).toMatchObject({ spent: 110, uncertain: 350 })
    await budget.flush()
    expect(JSON.parse(store.get('etn-market:budget:default') ?? '').v).toBe(3)
  })
})
