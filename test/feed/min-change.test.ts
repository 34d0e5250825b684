import { fakeTokens } from 'etn-market/fake'
import type { FeedPrice, MinChange } from 'etn-market/feed'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { MoveFilter, readMinChange } from '../../src/feed/watch/min-change.ts'
import { hasMovedBy } from '../../src/utils/decimal.ts'
import { testProperty } from '../support/property.ts'
import { watch } from '../support/setup.ts'
import { MINUTE, setupFeed } from './setup.ts'

const { BOLT } = fakeTokens

/** Watches BOLT, whose price starts at 1, with the prices that it delivers in USD. */
async function setupMoves(minChange: MinChange, options = {}) {
  const setup = setupFeed(options)
  const { feed, clock, fake } = setup
  const prices: FeedPrice[] = []
  fake.world.setPrice(BOLT, '1')
  const watched = feed.watch(BOLT, { everyMs: MINUTE, minChange, onPrice: (price) => void prices.push(price) })
  await clock.advance(10)
  const move = async (usd: string | null) => {
    if (usd === null) fake.world.unprice(BOLT)
    else fake.world.setPrice(BOLT, usd)
    await clock.advance(MINUTE)
  }
  return { ...setup, watched, prices, move, delivered: () => prices.map(({ usd }) => usd) }
}

describe('a watch with minChange', () => {
  test('delivers the first price, and then each that moved far enough from the last delivered one', async () => {
    const { move, delivered, fake } = await setupMoves({ percent: 10 })
    for (const usd of ['1.09', '1.0999', '1.1', '1.2', '0.991', '0.99']) await move(usd)
    expect(delivered()).toEqual(['1', '1.1', '0.99'])
    fake.expectRequests(7)
  })

  test('compares an absolute difference exactly', async () => {
    const { move, delivered } = await setupMoves({ absolute: '0.1' })
    for (const usd of ['1.09999999', '1.1', '1.2', '1.3', '1.200000000001', '1.2']) await move(usd)
    expect(delivered()).toEqual(['1', '1.1', '1.2', '1.3', '1.2'])
  })

  test('delivers a price that disappears or appears', async () => {
    const { move, delivered } = await setupMoves({ percent: 50 })
    for (const usd of ['1.01', null, null, '1', '1.01']) await move(usd)
    expect(delivered()).toEqual(['1', null, '1'])
  })

  test('delivers a price when it becomes stale, and when it is fresh again', async () => {
    const { move, prices, fake } = await setupMoves({ percent: 10 })
    const fault = fake.fault({ status: 400, times: Number.POSITIVE_INFINITY })
    await move('1.01')
    await move('1.02')
    expect(prices.map(({ stale }) => stale)).toEqual([false, true])
    fault.remove()
    await move('1.03')
    await move('1.04')
    expect(prices.map(({ usd, stale }) => [usd, stale])).toEqual([
      ['1', false],
      ['1', true],
      ['1.03', false],
    ])
  })

  test('compares an iteration with the price that was read last', async () => {
    const { feed, clock, fake } = setupFeed()
    fake.world.setPrice(BOLT, '1')
    const reader = feed.watch(BOLT, { everyMs: MINUTE, minChange: { percent: 10 } })[Symbol.asyncIterator]()
    await clock.advance(10)
    expect((await reader.next()).value.usd).toBe('1')
    fake.world.setPrice(BOLT, '1.5')
    await clock.advance(MINUTE)
    fake.world.setPrice(BOLT, '1.01')
    await clock.advance(MINUTE)
    const second = watch(reader.next())
    fake.world.setPrice(BOLT, '1.02')
    await clock.advance(MINUTE)
    expect(second.state).toBe('pending')
    fake.world.setPrice(BOLT, '1.1')
    await clock.advance(MINUTE)
    expect(second.value?.value.usd).toBe('1.1')
    await reader.return?.()
  })

  test('delivers the first price of an address that comes back', async () => {
    const { watched, clock, delivered } = await setupMoves({ percent: 10 })
    watched.update({ addresses: [] })
    watched.update({ addresses: BOLT })
    await clock.advance(10)
    expect(delivered()).toEqual(['1', '1'])
  })

  test('of 0 delivers every price that differs', async () => {
    const { move, delivered } = await setupMoves({ percent: 0 })
    for (const usd of ['1', '1.000000000001', '1.000000000001']) await move(usd)
    expect(delivered()).toEqual(['1', '1.000000000001'])
  })
})

test.each<[Partial<FeedPrice>, Partial<FeedPrice>, boolean]>([
  [{ etn: '1' }, { etn: '1.1' }, true],
  [{ etn: '1' }, { etn: '1.0999' }, false],
  [{ usd: '1', etn: '1' }, { usd: '1.01', etn: '5' }, false],
  [{ usd: '1', etn: '1' }, { etn: '1' }, true],
  [{ etn: '1' }, { usd: '1', etn: '1' }, true],
  [{ etn: '1' }, {}, true],
  [{}, {}, false],
  [{ usd: '0' }, { usd: '0.0' }, false],
  [{ usd: 'unreadable' }, { usd: '1' }, true],
])('from %o to %o, a price moved by 10 percent: %s', (from, to, moved) => {
  const filter = new MoveFilter(readMinChange({ percent: 10 }))
  const price = (known: Partial<FeedPrice>) => ({
    address: BOLT,
    usd: null,
    etn: null,
    at: 0,
    ageMs: 0,
    stale: false,
    ...known,
  })
  filter.recordDelivery(price(from))
  expect(filter.shouldDeliver(price(to))).toBe(moved)
})

test.each<[string, unknown]>([
  ['minChange', {}],
  ['minChange', { percent: 1, absolute: 1 }],
  ['minChange.percent', { percent: -1 }],
  ['minChange.absolute', { absolute: 'much' }],
  ['minChange.percent', { percent: Number.NaN }],
  ['share', { share: 1 }],
])('rejects an invalid %s', (name, minChange) => {
  const { feed } = setupFeed()
  expect(() => feed.watch(BOLT, { everyMs: MINUTE, minChange: minChange as MinChange })).toThrow(name)
})

testProperty(
  'decimals decide a move as rational arithmetic does',
  () => {
    const amount = fc.tuple(fc.bigInt({ min: 0n, max: 10n ** 30n }), fc.nat(18))
    return fc.property(amount, amount, amount, ([from, a], [to, b], [percent, c]) => {
      const scaled = (digits: bigint, scale: number) => digits * 10n ** BigInt(18 - scale)
      const difference = scaled(to, b) - scaled(from, a)
      const distance = difference < 0n ? -difference : difference
      const far = distance * 100n * 10n ** 18n >= scaled(from, a) * scaled(percent, c)
      const change = { percent: { digits: percent, scale: c } }
      const moved = hasMovedBy({ digits: from, scale: a }, { digits: to, scale: b }, change)
      expect(moved).toBe(distance > 0n && far)
    })
  },
  { cases: 50 },
)
