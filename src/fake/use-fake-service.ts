import type { FakeServiceOptions } from './options.ts'
import { createFakeService } from './service.ts'
import type { FakeService } from './types.ts'

/** What `useFakeService` needs of a test context. */
export interface TestContext {
  /** Registers a function that runs after the test, as `t.after` of `node:test` does. */
  after(cleanUp: () => Promise<void>): void
}

/**
 * Creates a fake for one test. It listens, and `ETN_MARKET_BASE_URL` and `ETN_MARKET_API_KEY` lead to it. After the test the
 * environment is restored, the fake is closed, and the test fails if a fault was not used up. Concurrent tests share one
 * environment: pass `fake.fetch` to their clients.
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
  const fake = createFakeService(options)
  const { url } = await fake.listen()
  const { env } = (globalThis as unknown as { process: { env: Record<string, string | undefined> } }).process
  const before = { ETN_MARKET_BASE_URL: env.ETN_MARKET_BASE_URL, ETN_MARKET_API_KEY: env.ETN_MARKET_API_KEY }
  Object.assign(env, { ETN_MARKET_BASE_URL: url, ETN_MARKET_API_KEY: fake.key })
  t.after(async () => {
    for (const [name, value] of Object.entries(before)) {
      if (value === undefined) delete env[name]
      else env[name] = value
    }
    await fake.close()
    fake.expectNoUnusedFaults()
  })
  return fake
}
