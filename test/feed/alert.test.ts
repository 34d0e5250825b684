import { fakeTokens } from 'etn-market/fake'
import type { AlertOptions, FeedAlert, FeedPrice } from 'etn-market/feed'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { detectCrossings } from '../../src/feed/watch/alert.ts'
import { parseDecimal } from '../../src/utils/decimal.ts'
import { testProperty } from '../support/property.ts'
import { watch } from '../support/setup.ts'
import { MINUTE, read, recordWatch, SECOND, setupFeed } from './setup.ts'

const { BOLT, CORE } = fakeTokens

/** An alert for BOLT that is read as it fires. */
function setupAlert(options: Partial<AlertOptions>, usd: string | null = '1') {
  const setup = setupFeed()
  const { feed, clock, fake } = setup
  const setPrice = (next: string | null) => (next === null ? fake.world.unprice(BOLT) : fake.world.setPrice(BOLT, next))
  setPrice(usd)
  const { seen } = read(feed.alert(BOLT, { everyMs: MINUTE, ...options }))
  const follow = async (...path: (string | null)[]) => {
    await clock.advance(10)
    for (const next of path) {
      setPrice(next)
      await clock.advance(MINUTE)
    }
  }
  const fired = () => seen.map(({ condition, price, from }) => [condition, price.usd, from?.usd])
  return { ...setup, follow, fired }
}

describe('a limit', () => {
  test('fires when it is crossed, and again only after the price has been back', async () => {
    const { follow, fired, fake, feed } = setupAlert({ above: '1.5', below: 0.5 })
    await follow('1.6', '1.7', '1.5', '1.51', '0.5', '0.49', '0.1', '0.6', '0.4999')
    expect(fired()).toEqual([
      ['above', '1.6', '1'],
      ['above', '1.51', '1.5'],
      ['below', '0.49', '0.5'],
      ['below', '0.4999', '0.6'],
    ])
    fake.expectCredits(10 * 50)
    expect(feed.status()).toMatchObject({ watches: 1, addresses: 1 })
  })

  test('neither fires nor rearms while there is no price', async () => {
    const { follow, fired } = setupAlert({ above: '1.5' }, null)
    await follow(null, '2', null, '2', '1', null, '2')
    expect(fired()).toEqual([
      ['above', '2', undefined],
      ['above', '2', '1'],
    ])
  })

  test('is compared exactly', async () => {
    const { follow, fired } = setupAlert({ above: '0.100000000000000001' }, '0.1')
    await follow('0.100000000000000001', '0.100000000000000002')
    expect(fired()).toEqual([['above', '0.100000000000000002', '0.100000000000000001']])
  })
})

test('a move is measured against the prices of withinMs', async () => {
  const { follow, fired } = setupAlert({ movePercent: 10, withinMs: 2 * MINUTE })
  await follow('1.04', '1.08', '1.12', '1.16', '1.15', '1.04', '1.03')
  expect(fired()).toEqual([['move', '1.04', '1.16']])
})

test('one price can fire every condition', async () => {
  const { follow, fired } = setupAlert({ above: 1.5, below: 3, movePercent: 50 }, '5')
  await follow('2')
  expect(fired()).toEqual([
    ['above', '5', undefined],
    ['below', '2', '5'],
    ['move', '2', '5'],
  ])
})

test('alerts share the requests of other watches', async () => {
  const { feed, follow, fake } = setupAlert({ above: 2 })
  recordWatch(feed, BOLT, MINUTE)
  feed.alert(CORE, { above: 2, everyMs: MINUTE })
  await follow('1', '1')
  fake.expectCredits(3 * 50)
})

test('a price that was old at the start fires nothing', async () => {
  const { feed, fake, clock } = setupFeed({}, { latencyMs: SECOND })
  fake.world.setPrice(BOLT, '2')
  const known = feed.price(BOLT)
  await clock.advance(2 * SECOND)
  await known
  fake.world.setPrice(BOLT, '1')
  await clock.advance(10 * MINUTE)
  const next = watch(feed.alert(BOLT, { above: 1.5, everyMs: MINUTE })[Symbol.asyncIterator]().next())
  await clock.advance(5 * MINUTE)
  expect(next.state).toBe('pending')
})

