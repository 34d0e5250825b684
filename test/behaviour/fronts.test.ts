import { createClient } from 'etn-market'
import { createFakeService, type FakeFront, fakeFronts } from 'etn-market/fake'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createVirtualClock } from '../support/clock.ts'
import { watch } from '../support/setup.ts'

const LIMIT = 6_000
const COST = 3_000

/** A client whose limit is worth two calls, behind a front that loses every answer. */
async function callThrough(front: FakeFront, charge: boolean) {
  const clock = createVirtualClock()
  const fake = createFakeService({ clock: { now: () => clock.now(), sleep: (ms, signal) => clock.sleep(ms, signal) } })
  const client = createClient({ apiKey: fake.key, fetch: fake.fetch, clock, budget: { credits: LIMIT } })
  onTestFinished(async () => {
    await client.close()
    await fake.close()
  })
  fake.fault({ front, charge, times: Number.POSITIVE_INFINITY })
  const calls = [watch(client.farm.list()), watch(client.farm.list())]
  await clock.advance(120_000)
  return { calls, budget: client.budget, charged: fake.charged() }
}

describe.each(Object.keys(fakeFronts) as FakeFront[])('behind %s', (front) => {
  test('an answer that the front lost is counted: no more is charged than spent and uncertain, nor than the limit', async () => {
    const { calls, budget, charged } = await callThrough(front, true)
    expect(calls.map(({ state }) => state)).toEqual(['rejected', 'rejected'])
    expect(charged).toBeGreaterThanOrEqual(COST)
    expect(charged).toBeLessThanOrEqual((budget?.spent ?? 0) + (budget?.uncertain ?? 0))
    expect(charged).toBeLessThanOrEqual(LIMIT)
  })

  test('an answer that the front gives by itself cannot be told from one that it lost', async () => {
    const { budget, charged } = await callThrough(front, false)
    expect([charged, budget?.spent]).toEqual([0, 0])
    expect(budget?.uncertain).toBeGreaterThanOrEqual(COST)
  })
})
