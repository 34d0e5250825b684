import { beforeEach, describe, expect, test } from 'vitest'
import { CONFIG, configOf, createView, HOUR, LEASE_MS, useScripts, WINDOW_MS, YEAR } from './setup.ts'

const scripts = useScripts()

/** A member, which states what it has seen. */
function createMember() {
  const view = createView()
  const remember = <Answer extends { seen: string }>(answer: Answer) => {
    if (answer.seen !== '') view.remember(answer.seen)
    return answer
  }
  return {
    look: () => scripts.reserve('free', 0, { seen: view.seen }).then(remember),
    reserve: (id: string, credits: number) => scripts.reserve(id, credits, { seen: view.seen }).then(remember),
    settle: (id: string, decision: 's' | 'f' | 'u', charged = 0, details = {}) =>
      scripts.settle(id, decision, charged, { seen: view.seen, ...details }).then(remember),
    status: () => scripts.status(CONFIG, view.seen).then(remember),
    initialize: () => scripts.initialize(CONFIG, { seen: view.seen }).then(remember),
  }
}

// Whole crashes of a server: `../lost-state.test.ts`. In any order, of several members: `../lost-state-model.test.ts`.
let member = createMember()
let other = createMember()
beforeEach(async () => {
  await scripts.initialize()
  member = createMember()
  other = createMember()
})

/** What members ask for that have seen nothing. */
const newcomer = {
  reserve: (id: string, credits: number) => scripts.reserve(id, credits, { seen: '' }),
  status: () => scripts.status(CONFIG, ''),
}

/** They notice nothing. */
async function letOthersGoOn(): Promise<void> {
  for (let index = 0; index < 9; index++) await newcomer.reserve(`new-${index}`, 0)
}

async function expectLost(): Promise<void> {
  await expect(member.status()).rejects.toThrow(/^STATELOST /)
  await expect(member.reserve('y', 1)).rejects.toThrow(/^STATELOST /)
  // Now those know it that have seen nothing.
  await expect(newcomer.reserve('y', 1)).rejects.toThrow(/^STATELOST /)
  await expect(newcomer.status()).rejects.toThrow(/^STATELOST /)
  // A look at the balance is free.
  expect((await newcomer.reserve('z', 0)).verdict).toBe('granted')
}

describe('a member notices that Redis has forgotten', () => {
  test('what was spent, although its reservation is known, and others have gone on', async () => {
    await member.reserve('a', 100)
    const crash = await scripts.snapshot()
    await member.settle('a', 's', 60)
    await crash()
    await letOthersGoOn()
    await expectLost()
    expect((await member.initialize()).totals).toEqual([60, 100, 0])
  })

  test('its reservation, although others have gone on', async () => {
    const crash = await scripts.snapshot()
    await member.reserve('a', 100)
    await crash()
    await letOthersGoOn()
    await expectLost()
    expect((await member.initialize()).totals).toEqual([0, 0, 100])
    // What was lost in an earlier epoch is not missed again.
    expect((await member.reserve('b', 900)).verdict).toBe('granted')
  })

  test('its reservation that is settled since, by the settlement', async () => {
    const crash = await scripts.snapshot()
    await member.reserve('a', 100)
    await crash()
    await letOthersGoOn()
    expect((await member.settle('a', 's', 60, { credits: 100 })).totals).toEqual([60, 0, 0])
    await expectLost()
    expect((await member.initialize()).totals).toEqual([60, 0, 40])
  })

  test('what a member that is gone has reserved, seen by a free request or by the status', async () => {
    const crash = await scripts.snapshot()
    await other.reserve('dead', 100)
    await member.status()
    await crash()
    await expectLost()
    expect((await member.initialize()).totals).toEqual([0, 0, 100])
  })

  test('that it was initialized, although others have gone on', async () => {
    const crash = await scripts.snapshot()
    await member.reserve('a', 100)
    await crash()
    await member.initialize()
    await crash()
    await letOthersGoOn()
    await expectLost()
    expect((await member.initialize()).totals).toEqual([0, 0, 100])
  })
})

test('a member notices a second loss in the window after the first one, which it did not notice', async () => {
  const crash = await scripts.snapshot()
  for (let index = 0; index < 20; index++) await member.look()
  await crash()
  scripts.later(WINDOW_MS)
  const crashAgain = await scripts.snapshot()
  await member.reserve('a', 100)
  await crashAgain()
  await letOthersGoOn()
  await expectLost()
})

