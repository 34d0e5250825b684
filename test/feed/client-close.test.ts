import { createClient } from 'etn-market'
import { createFakeService } from 'etn-market/fake'
import { createPriceFeed } from 'etn-market/feed'
import { expect, test } from 'vitest'
import { flush } from '../support/clock.ts'
import { createDirectTransport } from '../support/direct-transport.ts'
import { useFakeTimers } from '../support/fake-timers.ts'
import { onCaseFinished } from '../support/property.ts'
import { rejection } from '../support/setup.ts'
import { MINUTE, recordWatch, SECOND, setupFeed, some } from './setup.ts'

// What iterations do then: `iterations.test.ts`.
test.each([
  ['runs', {}, {}, 0],
  ['waits after a failure', {}, {}, 500],
  ['is stopped', {}, {}, 402],
  ['has no credits left', { budget: { creditsPerDay: 120 } }, {}, 0],
  ['waits for an answer', {}, { latencyMs: MINUTE }, 0],
])('a feed that %s ends at once with its client', async (_, options, service, status) => {
  const { feed, fake, client, clock } = setupFeed(options, service)
  if (status > 0) fake.fault({ status, times: Number.POSITIVE_INFINITY })
  recordWatch(feed, some(3), MINUTE)
  await clock.advance(10 * SECOND)
  await client.close()
  await flush()
  expect([feed.status().state, feed.status().watches, clock.pending]).toEqual(['closed', 0, 0])
  const sent = fake.journal().length
  await clock.advance(10 * MINUTE)
  expect(fake.journal()).toHaveLength(sent)
  expect(await rejection(feed.price(some(1)[0]!), Error)).toMatchObject({ code: 'client_closed' })
  await feed.close()
})

test('a feed of a client that is closed is closed', async () => {
  const { client, another, clock } = setupFeed()
  await client.close()
  const feed = another()
  expect(feed.status().state).toBe('closed')
  expect(() => feed.watch(some(1), { everyMs: MINUTE })).toThrow('The client is closed')
  expect(clock.pending).toBe(0)
})

test('in real time, a feed keeps no process alive after its client is closed', async () => {
  const timers = useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  const fake = createFakeService()
  onCaseFinished(() => fake.close())
  const client = createClient({ apiKey: fake.key, transport: createDirectTransport(fake.fetch) })
  const feed = createPriceFeed(client)
  const { prices } = recordWatch(feed, some(3), MINUTE)
  await timers.advance(SECOND)
  expect(prices).toHaveLength(3)
  expect(timers.pending()).toBeGreaterThan(0)
  await client.close()
  await flush()
  expect(timers.pending()).toBe(0)
})
