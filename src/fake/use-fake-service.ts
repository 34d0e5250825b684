import { allowOrigin, isGuarded } from '../utils/fake-mark.ts'
import { environment, setVariable } from '../utils/runtime.ts'
import { canListen } from './http/listen.ts'
import type { FakeServiceOptions } from './options.ts'
import { checkFunctions, FakeUsageError } from './rules/check.ts'
import { createFakeService } from './service.ts'
import type { FakeService } from './types.ts'

/** Stands for a fake that does not listen yet: of two tests that start together, one learns of the other. */
const STARTING = 'starting'

/** What to pass as `after`, for messages. */
const EACH_RUNNER =
  'Pass t of node:test, { after: onTestFinished } of vitest or Bun, or { after: (cleanUp) => cleanUps.push(cleanUp) } with an afterEach of ' +
  'Jest or mocha that calls the functions of this list.'

/** In Jest and vitest by their name, in mocha the global `after`. What they register in a test that runs is called much later, or never. */
function isHookOfSuite(after: TestContext['after']): boolean {
  return /^after(All|Each)$/.test(after.name) || after === (globalThis as { after?: unknown }).after
}

/** What `useFakeService` needs of a test context. */
export interface TestContext {
  /**
   * Registers a function that runs after the test: `t.after` of `node:test`, `onTestFinished` of vitest and Bun. In Jest and mocha it puts the
   * function into a list, which an `afterEach` of yours works off. A hook of the suite, such as `afterAll`, is refused.
   */
  after(cleanUp: () => Promise<void>): void
  /**
   * Whether other tests run at the same time. They share the environment, so it leads to no fake then: pass `fake.fetch` to each client. In a page,
   * where nothing can listen, it is the same.
   * @default false
   */
  concurrent?: boolean | undefined
}

/**
 * Creates a fake for one test. It listens, and `ETN_MARKET_BASE_URL` and `ETN_MARKET_API_KEY` lead to it. Until the test is over, a client
 * that would reach anything but a fake rejects with `InvalidRequestError`, code `not_the_fake`. After the test the environment is restored,
 * the fake is closed, and the test fails if a fault was not used up.
 *
 * @throws FakeUsageError for a wrong option, a context without `after`, or an `after` that is a hook of the suite: nothing is left behind
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
  if (isHookOfSuite(t.after))
    throw new FakeUsageError(`t.after is a hook of the suite: it does not run when this test ends. ${EACH_RUNNER}`)
  const isShared = t.concurrent === true || !canListen()
  if (!isShared && isGuarded()) {
    const own =
      environment('VITEST') === undefined
        ? 'createFakeService'
        : 'the `client` fixture of etn-market/vitest, or createFakeService'
    throw new Error(
      `The environment leads to the fake of another test. Where tests run concurrently, use ${own}, and pass fake.fetch to createClient. ` +
        `If that test is over, its \`after\` did not run. ${EACH_RUNNER}`,
    )
  }
  const fake = createFakeService(options)
  const undo = [allowOrigin(STARTING)]
  const end = async () => {
    for (const one of undo.reverse()) one()
    await fake.close()
  }
  try {
    if (!isShared) {
      const { url } = await fake.listen()
      const [key] = Object.keys(fake.keys())
      undo.push(setVariable('ETN_MARKET_BASE_URL', url), setVariable('ETN_MARKET_API_KEY', key))
    }
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
