import { TimeoutError } from 'etn-market'
import { describe, expect, test } from 'vitest'
import { costs, cutOff, html, networkError, ok, price, refusal } from '../support/answers.ts'
import { address, addresses, setup, watch } from '../support/setup.ts'

const locks = () => ok([], costs(2_000))

async function readAll(results: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of results);
}

const paths = (exchanges: readonly { url: URL }[]) => exchanges.map(({ url }) => url.pathname.split('/')[4])

describe('heavy calls in flight', () => {
  test('of all operations together are at most two, in the order of the calls', async () => {
    const { client, clock, script } = setup()
    const asked = addresses(6)
    const outcomes = asked.map((token) => watch<unknown>(client.locks.get({ address: token })))
    outcomes.push(watch(client.farm.list()))
    await clock.advance(0)
    expect(paths(script.requests)).toEqual(asked.slice(0, 2))
    for (let answered = 0; answered < 7; answered++) {
      script.open[0]?.answer(locks())
      await clock.advance(0)
      expect(script.open.length).toBe(Math.min(2, 6 - answered))
    }
    expect(paths(script.requests.slice(0, 6))).toEqual(asked)
    expect(script.requests[6]?.url.pathname).toBe('/v1/farms/52014')
    expect(script.peak).toBe(2)
    expect(outcomes.every(({ state }) => state === 'resolved')).toBe(true)
  })

  test.each([1, 2, 5])('are at most heavyConcurrency: %i', async (heavyConcurrency) => {
    const { client, clock, script } = setup(undefined, { heavyConcurrency })
    for (const token of addresses(8)) watch(client.locks.get({ address: token }))
    await clock.advance(0)
    expect(script.open).toHaveLength(heavyConcurrency)
  })

  test('do not share slots with another client', async () => {
    const one = setup()
    const other = setup()
    for (const { client } of [one, other]) for (const token of addresses(3)) watch(client.locks.get({ address: token }))
    await one.clock.advance(0)
    expect([one.script.open.length, other.script.open.length]).toEqual([2, 2])
  })
})

test('heavy calls that wait do not delay a light call', async () => {
  const { client, clock, script } = setup(({ url }) =>
    url.pathname.includes('prices') ? ok(price(address(9)), costs(50)) : undefined,
  )
  for (const token of addresses(10)) watch(client.locks.get({ address: token }))
  const light = watch(client.token.price({ address: address(9) }))
  await clock.advance(0)
  expect(light.state).toBe('resolved')
  expect(script.requests).toHaveLength(3)
})

describe('a heavy slot is freed after', () => {
  const fails = {
    success: () => locks(),
    'an error of the caller': () => refusal(404, 'not_found'),
    'an error of the service': () => refusal(500, 'internal'),
    'no connection': () => networkError('ECONNREFUSED'),
    'a body cut off': () => cutOff(),
    'a gateway': () => html(502),
    'a body that is not JSON': () => new Response('x'),
    'no answer in time': () => undefined,
  }

  test.each(Object.entries(fails))('%s', async (_, fail) => {
    const { client, clock, script } = setup(({ number }) => (number <= 2 ? fail() : locks()), {
      retry: false,
      timeoutMs: 1_000,
    })
    const outcomes = addresses(4).map((token) => watch(client.locks.get({ address: token })))
    await clock.advance(2_000)
    expect(script.requests).toHaveLength(4)
    expect(outcomes.slice(2).every(({ state }) => state === 'resolved')).toBe(true)
  })

  test('an abort of the calls that hold it', async () => {
    const { client, clock, script } = setup(({ number }) => (number <= 2 ? undefined : locks()))
    const caller = new AbortController()
    for (const token of addresses(2)) watch(client.locks.get({ address: token }, { signal: caller.signal }))
    const next = watch(client.locks.get({ address: address(3) }))
    await clock.advance(0)
    expect(next.state).toBe('pending')
    caller.abort()
    await clock.advance(0)
    expect(next.state).toBe('resolved')
    expect(script.requests).toHaveLength(3)
  })

  test('a failed attempt, while the call waits to retry', async () => {
    const { client, clock, script } = setup(({ number }) =>
      number <= 2 ? refusal(500, 'x', { 'retry-after': '30' }) : locks(),
    )
    const outcomes = addresses(3).map((token) => watch(client.locks.get({ address: token })))
    await clock.advance(1)
    expect(script.requests).toHaveLength(3)
    expect(outcomes[2]?.state).toBe('resolved')
  })
})

