import { describe, expect, it } from 'vitest'
import type { FakeService } from '../../../src/fake/index.ts'
import { type Answer, BOLT, serve } from '../setup.ts'

const LOCKS = `/tokens/52014/${BOLT}/liquidity-locks`
const FARMS = '/farms/52014'

const LONG = 1_000_000

/** Sends all, waits until all have arrived, and lets the time pass that the slow ones take. */
async function together(fake: FakeService, asked: Promise<Answer>[]): Promise<Answer[]> {
  await expect.poll(() => fake.journal().length).toBe(asked.length)
  fake.advance(LONG)
  return Promise.all(asked)
}

describe('§8: heavy routes', () => {
  it('at most two calls are in flight; a further one is 503 server_busy with Retry-After, and not charged', async () => {
    const { fake, get } = await serve({ heavyLatencyMs: LONG })
    const answers = await together(fake, [get(LOCKS), get(FARMS), get(LOCKS)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 503])
    const refused = answers.find(({ status }) => status === 503)
    expect(refused?.body.error.code).toBe('server_busy')
    expect(refused?.headers.get('retry-after')).toMatch(/^\d+$/)
    expect(fake.ledger()).toHaveLength(2)
    expect(fake.peakInFlight({ heavy: true })).toBe(3)
  })

  it('the limit is shared by all keys', async () => {
    const { fake, get } = await serve({ keys: { a: 9_000, b: 9_000, c: 9_000 }, heavyLatencyMs: LONG })
    const as = (key: string) => get(FARMS, { headers: { authorization: `Bearer ${key}` } })
    const answers = await together(fake, [as('a'), as('b'), as('c')])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 503])
  })

  it('light routes do not count', async () => {
    const { fake, get } = await serve({ heavyLatencyMs: LONG })
    const answers = await together(fake, [get(LOCKS), get(FARMS), get('/prices/etn'), get('/prices/etn')])
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(fake.peakInFlight()).toBeGreaterThanOrEqual(2)
  })

  it('a slot is free again when its caller gives up', async () => {
    const { fake, get } = await serve({ heavyConcurrency: 1, heavyLatencyMs: LONG })
    const controller = new AbortController()
    const given = get(FARMS, { signal: controller.signal })
    await expect.poll(() => fake.journal().length).toBe(1)
    controller.abort()
    await expect(given).rejects.toThrow()
    await expect.poll(() => fake.journal()[0]?.finished).toBe(true)
    const free = fake.holdHeavySlot()
    free()
  })

  it('another tenant can hold a slot; freeing it twice counts once', async () => {
    const { fake, get } = await serve()
    const first = fake.holdHeavySlot()
    const second = fake.holdHeavySlot()
    expect(() => fake.holdHeavySlot()).toThrow('All 2 heavy slots are taken.')
    expect((await get(FARMS)).status).toBe(503)
    first()
    first()
    expect((await get(FARMS)).status).toBe(200)
    fake.holdHeavySlot()
    expect((await get(FARMS)).status).toBe(503)
    second()
    expect((await get(FARMS)).status).toBe(200)
  })
})
