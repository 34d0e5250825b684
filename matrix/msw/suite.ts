import { createClient } from 'etn-market'
import { createFakeService } from 'etn-market/fake'
import { mswHandlers } from 'etn-market/msw'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { allOperations } from '../../examples/support/steps.ts'

type Handlers = ReturnType<typeof mswHandlers>

/** What `setupServer` of Node and `setupWorker` of a browser have in common, in both versions of msw. */
export interface Interception {
  start(): unknown
  stop(): unknown
  use(...handlers: Handlers): void
  resetHandlers(): void
  /** Whether a handler hears that its request was given up: msw's worker does not pass it on to the page. */
  readonly hearsAborts: boolean
}

const BOLT = '0x043fAa1b5C5FC9a7dc35171f290c29ECDE0cCff1'

/** One suite for msw 2 and msw 3, in Node and in a browser. */
export function mswSuite(intercept: (handlers: Handlers) => Interception): void {
  const fake = createFakeService()
  const interception = intercept(mswHandlers(fake))
  const client = () => createClient({ apiKey: fake.key, onEvent() {} })

  beforeAll(() => interception.start())
  afterEach(() => {
    interception.resetHandlers()
    fake.reset()
  })
  afterAll(async () => {
    // The fake first: msw 3 waits for what its handlers still hold.
    await fake.close()
    await interception.stop()
  })

  describe('a client whose requests msw hands to the fake', () => {
    test('makes all 20 operations, and is charged what the fake charged', async () => {
      const own = client()
      for (const { run } of allOperations(own, [BOLT])) await run()
      expect(own.credits.charged).toBe(fake.charged())
      expect(fake.journal()).toHaveLength(20)
      await own.close()
    })

    test('reads the credit headers', async () => {
      const { meta } = await client().token.price({ address: BOLT }).withMeta()
      expect(meta.credits).toMatchObject({ charged: 50, source: 'header' })
    })

    test('waits for a Retry-After', async () => {
      fake.fault({ operation: 'etn.price', status: 429, retryAfter: '1' })
      const startedAt = Date.now()
      const { meta } = await client().etn.price().withMeta()
      expect([meta.attempts, Date.now() - startedAt >= 990]).toEqual([2, true])
    })

    test('keeps a lost answer as uncertain and asks again', async () => {
      fake.fault({ operation: 'token.price', reset: 'after' })
      const own = client()
      await own.token.price({ address: BOLT })
      expect([own.budget.spent, own.budget.uncertain, fake.charged()]).toEqual([50, 50, 100])
    })

    test('hears that a body was cut off', async () => {
      fake.fault({ operation: 'etn.price', truncate: 0.5 })
      const error = await client()
        .etn.price({}, { retry: false })
        .catch((caught: unknown) => caught)
      expect(error).toMatchObject({ name: 'ConnectionError', charge: 'charged', credits: 25 })
    })

    test('can give up an answer that does not come', async () => {
      fake.fault({ operation: 'etn.price', never: true })
      const controller = new AbortController()
      const answer = client().etn.price({}, { signal: controller.signal })
      await expect.poll(() => fake.journal().length).toBe(1)
      controller.abort(new Error('enough'))
      await expect(answer).rejects.toThrow('enough')
      if (interception.hearsAborts) await expect.poll(() => fake.journal()[0]?.finished).toBe(true)
    })

    test('finds the fake under another base URL', async () => {
      const baseUrl = 'https://elsewhere.example/v1'
      interception.use(...mswHandlers(fake, { baseUrl }))
      const own = createClient({ apiKey: fake.key, baseUrl, onEvent() {} })
      expect(typeof (await own.etn.price()).usd).toBe('string')
      fake.expectCredits({ 'etn.price': 25 })
    })
  })
}
