import { createClient } from 'etn-market'
import { createFakeService } from 'etn-market/fake'
import { mswHandlers } from 'etn-market/msw'
import { setupServer } from 'msw/node'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { KEY, type Service } from '../service.ts'

/** One fake for each test file, behind msw, reset after each test. */
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
  failBusy: () => void fake.fault({ status: 503, retryAfter: '1' }),
  exhaustCredits: () => fake.setCredits(KEY, 0),
  loseResponse: () => void fake.fault({ reset: 'after' }),
}
