import { createClient } from 'etn-market'
import { createFakeService } from 'etn-market/fake'
import { mswHandlers } from 'etn-market/msw'
import { setupServer } from 'msw/node'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { KEY, type Service } from '../service.ts'

/** A fake for each file behind msw, reset after each test. */
const fake = createFakeService({ keys: { [KEY]: 1_000_000 } })
const server = setupServer(...mswHandlers(fake))
beforeAll(() => server.listen({ onUnhandledRequest: 'error' }))
afterEach(() => fake.reset())
afterAll(() => {
  server.close()
  return fake.close()
})

export const service: Service = {
  connect: () => createClient({ apiKey: KEY, retry: false }),
  beBusy: () => void fake.fault({ status: 503, retryAfter: '1' }),
  runOut: () => fake.setCredits(KEY, 0),
  loseAnswer: () => void fake.fault({ reset: 'after' }),
}
