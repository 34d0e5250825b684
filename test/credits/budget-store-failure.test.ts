import { describe, expect, test, vi } from 'vitest'
import { type BudgetStore, createBudget } from '../../src/credits/budget.ts'
import { StateUnavailableError } from '../../src/errors/budget.ts'
import { useFakeTimers } from '../support/fake-timers.ts'
import { START, steadyClock, totals } from './budget-at.ts'
import { afterRestart, slowStore } from './slow-store.ts'

const KEY = 'etn-market:budget:default'
const clock = steadyClock(() => START)

describe('a store that fails', () => {
  const failure = new Error('disk full')
  const broken: [string, Partial<BudgetStore>][] = [
    ['throws from get', { get: thrower }],
    ['rejects get', { get: () => Promise.reject(failure) }],
    ['never answers get', { get: () => new Promise(() => {}) }],
    ['throws from set', { set: thrower }],
    ['rejects set', { set: () => Promise.reject(failure) }],
    ['returns false from set', { set: () => Promise.resolve(false) }],
    ['never answers set', { set: () => new Promise(() => {}) }],
  ]
  function thrower(): never {
    throw failure
  }

  test.each(broken)('%s: nothing is reserved, the error says why', async (_, methods) => {
    const map = new Map<string, string>()
    const works = { get: (key: string) => map.get(key), set: (key: string, value: string) => map.set(key, value) }
    const store: BudgetStore = { ...works, ...methods }
    const budget = createBudget({ credits: 1000, store, storeTimeoutMs: 10 }, clock)
    const error = await budget.reserve(50, { operation: 'token.price' }).catch((reason) => reason)
    expect(error).toBeInstanceOf(StateUnavailableError)
    expect(error).toMatchObject({ code: 'state_unavailable', charge: 'none', attempts: 0, credits: 0 })
    expect(error.message).toContain('token.price: the store of the budget failed. Nothing was sent.')
    expect(error.cause).toBeInstanceOf(Error)
    const details = { attempts: 1, charge: 'unknown', credits: 50 } as const
    await expect(budget.reserve(50, details)).rejects.toMatchObject({
      ...details,
      message: expect.stringContaining('No further request was sent.'),
    })
    if (methods.get) expect(() => budget.spent).toThrow('budget.load()')
    else expect(totals(budget)).toEqual({ spent: 0, reserved: 0, uncertain: 0, available: 1000 })
    // The next call asks the store again.
    Object.assign(store, works)
    expect((await budget.reserve(50)).credits).toBe(50)
    expect(totals(budget)).toMatchObject({ reserved: 50, available: 950 })
  })

  const junk = [
    '',
    'null',
    '{}',
    '[]',
    '50',
    'undefined',
    '{"v":1',
    { v: 1 },
    new TextEncoder().encode('nothing'),
    () => undefined,
    0,
    false,
    '{"v":2,"windowMs":null,"windows":[{"start":null,"end":null,"countsUntil":null,"spent":0,"reserved":0,"uncertain":0}]}',
    '{"v":3,"windowMs":null,"windows":[]}',
    '{"v":3,"windowMs":null,"windows":[{"start":null,"end":null,"countsUntil":null,"spent":-1,"reserved":0,"uncertain":0}]}',
    '{"v":3,"windowMs":null,"windows":[{"start":null,"end":null,"countsUntil":null,"spent":null,"reserved":0,"uncertain":0}]}',
    '{"v":3,"windowMs":0,"windows":[{"start":null,"end":null,"countsUntil":null,"spent":0,"reserved":0,"uncertain":0}]}',
    '{"v":3,"windowMs":null,"windows":[{"start":null,"end":null,"countsUntil":null,"spent":0,"reserved":0,"uncertain":0}],"keyBalances":{}}',
  ]
  test.each(junk)('holds %j: it does not pass for nothing spent, and is not overwritten', async (value) => {
    const written: string[] = []
    const store: BudgetStore = { get: () => value, set: (_, text) => written.push(text) }
    const budget = createBudget({ credits: 1000, store }, clock)
    await expect(budget.reserve(50)).rejects.toThrow(StateUnavailableError)
    await expect(budget.load()).rejects.toThrow(StateUnavailableError)
    await budget.flush()
    expect(written).toEqual([])
  })

  test('a charge that could not be written is written when the store works again, although no call follows', async () => {
    useFakeTimers()
    const map = new Map<string, string>()
    let failures = 0
    let writes = 0
    const set = (key: string, value: string) => {
      writes++
      return failures-- > 0 ? Promise.reject(failure) : map.set(key, value)
    }
    const budget = createBudget({ credits: 1000, store: { get: (key) => map.get(key), set } }, clock)
    const reservation = await budget.reserve(50)
    reservation.confirm()
    failures = 9
    reservation.settle(30)
    await vi.advanceTimersByTimeAsync(100)
    expect(await afterRestart(map)).toMatchObject({ spent: 0, uncertain: 50 })
    expect(failures).toBe(7)
    for (let second = 0; second < 60; second++) await vi.advanceTimersByTimeAsync(1_000)
    expect(await afterRestart(map)).toMatchObject({ spent: 30, uncertain: 0 })
    const written = writes
    for (let second = 0; second < 60; second++) await vi.advanceTimersByTimeAsync(1_000)
    expect(writes).toBe(written)
  })

  test('a charge that could not be written does not replace what a later budget has written', async () => {
    useFakeTimers()
    const map = new Map<string, string>()
    let fails = false
    const set = (key: string, value: string) => (fails ? Promise.reject(failure) : map.set(key, value))
    const start = () => createBudget({ credits: 1000, store: { get: (key) => map.get(key), set } }, clock)
    const first = await start().reserve(50)
    first.confirm()
    fails = true
    first.settle(30)
    await vi.advanceTimersByTimeAsync(10)
    fails = false
    const second = await start().reserve(600)
    second.confirm()
    second.settle(600)
    for (let time = 0; time < 60; time++) await vi.advanceTimersByTimeAsync(1_000)
    expect(await afterRestart(map)).toMatchObject({ spent: 600, uncertain: 50 })
  })

  test('a write that never ends holds up no later one: the next call asks the store again', async () => {
    useFakeTimers()
    const { store, map, writes } = slowStore()
    const budget = createBudget({ credits: 1000, store }, clock)
    const refused = budget.reserve(50).catch((error) => error)
    await vi.advanceTimersByTimeAsync(4_999)
    const meanwhile = budget.reserve(60)
    await vi.advanceTimersByTimeAsync(1)
    expect(await refused).toBeInstanceOf(StateUnavailableError)
    expect(writes).toHaveLength(2)
    writes[1]?.end()
    expect((await meanwhile).credits).toBe(60)
    const next = budget.reserve(70)
    await vi.advanceTimersByTimeAsync(0)
    writes[2]?.end()
    await vi.advanceTimersByTimeAsync(0)
    writes[3]?.end()
    expect((await next).credits).toBe(70)
    expect(JSON.parse(map.get(KEY) ?? '').windows).toMatchObject([{ spent: 0, reserved: 130, uncertain: 0 }])
  })

  test('a write that was given up and ends late is followed by the newest counts', async () => {
    useFakeTimers()
    const { store, map, writes } = slowStore()
    const budget = createBudget({ credits: 1000, store, storeTimeoutMs: 100 }, clock)
    const first = budget.reserve(50)
    await vi.advanceTimersByTimeAsync(0)
    writes[0]?.end()
    const reservation = await first
    const late = budget.reserve(70).catch((error) => error)
    await vi.advanceTimersByTimeAsync(100)
    expect(await late).toBeInstanceOf(StateUnavailableError)
    reservation.settle(50)
    const flushed = budget.flush()
    for (let write = 2; write < 5; write++) {
      await vi.advanceTimersByTimeAsync(0)
      writes[write]?.end()
    }
    await flushed
    const stored = () => JSON.parse(map.get(KEY) ?? '').windows
    expect(stored()).toMatchObject([{ spent: 50, reserved: 0, uncertain: 0 }])
    writes[1]?.end()
    await vi.advanceTimersByTimeAsync(0)
    expect(stored()).toMatchObject([{ spent: 0, reserved: 120 }])
    writes.at(-1)?.end()
    await vi.advanceTimersByTimeAsync(0)
    expect(stored()).toMatchObject([{ spent: 50, reserved: 0, uncertain: 0 }])
  })
})