describe('a slow reader', () => {
  test('gets every alert in its order, with the age at the time when it is read', async () => {
    const { feed, fake, clock } = setupFeed()
    fake.world.setPrice(BOLT, '1')
    const iterator = feed.alert(BOLT, { above: 1.5, everyMs: MINUTE })[Symbol.asyncIterator]()
    await clock.advance(10)
    for (const usd of ['2', '1', '3', '1', '4', '1']) {
      fake.world.setPrice(BOLT, usd)
      await clock.advance(MINUTE)
    }
    const closing = feed.close()
    const read: FeedAlert[] = []
    for await (const alert of { [Symbol.asyncIterator]: () => iterator }) read.push(alert)
    await closing
    expect(read.map(({ price }) => price.usd)).toEqual(['2', '3', '4'])
    expect(read[0]).toMatchObject({ missed: 0, price: { ageMs: 5 * MINUTE + 5, stale: true }, from: { usd: '1' } })
    expect(clock.pending).toBe(0)
  })

  test('misses the oldest of more than 1,000 alerts, and knows how many', async () => {
    const { feed, fake, clock } = setupFeed()
    fake.world.setPrice(BOLT, '1')
    const options = { above: 1.5, below: 1.5, movePercent: 1, everyMs: SECOND }
    const iterator = feed.alert(BOLT, options)[Symbol.asyncIterator]()
    await clock.advance(10)
    for (let index = 1; index <= 501; index++) {
      fake.world.setPrice(BOLT, index % 2 === 0 ? '1' : '2')
      await clock.advance(SECOND)
    }
    const read = [(await iterator.next()).value, (await iterator.next()).value]
    expect(read.map(({ condition, price, missed }) => [condition, price.usd, missed])).toEqual([
      ['below', '1', 3],
      ['move', '1', 0],
    ])
    await iterator.return?.()
  })
})

test.each<[string, object]>([
  ['above, below or movePercent', {}],
  ['above', { above: 'high' }],
  ['below', { below: Number.NaN }],
  ['movePercent', { movePercent: 0 }],
  ['withinMs', { above: 1, withinMs: MINUTE }],
  ['withinMs', { movePercent: 1, withinMs: SECOND }],
  ['everyMs', { above: 1, everyMs: 0 }],
  ['move', { move: 1 }],
])('rejects an invalid %s', (name, options) => {
  const { feed } = setupFeed()
  expect(() => feed.alert(BOLT, { everyMs: MINUTE, ...options })).toThrow(name)
})

interface Rules {
  above: number | undefined
  below: number | undefined
  movePercent: number | undefined
  /** In prices. */
  within: number | undefined
}

/** The conditions that each price of a path meets, found by looking at the whole path before it. */
function expectedCrossings({ above, below, movePercent, within = Number.POSITIVE_INFINITY }: Rules, path: Path) {
  let movedAt = 0
  return path.flatMap((price, index) => {
    if (price === null) return []
    const earlier = path.slice(0, index).filter((other) => other !== null)
    const last = earlier.at(-1)
    const recent = path.slice(Math.max(movedAt, index - within, 0), index).filter((other) => other !== null)
    const fired: string[] = []
    if (above !== undefined && price > above && !(last !== undefined && last > above)) fired.push('above')
    if (below !== undefined && price < below && !(last !== undefined && last < below)) fired.push('below')
    const isFar = (other: number) => price !== other && Math.abs(price - other) * 100 >= (movePercent ?? 0) * other
    if (movePercent !== undefined && recent.some(isFar)) {
      fired.push('move')
      movedAt = index
    }
    return fired.map((condition) => ({ index, condition }))
  })
}

type Path = readonly (number | null)[]

const path = fc.array(
  fc.option(fc.oneof(fc.integer({ min: 95, max: 112 }), fc.integer({ min: 0, max: 200 })), { freq: 8 }),
  { minLength: 1, maxLength: 60 },
)
const optional = (min: number, max: number) => fc.option(fc.integer({ min, max }), { nil: undefined })
const rules = fc
  .record({ above: optional(90, 115), below: optional(90, 115), movePercent: optional(1, 60), within: optional(1, 8) })
  .filter(({ above, below, movePercent }) => [above, below, movePercent].some((rule) => rule !== undefined))

const asUsd = (cents: number) => `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`

testProperty(
  'crossings are those that a model finds in the whole path',
  fc.property(rules, path, (rules, path) => {
    const detect = detectCrossings({
      above: rules.above === undefined ? undefined : parseDecimal(asUsd(rules.above)),
      below: rules.below === undefined ? undefined : parseDecimal(asUsd(rules.below)),
      movePercent: parseDecimal(rules.movePercent),
      withinMs: (rules.within ?? Number.POSITIVE_INFINITY) * MINUTE,
    })
    const found = path.flatMap((cents, index) => {
      const usd = cents === null ? null : asUsd(cents)
      const price: FeedPrice = { address: BOLT, usd, etn: null, at: index * MINUTE, ageMs: 0, stale: false }
      return detect(price, index * MINUTE).map(({ condition }) => ({ index, condition }))
    })
    expect(found).toEqual(expectedCrossings(rules, path))
  }),
  { cases: 300 },
)
