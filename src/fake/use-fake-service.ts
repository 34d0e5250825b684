import { allowOrigin, isGuarded, setVariable } from './http/environment.ts'
import type { FakeServiceOptions } from './options.ts'
import { checkFunctions } from './rules/check.ts'
import { createFakeService } from './service.ts'
import type { FakeService } from './types.ts'

/** Stands for a fake that does not listen yet: of two tests that start together, one learns of the other. */
const STARTING = 'starting'

/** What `useFakeService` needs of a test context. */
export interface TestContext {
  /** Registers a function that runs after the test, as `t.after` of `node:test` does. */
  after(cleanUp: () => Promise<void>): void
  /**
   * Whether other tests run at the same time. They share the environment, so it leads to no fake then: pass `fake.fetch` to each client.
   * @default false
   */
  concurrent?: boolean | undefined
}

/**
 * Creates a fake for one test. It listens, and `ETN_MARKET_BASE_URL` and `ETN_MARKET_API_KEY` lead to it. Until the test is over, a client
 * that would reach anything but a fake rejects with `InvalidRequestError`, code `not_the_fake`. After the test the environment is restored,
 * the fake is closed, and the test fails if a fault was not used up.
 *
 * @throws FakeUsageError for a wrong option, or a context without `after`: nothing is left behind
 * @throws Error when another fake leads the environment already, as in concurrent tests
 *
 * @example
 * test('shows the price', async (t) => {
 *   const fake = await useFakeService(t)
 *   fake.world.setPrice(BOLT, '0.019')
 *   const client = createClient() // the environment leads to the fake
 *   await client.token.price({ address: BOLT })
 * })
 */
export async function useFakeService(t: TestContext, options: FakeServiceOptions = {}): Promise<FakeService> {
  checkFunctions('t', 'the context of a test, with a function `after`', t, ['after'])
  if (t.concurrent !== true && isGuarded()) {
    throw new Error(
      'The environment leads to the fake of another test that runs now. Concurrent tests cannot share it: use the `client` fixture of ' +
        'etn-market/vitest, or createFakeService, and pass fake.fetch to createClient.',
    )
  }
  const fake = createFakeService(options)
  const undo = [allowOrigin(STARTING)]
  const end = async () => {
    for (const one of undo.reverse()) one()
    await fake.close()
  }
  try {
    const { url } = await fake.listen()
    const [key] = Object.keys(fake.keys())
    if (!t.concurrent) undo.push(setVariable('ETN_MARKET_BASE_URL', url), setVariable('ETN_MARKET_API_KEY', key))
    t.after(async () => {
      await end()
      fake.expectNoUnusedFaults()
    })
  } catch (error) {
    await end()
    throw error
  }
  return fake
}
