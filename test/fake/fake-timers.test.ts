import { createClient } from 'etn-market'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createFakeService } from '../../src/fake/index.ts'
import { useFakeTimers, useSinonTimers } from '../support/fake-timers.ts'
import { NOON } from './setup.ts'

const DATE_AND_TIMEOUT = ['Date', 'setTimeout', 'clearTimeout'] as const

describe.each([
  ['vitest', () => useFakeTimers({ now: NOON })],
  ['vitest, setTimeout alone', () => useFakeTimers({ now: NOON, toFake: [...DATE_AND_TIMEOUT] })],
  ['sinon', () => useSinonTimers({ now: NOON })],
  ['sinon, but for microtasks', () => useSinonTimers({ now: NOON, toNotFake: ['nextTick', 'queueMicrotask'] })],
  ['sinon, setTimeout alone', () => useSinonTimers({ now: NOON, toFake: [...DATE_AND_TIMEOUT] })],
])('with the fake timers of %s', (_, install) => {
  function start() {
    const clock = install()
    const fake = createFakeService()
    const client = createClient({ apiKey: fake.key, fetch: fake.fetch })
    onTestFinished(async () => {
      await client.close()
      await fake.close()
    })
    return { clock, fake, client }
  }

  it('one advance runs the retries and waits of a call to its end', async () => {
    const { clock, fake, client } = start()
    fake.script('etn.price', [{ status: 500 }, { status: 429, retryAfter: 3 }, 'ok'])
    const price = client.etn.price()
    await clock.advance(30_000)
    const [first, , third] = fake.journal().map(({ at }) => at - NOON)
    expect(fake.journal().map(({ status }) => status)).toEqual([500, 429, 200])
    expect(first).toBe(0)
    // Where performance.now() is real, a cool-down lasts until it is asked for once more.
    expect(third).toBeLessThan(10_000)
    expect(clock.pending()).toBe(0)
    expect(await price).toHaveProperty('usd')
  })

  it('running all timers ends a call before its deadline', async () => {
    const { clock, fake, client } = start()
    fake.script('etn.price', [{ status: 500 }, { delayMs: 2_000, status: 429, retryAfter: 3 }, { delayMs: 1_000 }])
    const price = client.etn.price()
    await clock.runAll()
    expect(await price).toHaveProperty('usd')
    expect(Date.now() - NOON).toBeLessThan(10_000)
  })

  it('one advance ends calls that wait for each other, and for a service that is busy', async () => {
    const { clock, fake, client } = start()
    fake.script('farm.list', [{ status: 503, retryAfter: 5 }, { delayMs: 1_000 }])
    const calls = [client.farm.list(), client.farm.list(), client.farm.list({ chainId: 52014 }), client.etn.price()]
    await clock.advance(30_000)
    for (const call of calls) await call
    fake.expectCredits({ 'farm.list': 3_000, 'etn.price': 25 })
  })

  it('a body that breaks off is a lost connection, and no timeout', async () => {
    const { clock, fake, client } = start()
    fake.script('etn.price', [{ truncate: 5 }, 'ok'])
    const price = client.etn.price().withMeta()
    await clock.advance(30_000)
    expect(fake.journal().map(({ at }) => at - NOON < 2_000)).toEqual([true, true])
    expect((await price).meta.attempts).toBe(2)
  })
})

it('a call that waits for no time needs no advance of fake timers', async () => {
  const clock = useFakeTimers()
  const fake = createFakeService()
  const client = createClient({ apiKey: async () => fake.key, fetch: fake.fetch })
  expect(await client.etn.price()).toHaveProperty('usd')
  expect(clock.pending()).toBe(0)
  await client.close()
  await fake.close()
})
