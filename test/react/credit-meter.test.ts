import { createClient } from 'etn-market'
import { createFakeService, fakeTokens } from 'etn-market/fake'
import { type CreditMeter, createCreditMeter } from 'etn-market/react'
import { expect, test, vi } from 'vitest'
import { setupProxy, TOKENS } from '../proxy/setup.ts'
import { createVirtualClock } from '../support/clock.ts'
import { useFakeTimers } from '../support/fake-timers.ts'

const { BOLT } = fakeTokens

/** Sends a meter the event of a charge. */
function charge(meter: CreditMeter, credits: number, remaining: number): void {
  const ids = { callId: '1', requestId: '1.1', attempt: 1 }
  meter.onEvent({ type: 'credits.charged', ...ids, operation: 'etn.price', credits, remaining })
}

test('a credit meter shows what was spent, at which rate, and how long the balance lasts', async () => {
  const clock = createVirtualClock()
  const fake = createFakeService({ clock, keys: { mine: 1_000_000 } })
  const meter = createCreditMeter({ clock })
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
    clock.jump(60_000)
  }
  const { charged, remaining, creditsPerHour, daysLeft } = meter.getSnapshot()
  expect([charged, remaining]).toEqual([500, 999_500])
  expect(creditsPerHour).toBeGreaterThan(2_900)
  expect(creditsPerHour).toBeLessThan(3_400)
  expect(daysLeft).toBeCloseTo(999_500 / (24 * (creditsPerHour ?? 0)))
  expect(meter.getSnapshot()).toBe(meter.getSnapshot())
  expect(changes).toBe(10)

  clock.jump(600_000)
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
  const meter = createCreditMeter({ perMs: 600_000 })
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
  const clock = createVirtualClock()
  const HOUR = 3_600_000
  const meter = createCreditMeter({ budgetWindowMs: 24 * HOUR, clock })
  clock.jump(2_000)
  charge(meter, 8_000, 42_000)
  const resetsAt = clock.now() + 24 * HOUR
  expect(meter.getSnapshot()).toMatchObject({ creditsPerHour: undefined, daysLeft: undefined, resetsAt })
  clock.jump(90_000)
  charge(meter, 400, 41_600)
  expect(meter.getSnapshot()).toMatchObject({ creditsPerHour: 350, daysLeft: undefined, resetsAt })
  clock.jump(resetsAt - clock.now())
  charge(meter, 2_400, 47_600)
  expect(meter.getSnapshot()).toMatchObject({ charged: 10_800, creditsPerHour: 100, resetsAt: clock.now() + 24 * HOUR })
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

test.each([true, false])('a machine that has slept shows no rate of before (%s)', async (isCertain) => {
  const clock = createVirtualClock()
  const meter = createCreditMeter({ clock })
  const stop = meter.subscribe(() => {})
  clock.jump(300_000)
  charge(meter, 100, 24_000)
  expect(meter.getSnapshot().creditsPerHour).toBe(1_200)
  clock.suspend(8 * 3_600_000, isCertain)
  await clock.advance(60_000)
  expect(meter.getSnapshot()).toMatchObject({ creditsPerHour: 0, daysLeft: undefined })
  expect(clock.pending).toBe(0)
  stop()
})

test.each([
  [{ perMs: Number.POSITIVE_INFINITY }, 'perMs'],
  [{ perMs: Number.NaN }, 'perMs'],
  [{ perMs: 5 }, 'perMs'],
  [{ perMs: '600000' as unknown as number }, 'perMs'],
  [{ budgetWindowMs: Number.POSITIVE_INFINITY }, 'budgetWindowMs'],
  [{ budgetWindowMs: -1 }, 'budgetWindowMs'],
  [{ windowMs: 600_000 } as object, 'windowMs'],
])('%o is no option of a meter', (options, named) => {
  expect(() => createCreditMeter(options)).toThrow(named)
})

test('what is left belongs to the newest answer, and a late one does not move it up', async () => {
  const clock = createVirtualClock()
  const fake = createFakeService({ clock, keys: { mine: 1_000 } })
  const meter = createCreditMeter({ clock })
  const held: (() => void)[] = []
  const client = createClient({
    apiKey: 'mine',
    onEvent: meter.onEvent,
    async fetch(url, init) {
      const response = await fake.fetch(new Request(url, init))
      if (held.length === 0) await new Promise<void>((resolve) => held.push(resolve))
      return response
    },
  })
  const late = client.token.price({ address: BOLT })
  await expect.poll(() => held.length).toBe(1)
  await client.etn.price()
  const newest = meter.getSnapshot().remaining
  held[0]?.()
  await late
  expect([newest, meter.getSnapshot().remaining, client.credits.remaining]).toEqual([925, 925, 925])
  expect(meter.getSnapshot().charged).toBe(75)
  await client.close()
})

test('an answer that the proxy had kept says nothing of what is left', async () => {
  const { clock, page } = setupProxy({ perVisitor: { credits: 5_000, windowMs: 86_400_000 } })
  const meter = createCreditMeter({ clock })
  const client = page('somebody', { onEvent: meter.onEvent })
  const [bolt = '', wetn = ''] = TOKENS
  await client.token.price({ address: bolt })
  expect(meter.getSnapshot().remaining).toBe(4_950)
  await clock.advance(3_000)
  await page('somebody').token.price({ address: wetn })
  const { meta } = await client.token.price({ address: bolt }).withMeta()
  expect([meta.credits.charged, meta.headers?.age]).toEqual([0, '3'])
  expect([meter.getSnapshot().remaining, client.credits.remaining]).toEqual([4_950, 4_950])
  await client.token.price({ address: TOKENS[2] ?? '' })
  expect(meter.getSnapshot().remaining).toBe(4_850)
})