describe('a call that waits for a heavy slot', () => {
  // What else an abort does: `abort.test.ts`.
  test('leaves its place to the next call when it is aborted', async () => {
    const { client, clock, script } = setup()
    const caller = new AbortController()
    for (const token of addresses(2)) watch(client.locks.get({ address: token }))
    watch(client.locks.get({ address: address(7) }, { signal: caller.signal }))
    const next = watch(client.locks.get({ address: address(8) }))
    await clock.advance(0)
    caller.abort('not any more')
    await clock.advance(0)
    script.open[0]?.answer(locks())
    await clock.advance(0)
    expect(paths(script.requests)[2]).toBe(address(8))
    expect(next.state).toBe('pending')
  })

  test('does not use up its deadline while other requests are answered; nor does one that shares it', async () => {
    const { client, clock, script } = setup(
      ({ url }) => (url.pathname.includes('prices') ? ok(price(address(9)), costs(50)) : undefined),
      { timeoutMs: 1e6, deadlineMs: 1e6 },
    )
    for (const token of addresses(2)) watch(client.locks.get({ address: token }))
    const ask = () => watch(client.locks.get({ address: address(7) }, { deadlineMs: 5_000 }))
    const passWithAnswers = async () => {
      for (let second = 0; second < 30; second += 3) {
        await clock.advance(3_000)
        await client.token.price({ address: address(9) })
      }
    }
    const queued = ask()
    await passWithAnswers()
    const sharer = ask()
    await passWithAnswers()
    expect([queued.state, sharer.state]).toEqual(['pending', 'pending'])
    const sent = script.requests.length
    script.open[0]?.answer(locks())
    await clock.advance(4_999)
    expect(script.requests).toHaveLength(sent + 1)
    expect([queued.state, sharer.state]).toEqual(['pending', 'pending'])
    // The time that it stood still was measured, and has fractions.
    await clock.advance(2)
    for (const { error } of [queued, sharer]) expect(error).toBeInstanceOf(TimeoutError)
    // The last one to leave reports what may have been charged.
    const ends = [queued.error, sharer.error].map((error) => error as TimeoutError)
    expect(ends.map(({ charge, attempts }) => `${charge} ${attempts}`).sort()).toEqual(['none 1', 'unknown 1'])
  })

  test('behind two that are never answered rejects at its deadline, counted from the last answer, and sends nothing', async () => {
    const { client, clock, script } = setup(undefined, {
      timeoutMs: 1e6,
      deadlineMs: 1e6,
      budget: { credits: 100_000 },
    })
    for (const token of addresses(3)) watch(client.locks.get({ address: token }))
    const queued = addresses(3, 5).map((token) => watch(client.locks.get({ address: token }, { deadlineMs: 60_000 })))
    await clock.advance(50_000)
    script.open[0]?.answer(locks())
    await clock.advance(59_999)
    expect(queued.map(({ state }) => state)).toEqual(Array(3).fill('pending'))
    await clock.advance(2)
    for (const { error } of queued)
      expect(error).toMatchObject({ code: 'deadline_exceeded', attempts: 0, charge: 'none', credits: 0 })
    expect(script.requests).toHaveLength(3)
    expect(client.budget).toMatchObject({ spent: 2_000, reserved: 4_000, uncertain: 0 })
  })

  test.each(['calls', 'a sweep'])(
    'forty slow ones end well by default, because waiting uses up neither timeout nor deadline, as %s',
    async (kind) => {
      const { client, clock, script } = setup()
      const tokens = addresses(40).map((token) => ({ address: token }))
      const outcomes =
        kind === 'calls'
          ? tokens.map((params) => watch(client.locks.get(params)))
          : [watch(readAll(client.locks.get.many(tokens)))]
      // A sweep loads its code first.
      await expect.poll(() => script.open.length).toBe(2)
      for (let pair = 0; pair < 20; pair++) {
        await clock.advance(14_000)
        for (const exchange of script.open) exchange.answer(locks())
      }
      await clock.advance(0)
      expect(outcomes.map(({ state }) => state)).toEqual(outcomes.map(() => 'resolved'))
      expect(script.requests).toHaveLength(40)
    },
  )
})
