import { beforeEach, describe, expect, test } from 'vitest'
import { DELAY_MS, KEY, LEASE_MS, START, useScripts, WINDOW_MS } from './setup.ts'

const scripts = useScripts()
const { initialize, reserve, settle, status } = scripts

/** Both steps with a balance. */
async function compare(balance: number, key = KEY): Promise<string[]> {
  const [verdict, ...quiet] = await scripts.reconcile()
  return verdict === 'quiet' ? scripts.reconcile([...quiet, balance, key]) : [verdict ?? '']
}
/** A request that was sent so long ago that it is charged by now or never. */
const lose = async (id: string, credits: number, sentMs = DELAY_MS) => {
  await reserve(id, credits)
  await settle(id, 'u', 0, { sentMs })
}

// What balances show, and what is freed, in any order: `../reconcile-model.test.ts`.
beforeEach(async () => {
  await initialize()
  expect(await compare(10_000)).toEqual(['first'])
})

test('nothing is proven while a request is in flight, or when one was between the steps', async () => {
  const [, ...quiet] = await scripts.reconcile()
  await reserve('a', 100)
  expect(await compare(9_900)).toEqual(['busy'])
  expect(await scripts.reconcile([...quiet, 9_900, KEY])).toEqual(['busy'])
  await settle('a', 's', 100)
  expect(await scripts.reconcile([...quiet, 9_900, KEY])).toEqual(['busy'])
  expect((await status()).totals).toEqual([100, 0, 0])
  expect(await compare(9_900)).toEqual(['proven', '0', '0'])
})

test.each([
  ['s', [['busy'], ['first'], ['proven', '0', '0']], [100, 0, 0]],
  ['u', [['busy'], ['first'], ['proven', '0', '0']], [0, 0, 100]],
] as const)(
  'no balance is the first of its key while a request with it ended between the steps: %s',
  async (decision, verdicts, totals) => {
    const key = 'another key'
    const [, ...quiet] = await scripts.reconcile()
    await reserve('a', 100, { key })
    await settle('a', decision, 100, { key })
    // It may have been read before the charge, or after it.
    expect([
      await scripts.reconcile([...quiet, 5_000, key]),
      await compare(4_900, key),
      await compare(4_900, key),
    ]).toEqual(verdicts)
    expect((await status()).totals).toEqual(totals)
  },
)

test('a loss is old enough at the first step: the balance may be older than the second', async () => {
  await lose('a', 100, DELAY_MS - 1)
  const [, ...quiet] = await scripts.reconcile()
  scripts.later(10)
  expect(await scripts.reconcile([...quiet, 10_000, KEY])).toEqual(['proven', '0', '0'])
  expect((await status()).totals).toEqual([0, 0, 100])
})

test('a loss from the future, after the clock of Redis was set back, is taken to be new', async () => {
  scripts.later(WINDOW_MS / 2)
  await lose('a', 100, 0)
  scripts.later(-WINDOW_MS / 2)
  expect(await compare(10_000)).toEqual(['proven', '0', '0'])
  scripts.later(DELAY_MS - 1)
  expect(await compare(10_000)).toEqual(['proven', '0', '0'])
  scripts.later(1)
  expect(await compare(10_000)).toEqual(['proven', '0', '100'])
})

test('a charge of a key that nobody names makes no balance comparable with the next one', async () => {
  await lose('a', 100)
  await reserve('by hand', 50, { key: '' })
  await settle('by hand', 's', 50, { key: '' })
  expect(await compare(10_000 - 50)).toEqual(['first'])
  expect(await compare(10_000 - 50)).toEqual(['proven', '0', '0'])
  expect((await status()).totals).toEqual([50, 0, 100])
})

test('more losses than are listed are counted together, and freed little later than alone', async () => {
  for (let number = 0; number < 100; number++) {
    await lose(`lost ${number}`, 5, 0)
    scripts.later(2)
  }
  const listed = await scripts.redis.hget(scripts.keys.ledger[5] as string, KEY)
  expect(listed?.split(';').length).toBeLessThan(35)
  scripts.later(DELAY_MS - 100)
  await compare(10_000)
  const [, , uncertain = 0] = (await status()).totals
  expect(uncertain).toBeGreaterThanOrEqual(245)
  expect(uncertain).toBeLessThanOrEqual(245 + 5 * 30)
  scripts.later(100)
  await compare(10_000)
  expect((await status()).totals).toEqual([0, 0, 0])
})

