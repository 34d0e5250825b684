import { createClient } from 'etn-market'
import { createFakeService } from 'etn-market/fake'
import { mswHandlers } from 'etn-market/msw'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { allOperations } from '../../../examples/support/steps.ts'

type Handlers = ReturnType<typeof mswHandlers>

/** The common part of `setupServer` and `setupWorker`, in both versions of msw. */
export interface Interception {
  start(): unknown
  stop(): unknown
  use(...handlers: Handlers): void
  resetHandlers(): void
  /** Whether a handler is notified when its request is aborted. The worker of msw does not forward that to the page. */
  readonly forwardsAborts: boolean
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
    // The fake closes first: msw 3 waits for its pending handlers.
    await fake.close()
    await interception.stop()
  })

  describe('a client with msw and the fake', () => {
    test('calls every operation and counts the same credits as the fake', async () => {
      const own = client()
      const steps = allOperations(own, [BOLT])
      for (const { run } of steps) await run()
      expect(own.credits.charged).toBe(fake.charged())
      expect(fake.journal()).toHaveLength(steps.length)
      await own.close()
    })

    test('waits for a Retry-After', async () => {
      fake.fault({ operation: 'etn.price', status: 429, retryAfter: '1' })
      const startedAt = Date.now()
      const { meta } = await client().etn.price().withMeta()
      expect([meta.attempts, Date.now() - startedAt >= 990]).toEqual([2, true])
    })

    test('counts a lost response as uncertain and retries', async () => {
      fake.fault({ operation: 'token.price', reset: 'after' })
      const own = client()
      await own.token.price({ address: BOLT })
      expect([own.budget.spent, own.budget.uncertain, fake.charged()]).toEqual([50, 50, 100])
    })

    test('rejects when the body is cut off', async () => {
      fake.fault({ operation: 'etn.price', truncate: 0.5 })
      const error = await client()
        .etn.price({}, { retry: false })
        .catch((caught: unknown) => caught)
      expect(error).toMatchObject({ name: 'ConnectionError', charge: 'charged', credits: 25 })
    })

    test('aborts a request that is never answered', async () => {
      fake.fault({ operation: 'etn.price', never: true })
      const controller = new AbortController()
      const price = client().etn.price({}, { signal: controller.signal })
      await expect.poll(() => fake.journal().length).toBe(1)
      controller.abort(new Error('aborted by the user'))
      await expect(price).rejects.toThrow('aborted by the user')
      if (interception.forwardsAborts) await expect.poll(() => fake.journal()[0]?.finished).toBe(true)
    })

    test('reaches the fake under another base URL', async () => {
      const baseUrl = 'https://elsewhere.example/v1'
      interception.use(...mswHandlers(fake, { baseUrl }))
      const own = createClient({ apiKey: fake.key, baseUrl, onEvent() {} })
      expect(typeof (await own.etn.price()).usd).toBe('string')
      fake.expectCredits({ 'etn.price': 25 })
    })
  })
}
