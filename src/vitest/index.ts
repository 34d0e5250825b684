/**
 * The `test` function of vitest with a fake service and a client for each test.
 *
 * @module etn-market/vitest
 */

import { type Client, createClient } from 'etn-market'
import { type FakeService, type FakeServiceOptions, useFakeService } from 'etn-market/fake'
import { test as base, type TestAPI } from 'vitest'

/** The fixtures of `test`. */
export interface FakeFixtures {
  /** Options of the fake; set them with `test.override` or `test.scoped`. @default {} */
  fakeOptions: FakeServiceOptions
  /**
   * A fake for this test alone, which every test has, named or not. The environment leads to it, unless tests run concurrently: these share
   * an environment, so only clients with `fake.fetch` work there. Until the test is over, a client that would reach anything but a fake
   * rejects with `InvalidRequestError`, code `not_the_fake`. The test fails if a fault was not used up.
   */
  fake: FakeService
  /** A client of the fake, without a network, that lives on the fake's clock. */
  client: Client
}

/**
 * The `test` of vitest with a fake service and a client for each test.
 *
 * @example
 * import { test } from 'etn-market/vitest'
 *
 * test('retries', async ({ fake, client }) => {
 *   fake.script('etn.price', [{ status: 500 }, 'ok'])
 *   const price = client.etn.price()
 *   await fake.advance(60_000)
 *   await price
 *   fake.expectCredits(25)
 * })
 */
export const test: TestAPI<FakeFixtures> = base.extend<FakeFixtures>({
  fakeOptions: {},
  // Automatic, because a test that names no fixture would call the service itself, with the developer's own key.
  fake: [
    async ({ fakeOptions, task }, use) => {
      const cleanUps: (() => Promise<void>)[] = []
      const after = (cleanUp: () => Promise<void>) => void cleanUps.push(cleanUp)
      const fake = await useFakeService({ after, concurrent: task.concurrent }, fakeOptions)
      await use(fake)
      for (const cleanUp of cleanUps) await cleanUp()
    },
    { auto: true },
  ],
  client: async ({ fake }, use) => {
    const { fetch, baseUrl, clock, key } = fake
    // Where a page is imitated, a listener keeps the client from warning of a key that is no secret.
    const client = createClient({ apiKey: key, baseUrl, fetch, clock, onEvent() {} })
    await use(client)
    await client.close()
  },
})
