import { createClient } from 'etn-market'
import { createFakeService, fakeTokens } from 'etn-market/fake'
import { type CreditMeter, createCreditMeter } from 'etn-market/react'
import { expect, test, vi } from 'vitest'
import { useFakeTimers } from '../support/fake-timers.ts'

const { BOLT } = fakeTokens

/** Sends a meter the event of a charge. */
function charge(meter: CreditMeter, credits: number, remaining: number): void {
  const ids = { callId: '1', requestId: '1.1', attempt: 1 }
  meter.onEvent({ type: 'credits.charged', ...ids, operation: 'etn.price', credits, remaining })
}

test('a credit meter shows what was spent, at which rate, and how long the balance lasts', async () => {
  const fake = createFakeService({ keys: { mine: 1_000_000 } })
  let now = 0
  const meter = createCreditMeter({ now: () => now })
  const client = createClient({ apiKey: 'mine', fetch: fake.fetch, onEvent: meter.onEvent })
  const before = meter.getSnapshot()
  expect(before).toEqual({
    charged: 0,
    uncertain: 0,
    remaining: undefined,
    creditsPerHour: undefined,
    daysLeft: undefined,
    resetsAt: undefined,
  })
  let changes = 0
  const unsubscribe = meter.subscribe(() => changes++)
  for (let minute = 0; minute < 10; minute++) {
    await client.token.price({ address: BOLT })
    now += 60_000
  }
  const { charged, remaining, creditsPerHour, daysLeft } = meter.getSnapshot()
  expect([charged, remaining]).toEqual([500, 999_500])
  expect(creditsPerHour).toBeGreaterThan(2_900)
  expect(creditsPerHour).toBeLessThan(3_400)
  expect(daysLeft).toBeCloseTo(999_500 / (24 * (creditsPerHour ?? 0)))
  expect(meter.getSnapshot()).toBe(meter.getSnapshot())
  expect(changes).toBe(10)

  now += 600_000
  await client.etn.price()
  expect(meter.getSnapshot().creditsPerHour).toBe(150)
  unsubscribe()
  fake.fault({ operation: 'etn.price', reset: 'after', times: 1 })
  await client.etn.price({}, { retry: false }).catch(() => {})
  expect(meter.getSnapshot()).toMatchObject({ charged: 525, uncertain: 25 })
  expect(changes).toBe(11)
  await client.close()
})

test('the rate falls while nothing is spent, and no timer is left behind', () => {
  const timers = useFakeTimers()
  const meter = createCreditMeter({ windowMs: 600_000 })
  const rate = () => meter.getSnapshot().creditsPerHour
  charge(meter, 100, 24_000)
  expect([rate(), timers.pending()]).toEqual([undefined, 0])
  const rates: (number | undefined)[] = []
  const stop = meter.subscribe(() => rates.push(rate()))
  vi.advanceTimersByTime(300_000)
  expect(rate()).toBe(1_200)
  expect(meter.getSnapshot().daysLeft).toBeCloseTo(24_000 / 24 / 1_200)
  vi.advanceTimersByTime(300_000)
  expect(meter.getSnapshot()).toMatchObject({ charged: 100, remaining: 24_000, creditsPerHour: 0, daysLeft: undefined })
  // No rate in the first minute, and then one that falls.
  const known = rates.filter((each) => each !== undefined)
  expect(rates.slice(0, 1)).toEqual([undefined])
  expect(known).toEqual([...known].sort((one, other) => other - one))
  expect(timers.pending()).toBe(0)

  charge(meter, 50, 24_000)
  expect(timers.pending()).toBe(1)
  stop()
  expect(timers.pending()).toBe(0)
  vi.advanceTimersByTime(3_600_000)
  const changes = rates.length
  // What nobody has seen is computed again for the next one.
  meter.subscribe(() => rates.push(rate()))()
  expect([rate(), rates.length]).toEqual([0, changes])
})

test('with the window of a budget, one large purchase is no rate of its own, and the meter says when credits are renewed', () => {
  let now = 1_000_000
  const HOUR = 3_600_000
  const meter = createCreditMeter({ budgetWindowMs: 24 * HOUR, now: () => now })
  now += 2_000
  charge(meter, 8_000, 42_000)
  const resetsAt = now + 24 * HOUR
  expect(meter.getSnapshot()).toMatchObject({ creditsPerHour: undefined, daysLeft: undefined, resetsAt })
  now += 90_000
  charge(meter, 400, 41_600)
  expect(meter.getSnapshot()).toMatchObject({ creditsPerHour: 350, daysLeft: undefined, resetsAt })
  now = resetsAt
  charge(meter, 2_400, 47_600)
  expect(meter.getSnapshot()).toMatchObject({ charged: 10_800, creditsPerHour: 100, resetsAt: now + 24 * HOUR })
})

test('a step of the wall clock moves the moment of the renewal with it, and changes no rate', () => {
  useFakeTimers()
  const HOUR = 3_600_000
  const meter = createCreditMeter({ budgetWindowMs: HOUR })
  charge(meter, 100, 1_000)
  vi.advanceTimersByTime(120_000)
  vi.setSystemTime(Date.now() - 24 * HOUR)
  charge(meter, 100, 1_000)
  const { resetsAt = 0, creditsPerHour } = meter.getSnapshot()
  expect([resetsAt - Date.now(), creditsPerHour]).toEqual([HOUR - 120_000, 200])
})
