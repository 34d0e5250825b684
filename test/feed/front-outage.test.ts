import type { FaultOptions } from 'etn-market/fake'
import { describe, expect, test } from 'vitest'
import { DAY, MINUTE, recordWatch, setupFeed, some } from './setup.ts'

/** What a day of 50 tokens at a minute costs, in credits. */
const DAY_CREDITS = (DAY / MINUTE) * 600
const MAX_UNCERTAIN = 0.05 * DAY_CREDITS

/** Fronts that do not reach the service: nothing is charged, but only the service could say so. */
const OUTAGES: FaultOptions[] = [
  { front: 'varnish' },
  { front: 'varnish', retryAfter: false },
  { front: 'lighttpd' },
  { front: 'json-gateway' },
  { front: 'nginx-timeout' },
  { front: 'nginx-missing-page' },
  { front: 'nginx-sorry-page' },
]

describe.each([false, true])('a front that answers for ten minutes, exclusiveKey: %s', (exclusiveKey) => {
  test.each(OUTAGES)('as %j does costs a feed a small part of its day as uncertain', async (answer) => {
    const budget = { credits: 2 * DAY_CREDITS, windowMs: DAY, exclusiveKey }
    const { feed, fake, client, clock } = setupFeed({ budget: false }, {}, { budget })
    const { prices } = recordWatch(feed, some(50), MINUTE)
    await clock.advance(30 * MINUTE)
    const outage = fake.fault({ ...answer, charge: false, times: Number.POSITIVE_INFINITY })
    await clock.advance(10 * MINUTE)
    const { uncertain } = client.budget
    expect(uncertain).toBe(600 * outage.hits)
    expect(uncertain).toBeGreaterThan(0)
    expect(uncertain).toBeLessThan(MAX_UNCERTAIN)
    outage.remove()
    const from = clock.now()
    await clock.advance(5 * MINUTE)
    expect(prices.filter(({ at }) => at > from)).toHaveLength(5 * 50)
    expect(client.budget.uncertain).toBe(exclusiveKey ? 0 : uncertain)
    expect(client.budget.spent).toBe(fake.ledger().reduce((sum, { credits }) => sum + credits, 0))
  })
})
