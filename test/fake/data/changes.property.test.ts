import fc from 'fast-check'
import { expect } from 'vitest'
import type { Candle } from '../../../src/generated/types.ts'
import { testProperty } from '../../support/property.ts'
import { ask, BOLT, NOON, WETN } from '../setup.ts'
import { BUCKETS, type Bucket, expectAgreement, FEW, SECONDS } from './agreement.ts'

const HOUR = 3_600

type Change =
  | { kind: 'price'; token: string; usd: number; overMs: number }
  | { kind: 'trade'; usd: number }
  | { kind: 'candles'; usd: number; bucket: Bucket }
  | { kind: 'unprice' | 'release' }
  | { kind: 'advance'; ms: number }

const usd = fc.integer({ min: 1, max: 5_000 }).map((thousandths) => thousandths / 1_000)
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({
    kind: fc.constant('price' as const),
    token: fc.constantFrom(BOLT, BOLT, WETN),
    usd,
    overMs: fc.constantFrom(0, 0, 1_000, 5_000_000, 100_000_000),
  }),
  fc.record({ kind: fc.constant('trade' as const), usd }),
  fc.record({ kind: fc.constant('candles' as const), usd, bucket: fc.constantFrom(...BUCKETS) }),
  fc.record({ kind: fc.constantFrom('unprice' as const, 'release' as const) }),
  fc.record({ kind: fc.constant('advance' as const), ms: fc.integer({ min: 500, max: 100_000_000 }) }),
)

type Stage = ReturnType<typeof ask>

async function apply({ fake, get }: Stage, one: Change): Promise<void> {
  const { world } = fake
  if (one.kind === 'advance') await fake.advance(one.ms)
  else if (one.kind === 'unprice') world.unprice(BOLT)
  else if (one.kind === 'release') world.release(BOLT)
  else if (one.kind === 'candles') world.candles(BOLT, one.bucket, [rowBefore(fake.now(), one)])
  else {
    const hasPrice = (await get(`/prices/52014/${BOLT}`)).usd !== undefined
    if (one.kind === 'trade' && hasPrice) world.trade({ token: BOLT, usd: one.usd })
    // Without a price there is nothing that could move.
    if (one.kind === 'price') world.setPrice(one.token, one.usd, { overMs: hasPrice ? one.overMs : 0 })
  }
}

/** A row of the last closed period. */
function rowBefore(now: number, { usd: price, bucket }: Change & { kind: 'candles' }): Candle {
  const time = Math.floor(now / 1_000 / SECONDS[bucket] - 1) * SECONDS[bucket]
  return { time, open: price, high: price * 2, low: price / 2, close: price, volume: 48, count: 12 }
}

const checkRoutes = async (stage: Stage) => (await expectAgreement(stage, BOLT, FEW)).closed

/** Sequences that failed once. */
const FOUND: [Change[]][] = [
  [
    [
      { kind: 'price', token: WETN, usd: 0.01, overMs: 100_000_000 },
      { kind: 'advance', ms: 9_000_000 },
    ],
  ],
  [
    [
      { kind: 'advance', ms: 1_800_000 },
      { kind: 'candles', usd: 1, bucket: '1h' },
      { kind: 'candles', usd: 5, bucket: '15m' },
    ],
  ],
  [[{ kind: 'price', token: WETN, usd: 0.001, overMs: 0 }]],
  [
    [
      { kind: 'price', token: BOLT, usd: 0.001, overMs: 0 },
      { kind: 'advance', ms: 48_304_000 },
      { kind: 'candles', usd: 0.001, bucket: '1h' },
    ],
  ],
]

testProperty(
  'after any sequence of changes all routes agree on the price, and closed candles do not change',
  fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 6 }), async (changes) => {
    const stage = ask({ clock: { now: () => NOON } })
    const known = await checkRoutes(stage)
    for (const one of changes) {
      const now = stage.fake.now()
      await apply(stage, one)
      // Only `candles` changes the past: the row, and the prices after it.
      if (one.kind === 'candles') {
        const { time } = rowBefore(now, one)
        for (const key of known.keys()) if (Number(key.slice(4)) > time - HOUR) known.delete(key)
      }
      const closed = [...(await checkRoutes(stage))]
      const before = closed.map(([key, candle]) => [key, known.get(key) ?? candle])
      expect(closed, `after ${JSON.stringify(one)}`).toEqual(before)
      for (const [key, candle] of closed) known.set(key, candle)
    }
  }),
  { cases: 8, examples: FOUND },
)
