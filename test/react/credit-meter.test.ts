import { createClient } from 'etn-market'
import { createFakeService, fakeTokens } from 'etn-market/fake'
import { createCreditMeter } from 'etn-market/react'
import { expect, test } from 'vitest'

const { BOLT } = fakeTokens

test('a credit meter shows what was spent, at which rate, and how long the balance lasts', async () => {
  const fake = createFakeService({ keys: { mine: 1_000_000 } })
  let now = 0
  const meter = createCreditMeter({ now: () => now })
  const client = createClient({ apiKey: 'mine', fetch: fake.fetch, onEvent: meter.onEvent })
  const before = meter.getSnapshot()
  expect(before).toEqual({ charged: 0, uncertain: 0, remaining: undefined, creditsPerHour: 0, daysLeft: undefined })
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
  expect(daysLeft).toBeCloseTo(999_500 / (24 * creditsPerHour))
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