test('across windows the current one is never counted too low', async () => {
  scripts.at(START + WINDOW_MS - 1)
  await lose('a', 100, 0)
  scripts.at(START + WINDOW_MS)
  await lose('b', 50)
  expect(await compare(10_000 - 120)).toEqual(['proven', '120', '0'])
  expect((await status()).totals).toEqual([50, 0, 0])
})

test('a charge that a fail-over had forgotten, and that a balance has shown, hides no later loss', async () => {
  scripts.later(100)
  // It was reserved 50 ms before this look, and its charge is a part of what the balance has lost.
  expect(await compare(10_000 - 100)).toEqual(['proven', '100', '0'])
  await settle('forgotten', 's', 100, { credits: 100, ageMs: 50 })
  await lose('b', 100)
  expect(await compare(10_000 - 200)).toEqual(['proven', '100', '0'])
  // Rather counted twice than not at all.
  expect((await status()).totals).toEqual([300, 0, 0])
})

describe('several keys', () => {
  const loseWith = async (id: string, key: string) => {
    await reserve(id, 100, { key })
    await settle(id, 'u', 0, { key, sentMs: DELAY_MS })
  }

  test('what a process that is gone has sent with a key that it did not name is proven by none', async () => {
    await reserve('dead', 100, { key: '' })
    scripts.later(LEASE_MS)
    expect(await compare(10_000)).toEqual(['proven', '0', '0'])
    expect((await status()).totals).toEqual([0, 0, 100])
    // A late decision names it.
    await settle('dead', 's', 40)
    expect((await status()).totals).toEqual([40, 0, 0])
  })

  test('of which one is forgotten: what its balance had proven is not taken back a second time', async () => {
    await reserve('dead', 100)
    scripts.later(LEASE_MS + DELAY_MS)
    expect(await compare(10_000)).toEqual(['proven', '0', '100'])
    for (let number = 0; number < 110; number++) await compare(1_000, `other-${number}`)
    await loseWith('b', KEY)
    await settle('dead', 'f')
    expect((await status()).totals).toEqual([0, 0, 100])
  })

  test('more than are remembered: of a forgotten one nothing is proven', async () => {
    await loseWith('a', KEY)
    for (let number = 0; number < 110; number++) {
      scripts.later(1)
      expect(await compare(1_000, `other-${number}`)).toEqual(['first'])
    }
    // Each has a balance, and the sum of its charges.
    expect(await scripts.redis.hlen(scripts.keys.ledger[5] as string)).toBe(200)
    expect(await compare(10_000)).toEqual(['first'])
    expect((await status()).totals).toEqual([0, 0, 100])
  })
})

describe('a reservation whose process is gone', () => {
  beforeEach(async () => {
    await reserve('dead', 100)
    scripts.later(LEASE_MS + DELAY_MS)
  })

  test('may have been sent until its lease ended', async () => {
    scripts.later(-1)
    expect(await compare(10_000)).toEqual(['proven', '0', '0'])
    expect((await status()).totals).toEqual([0, 0, 100])
    scripts.later(1)
    expect(await compare(10_000)).toEqual(['proven', '0', '100'])
  })

  test('is proven as well', async () => {
    expect(await compare(10_000 - 40)).toEqual(['proven', '40', '60'])
    expect((await status()).totals).toEqual([40, 0, 0])
  })

  test('and settled before the proof counts once', async () => {
    await reserve('x', 1)
    await settle('x', 'f')
    await settle('dead', 's', 40)
    expect(await compare(10_000 - 40)).toEqual(['proven', '0', '0'])
    expect((await status()).totals).toEqual([40, 0, 0])
  })

  test('and settled after the proof is counted again rather than not at all, and never below 0', async () => {
    expect(await compare(10_000)).toEqual(['proven', '0', '100'])
    await settle('dead', 's', 40)
    expect((await status()).totals).toEqual([40, 0, 0])
    expect(await compare(10_000 - 40)).toEqual(['proven', '40', '0'])
  })

  test.each(['f', 'u'] as const)('and decided after the proof changes nothing: %s', async (decision) => {
    await compare(10_000)
    await settle('dead', decision)
    expect((await status()).totals).toEqual([0, 0, 0])
  })
})
