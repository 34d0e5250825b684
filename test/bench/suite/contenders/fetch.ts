import { createClient } from 'etn-market'
import { createFakeService } from 'etn-market/fake'
import { afterEach, beforeEach } from 'vitest'
import { KEY, type Service } from '../service.ts'

/** One fake for each test, as the `fetch` of its client. */
let fake = createFakeService({ keys: { [KEY]: 1_000_000 } })
beforeEach(() => {
  fake = createFakeService({ keys: { [KEY]: 1_000_000 } })
})
afterEach(() => fake.close())

export const service: Service = {
  connect: () => createClient({ apiKey: KEY, fetch: fake.fetch, retry: false }),
  failBusy: () => void fake.fault({ status: 503, retryAfter: '1' }),
  exhaustCredits: () => fake.setCredits(KEY, 0),
  loseResponse: () => void fake.fault({ reset: 'after' }),
}
