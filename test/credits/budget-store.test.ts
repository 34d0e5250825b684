import { createClient } from 'etn-market'
import { describe, expect, test } from 'vitest'
import { createBudget, type Reservation } from '../../src/credits/budget.ts'
import { flush } from '../support/clock.ts'
import { inAnotherProcess } from '../support/store.ts'
import { START, steadyClock } from './budget-at.ts'
import { afterRestart, slowStore } from './slow-store.ts'

const clock = steadyClock(() => START)

describe('a reservation', () => {
  test('is written before reserve resolves', async () => {
    const { store, map, writes } = slowStore()
    const budget = createBudget({ credits: 1000, store }, clock)
    let isReserved = false
    const reserved = budget.reserve(50).then((reservation) => {
      isReserved = true
      return reservation
    })
    await flush()
    expect([isReserved, writes.length, map.size]).toEqual([false, 1, 0])
    writes[0]?.end()
    const reservation = await reserved
    expect(await afterRestart(store)).toEqual({ spent: 0, reserved: 0, uncertain: 50, available: 950 })
    expect(reservation.confirm()).toBeUndefined()
    reservation.settle(20)
    await flush()
    writes[1]?.end()
    await flush()
    expect(await afterRestart(store)).toEqual({ spent: 20, reserved: 0, uncertain: 0, available: 980 })
  })

  test('shares a write with all others that wait for one, and none returns before it', async () => {
    const { store, writes } = slowStore()
    const budget = createBudget({ credits: 1000, store }, clock)
    const done: Reservation[] = []
    for (let i = 0; i < 100; i++) budget.reserve(1).then((reservation) => done.push(reservation))
    await flush()
    for (let i = 0; i < 100; i++) budget.reserve(1).then((reservation) => done.push(reservation))
    await flush()
    expect(writes).toHaveLength(1)
    writes[0]?.end()
    await flush()
    expect(done).toHaveLength(100)
    expect(writes).toHaveLength(2)
    writes[1]?.end()
    await flush()
    expect(done).toHaveLength(200)
    expect(writes).toHaveLength(2)
  })

  test('that moves to another window is written there before it may be sent', async () => {
    let now = START
    const { store, map, writes } = slowStore()
    const budget = createBudget(
      { credits: 100, windowMs: 1000, store },
      steadyClock(() => now),
    )
    const reserved = budget.reserve(60)
    await flush()
    writes[0]?.end()
    const reservation = await reserved
    now += 1000
    let isConfirmed = false
    const confirmed = Promise.resolve(reservation.confirm()).then(() => {
      isConfirmed = true
    })
    await flush()
    expect([isConfirmed, writes.length]).toEqual([false, 2])
    // A third window begins while the second is written.
    now += 1000
    writes[1]?.end()
    await flush()
    expect([isConfirmed, writes.length]).toEqual([false, 3])
    writes[2]?.end()
    await confirmed
    const restarted = createBudget(
      { credits: 100, windowMs: 1000, store: map },
      steadyClock(() => now),
    )
    await restarted.load()
    expect(restarted.uncertain).toBe(60)
    reservation.settle(60)
    expect(budget.spent).toBe(60)
  })
})

test('a client that is closed while a reservation is written leaves none in the store, and writes nothing later', async () => {
  const { store, writes } = slowStore()
  const fetch = () => Promise.reject(new Error('sent'))
  const client = createClient({ apiKey: 'esk_live_key', fetch, budget: { credits: 1000, store } })
  const call = client.etn.price().catch((error: unknown) => error)
  await flush()
  expect(writes).toHaveLength(1)
  let isClosed = false
  const closed = client.close().then(() => {
    isClosed = true
  })
  expect(await call).toMatchObject({ code: 'client_closed', attempts: 0, charge: 'none' })
  for (let written = 0; !isClosed; written++) {
    writes[written]?.end()
    await flush()
  }
  await closed
  const before = writes.length
  expect(await afterRestart(store)).toEqual({ spent: 0, reserved: 0, uncertain: 0, available: 1000 })
  await flush()
  expect(writes).toHaveLength(before)
})

test('two budgets in one store keep to their own entries', async () => {
  const store = new Map<string, string>()
  const one = createBudget({ credits: 1000, store, name: 'one' }, clock)
  const other = createBudget({ credits: 1000, store, name: 'other' }, clock)
  const reservation = await one.reserve(50)
  await other.reserve(7)
  reservation.settle(40)
  await one.flush()
  expect([...store.keys()]).toEqual(['etn-market:budget:one', 'etn-market:budget:other'])
  expect(await afterRestartOf('one')).toMatchObject({ spent: 40, uncertain: 0 })
  expect(await afterRestartOf('other')).toMatchObject({ spent: 0, uncertain: 7 })

  async function afterRestartOf(name: string) {
    const budget = createBudget({ credits: 1000, store: inAnotherProcess(store), name }, clock)
    await budget.load()
    return budget
  }
})
