import { describe, expect, test } from 'vitest'
import { costs, limited, ok, price, wait } from '../support/answers.ts'
import { createVirtualClock } from '../support/clock.ts'
import type { Handler } from '../support/script.ts'
import { address, addresses, setup, watch } from '../support/setup.ts'

const HOUR = 3_600_000
const YEAR = 365 * 24 * HOUR
const good = () => ok(price(address(1)), costs(50))
const first =
  (refuse: () => Response): Handler =>
  (exchange) =>
    exchange.number === 1 ? refuse() : good()

test.each([
  ['back one hour', -HOUR],
  ['back three years', -3 * YEAR],
  ['forward one hour', HOUR],
])('a wall clock that is set %s during a cool-down does not keep the key refused', async (_, step) => {
  const clock = createVirtualClock()
  const { client, script } = setup(
    first(() => limited(wait(10))),
    { clock, retry: false },
  )
  watch(client.etn.price())
  await clock.advance(0)
  const parked = watch(client.token.price({ address: address(1) }, { deadlineMs: Number.POSITIVE_INFINITY }))
  await clock.advance(3_000)
  clock.stepWallClock(step)
  await clock.advance(8_000)
  expect(parked.state).toBe('resolved')
  expect(script.requests).toHaveLength(2)
  const later = watch(client.token.price({ address: address(2) }))
  await clock.advance(1_000)
  expect(later.state).toBe('resolved')
})

test.each([
  ['back', -HOUR],
  ['forward', HOUR],
])('a wall clock that is set %s does not end or lengthen a deadline by more than its own length', async (_, step) => {
  const clock = createVirtualClock()
  const { client } = setup(undefined, { clock, deadlineMs: 20_000, timeoutMs: 60_000 })
  const outcome = watch(client.token.price({ address: address(1) }))
  await clock.advance(5_000)
  clock.stepWallClock(step)
  await clock.advance(14_999)
  expect(outcome.state).toBe('pending')
  await clock.advance(1)
  expect(outcome.error).toMatchObject({ code: 'deadline_exceeded' })
})

test('a parked call is not sent early, and one that arrives after the step waits the rest', async () => {
  const clock = createVirtualClock()
  const { client, script } = setup(
    first(() => limited(wait(10))),
    { clock, retry: false },
  )
  watch(client.etn.price())
  await clock.advance(2_000)
  clock.stepWallClock(HOUR)
  const outcome = watch(client.token.price({ address: address(1) }))
  await clock.advance(7_999)
  expect(script.requests).toHaveLength(1)
  await clock.advance(1)
  expect(outcome.state).toBe('resolved')
})

test('a Retry-After of ten years parks others for maxRetryAfterMs at most; then one probe asks, and the others follow', async () => {
  const { client, clock, script } = setup(({ number }) => (number === 1 ? limited(wait(315_360_000)) : undefined), {
    deadlineMs: 120_000,
    timeoutMs: 120_000,
  })
  watch(client.etn.price())
  await clock.advance(0)
  const parked = addresses(5).map((token) => watch(client.token.price({ address: token })))
  await clock.advance(59_999)
  expect(script.requests).toHaveLength(1)
  await clock.advance(1)
  expect(script.requests).toHaveLength(2)
  for (let step = 0; step < 5; step++) {
    for (const exchange of script.open) exchange.answer(good())
    await clock.advance(0)
  }
  expect(parked.map(({ state }) => state)).toEqual(Array(5).fill('resolved'))
})

describe('heavy calls of a refused key', () => {
  const setupKeys = () => {
    let key = 'esk_live_key_a'
    const made = setup(
      ({ headers, url }) => {
        if (!headers.get('authorization')?.endsWith('key_a')) return ok([], costs(2_000))
        return url.pathname.endsWith('/etn') ? limited(wait(30)) : undefined
      },
      { apiKey: () => key, retry: false },
    )
    return {
      ...made,
      use(next: 'a' | 'b') {
        key = `esk_live_key_${next}`
      },
    }
  }

  test('hold no slot that calls with another key wait for', async () => {
    const { client, clock, script, use } = setupKeys()
    watch(client.etn.price())
    await clock.advance(0)
    const refused = addresses(4).map((token) => watch(client.locks.get({ address: token })))
    await clock.advance(0)
    use('b')
    const others = addresses(6, 10).map((token) => watch(client.locks.get({ address: token })))
    await clock.advance(1_000)
    expect(others.map(({ state }) => state)).toEqual(Array(6).fill('resolved'))
    expect(refused.map(({ state }) => state)).toEqual(Array(4).fill('pending'))
    expect(script.requests).toHaveLength(7)
  })

  test('that were queued before the refusal hold none either', async () => {
    const { client, clock, script, use } = setupKeys()
    const ahead = addresses(2).map((token) => watch(client.locks.get({ address: token })))
    const queued = addresses(3, 5).map((token) => watch(client.locks.get({ address: token })))
    await clock.advance(0)
    watch(client.etn.price())
    await clock.advance(0)
    use('b')
    const others = addresses(4, 10).map((token) => watch(client.locks.get({ address: token })))
    await clock.advance(0)
    for (const exchange of script.open) exchange.answer(ok([], costs(2_000)))
    await clock.advance(1_000)
    expect(ahead.concat(others).map(({ state }) => state)).toEqual(Array(6).fill('resolved'))
    expect(queued.map(({ state }) => state)).toEqual(Array(3).fill('pending'))
  })

  test('that wait for a slot keep the cool-down of their key while other keys come and go', async () => {
    let key = 'esk_live_key_a'
    const { client, clock, script } = setup(
      ({ url }) =>
        url.pathname.endsWith('/etn') ? limited(wait(30)) : /locks/.test(url.pathname) ? undefined : good(),
      { apiKey: () => key, retry: false },
    )
    const use = async (name: string, call: () => Promise<unknown>) => {
      key = `esk_live_key_${name}`
      const outcome = watch(call())
      await clock.advance(0)
      return outcome
    }
    await use('b', () => Promise.all(addresses(2).map((token) => client.locks.get({ address: token }))))
    const queued = await use('a', () => client.locks.get({ address: address(5) }))
    await use('c', () => client.token.price({ address: address(1) }))
    await use('a', () => client.etn.price())
    for (const exchange of script.open) exchange.answer(ok([], costs(2_000)))
    await clock.advance(1_000)
    expect(queued.state).toBe('pending')
    expect(script.requests).toHaveLength(4)
  })
})