test('a member remembers what was lost until somebody has initialized, also when Redis forgets that it was told', async () => {
  const crash = await scripts.snapshot()
  await other.reserve('a', 100)
  await other.settle('a', 's', 100)
  await member.look()
  for (let time = 0; time < 2; time++) {
    await crash()
    await letOthersGoOn()
    await member.look()
  }
  await expectLost()
  expect((await member.initialize()).totals).toEqual([100, 0, 0])
})

test('of several members that report what was lost, the most counts', async () => {
  const crash = await scripts.snapshot()
  await other.reserve('a', 300)
  await other.settle('a', 's', 300)
  await member.look()
  await member.reserve('b', 200)
  await crash()
  await expect(member.reserve('c', 1)).rejects.toThrow(/^STATELOST /)
  await expect(other.reserve('d', 1)).rejects.toThrow(/^STATELOST /)
  expect((await scripts.initialize()).totals).toEqual([300, 0, 200])
  // An earlier epoch is over: nobody reports it again.
  expect((await other.reserve('e', 501)).verdict).toBe('refused')
  expect((await member.reserve('f', 500)).verdict).toBe('granted')
})

describe('nobody is refused', () => {
  test('in the next window, where nothing of it was forgotten', async () => {
    const crash = await scripts.snapshot()
    await member.reserve('a', 100)
    await crash()
    scripts.later(WINDOW_MS)
    expect(await member.reserve('b', 1_000)).toMatchObject({ verdict: 'granted', totals: [0, 1_000, 0] })
  })

  test('in the window after the one in which it was noticed', async () => {
    const crash = await scripts.snapshot()
    await member.reserve('a', 100)
    await crash()
    await expectLost()
    scripts.later(WINDOW_MS)
    expect((await scripts.reserve('b', 1)).verdict).toBe('granted')
    expect((await scripts.status()).totals).toEqual([0, 1, 0])
  })

  test('for a reservation that is forgotten after an hour, as all are', async () => {
    const config = configOf(1_000, 24 * HOUR)
    await scripts.redis.flushall()
    const view = createView()
    view.remember((await scripts.initialize(config)).seen)
    view.remember((await scripts.reserve('a', 100, { config, seen: view.seen })).seen)
    await scripts.settle('a', 'f')
    scripts.later(HOUR)
    await scripts.reserve('x', 0, { config })
    expect(await scripts.redis.hexists(scripts.keys.ledger[1] as string, 'a')).toBe(0)
    expect((await scripts.reserve('b', 100, { config, seen: view.seen })).verdict).toBe('granted')
  })

  test('for a reservation that was forgotten while the clock was a year ahead', async () => {
    await member.reserve('a', 100)
    await member.settle('a', 'f')
    scripts.later(YEAR)
    for (let index = 0; index < 3; index++) await scripts.reserve(`ahead-${index}`, 0)
    scripts.later(-YEAR)
    expect(await scripts.redis.hexists(scripts.keys.ledger[1] as string, 'a')).toBe(0)
    expect((await member.reserve('b', 100)).verdict).toBe('granted')
  })

  test('for a reservation that was forgotten because the clock was set back, and then right again', async () => {
    for (const ms of [HOUR, 100 * HOUR]) {
      await member.reserve(`a-${ms}`, 10)
      scripts.later(-ms)
      await scripts.settle(`a-${ms}`, 'f')
      scripts.later(ms)
      await scripts.reserve(`x-${ms}`, 0)
      await scripts.reserve(`y-${ms}`, 0)
      expect(await scripts.redis.hexists(scripts.keys.ledger[1] as string, `a-${ms}`)).toBe(0)
      expect((await member.reserve(`b-${ms}`, 10)).verdict).toBe('granted')
    }
  })

  test('for a lease that ended, a charge that is lower than expected, and a reservation that is freed', async () => {
    for (const id of ['a', 'b', 'c']) await member.reserve(id, 100)
    await member.settle('a', 's', 10)
    await scripts.settle('b', 'f')
    scripts.later(LEASE_MS)
    expect((await member.reserve('d', 1)).totals).toEqual([10, 1, 100])
  })
})
