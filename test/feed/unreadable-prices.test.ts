import { type ClientOptions, ResponseError } from 'etn-market'
import { fakeTokens } from 'etn-market/fake'
import { describe, expect, test } from 'vitest'
import { rejection } from '../support/setup.ts'
import { createStore } from '../support/store.ts'
import { MINUTE, read, recordWatch, SECOND, setupFeed } from './setup.ts'

const { BOLT, CORE, DYNO } = fakeTokens
const ALL = Number.POSITIVE_INFINITY

/** Texts that are no prices: a comparison with them is false, or is true for a price that never was. */
const NO_PRICES = ['NaN', '', 'Infinity', '-1', '-0', '1e999', '0x1', 'n/a', 5, true, {}]
const MODES = ['strict', 'warn', 'off'] as const

/** A feed of a service whose price of BOLT is `usd`, alone and in a batch. */
function setupUnreadable(usd: unknown, validate: ClientOptions['validate']) {
  const setup = setupFeed({}, {}, { validate })
  const inBatch = ({ data, ...rest }: { data: Record<string, object> }) => ({
    ...rest,
    data: { ...data, [BOLT.toLowerCase()]: { etn: '1', usd } },
  })
  const alone = ({ data, ...rest }: { data: object }) => ({ ...rest, data: { ...data, usd } })
  setup.fake.fault({ operation: 'prices.batch', times: ALL, transform: inBatch as never })
  const isBolt = ({ path }: { path: string }) => path.toLowerCase().includes(BOLT.toLowerCase())
  setup.fake.fault({ operation: 'token.price', when: isBolt, times: ALL, transform: alone as never })
  return setup
}

describe.each(MODES)('a price that is no decimal, not negative, with validate: %s', (validate) => {
  test.each(NO_PRICES)('%j is not handed out, fires no alert and is bought once an interval', async (usd) => {
    const { feed, fake, clock } = setupUnreadable(usd, validate)
    const { seen } = read(feed.alert(BOLT, { below: '0.5', above: '0', movePercent: 1, everyMs: MINUTE }))
    const { prices, errors } = recordWatch(feed, BOLT, MINUTE)
    await clock.advance(10 * MINUTE - SECOND)
    expect([seen, prices, feed.peek(BOLT)]).toEqual([[], [], undefined])
    expect(errors).toEqual([expect.objectContaining({ code: 'unexpected_shape', charge: 'charged', credits: 50 })])
    expect(fake.charged()).toBe(10 * 50)
  })

  test('fails the request for it, with the body, and no other address of the batch', async () => {
    const { feed, clock, fake } = setupUnreadable('NaN', validate)
    const bad = recordWatch(feed, BOLT, MINUTE)
    const good = recordWatch(feed, [CORE, DYNO], MINUTE)
    await clock.advance(10 * MINUTE - SECOND)
    expect(good.prices).toHaveLength(20)
    expect([bad.prices, good.errors]).toEqual([[], []])
    expect(bad.errors).toEqual([expect.objectContaining({ code: 'unexpected_shape' })])
    expect(fake.charged()).toBe(10 * 130)
    const error = rejection(feed.price(BOLT, { maxAgeMs: 0 }), ResponseError)
    await clock.advance(MINUTE)
    expect(JSON.stringify((await error).body)).toContain('"NaN"')
  })
})

test.each(NO_PRICES)('%j in a store is not handed out, but bought anew', async (usd) => {
  const { store, kept } = createStore()
  const { feed, clock, fake, another } = setupFeed({ store })
  const first = feed.price(BOLT)
  await clock.advance(SECOND)
  await first
  const [key = ''] = [...kept.keys()].filter((name) => name.includes('feed:1:'))
  const stored = JSON.parse(String(kept.get(key)))
  kept.set(key, JSON.stringify({ ...stored, price: { ...stored.price, usd } }))
  const second = another({ store }).price(BOLT)
  await clock.advance(SECOND)
  expect((await second).usd).toMatch(/^[0-9.]+$/)
  fake.expectRequests(2)
})
