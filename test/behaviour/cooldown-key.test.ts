import { RateLimitError } from 'etn-market'
import { describe, expect, test } from 'vitest'
import { busy, costs, type HeaderLines, limited, ok, price, refusal, wait } from '../support/answers.ts'
import { firstly } from '../support/heavy.ts'
import { address, addresses, setup, watch, withoutIds } from '../support/setup.ts'

describe('a 429 with a wait', () => {
  test('holds back every call with that key, heavy or not', async () => {
    const { client, clock, script } = setup(firstly(() => limited(wait(10))))
    const refused = watch(client.etn.price())
    await clock.advance(0)
    const others = [
      ...addresses(5).map((token) => watch(client.token.price({ address: token }))),
      watch(client.locks.get({ address: address(1) })),
      watch(client.account.me()),
    ]
    await clock.advance(9_999)
    expect(script.requests).toHaveLength(1)
    await clock.advance(2_000)
    expect([refused, ...others].map(({ state }) => state)).toEqual(Array(8).fill('resolved'))
  })

  test('does not hold back calls with another key or without a key', async () => {
    let key = 'esk_live_first_key'
    const { client, clock, script } = setup(
      firstly(() => limited(wait(10))),
      { apiKey: () => key, retry: false },
    )
    watch(client.etn.price())
    await clock.advance(0)
    key = 'esk_live_second_key'
    watch(client.token.price({ address: address(1) }))
    watch(client.meta.openapi())
    await clock.advance(0)
    expect(script.requests).toHaveLength(3)
  })

  test('sends the refused call again before calls that arrived later', async () => {
    const { client, clock, script } = setup(firstly(() => limited(wait(10))))
    const [first = '', ...others] = addresses(40)
    watch(client.token.price({ address: first }))
    await clock.advance(0)
    for (const token of others) watch(client.token.price({ address: token }))
    await clock.advance(30_000)
    const order = script.requests.map(({ url }) => others.findIndex((token) => url.pathname.endsWith(token)))
    expect(order.filter((place) => place >= 0)).toEqual(others.map((_, place) => place))
    // A few later calls went first: the probe, and the calls that its success permitted.
    expect(order.lastIndexOf(-1)).toBeLessThan(5)
  })

  test('sends one probe first, then two calls for each success', async () => {
    const { client, clock, script } = setup(({ number }) => (number === 1 ? limited(wait(10)) : undefined), {
      retry: false,
    })
    watch(client.etn.price())
    await clock.advance(0)
    for (const token of addresses(20)) watch(client.token.price({ address: token }))
    await clock.advance(10_000)
    const seen = [script.requests.length]
    for (let step = 0; step < 3; step++) {
      for (const exchange of script.open) exchange.answer(ok(price(address(1)), costs(50)))
      await clock.advance(0)
      seen.push(script.requests.length)
    }
    expect(seen[0]).toBe(2)
    expect(seen[1]).toBeGreaterThan(2)
    expect(seen[1]).toBeLessThanOrEqual(5)
    for (let step = 0; step < 20; step++) {
      for (const exchange of script.open) exchange.answer(ok(price(address(1)), costs(50)))
      await clock.advance(0)
    }
    expect(script.requests).toHaveLength(21)
  })

  test('counts a probe that ends with a 4xx as a success', async () => {
    const { client, clock, script } = setup(({ number }) => (number === 1 ? limited(wait(10)) : undefined), {
      retry: false,
    })
    watch(client.etn.price())
    await clock.advance(0)
    for (const token of addresses(5)) watch(client.token.price({ address: token }))
    await clock.advance(10_000)
    script.open[0]?.answer(refusal(404, 'not_found'))
    await clock.advance(0)
    expect(script.open).toHaveLength(2)
  })

  test('rejects a call that may not wait as long with retryAfterMs, and sends nothing', async () => {
    const { client, clock, script } = setup(
      firstly(() => limited(wait(30))),
      { retry: false },
    )
    watch(client.etn.price())
    await clock.advance(5_000)
    const outcome = watch(client.token.price({ address: address(1) }, { deadlineMs: 20_000 }))
    await clock.advance(0)
    expect(outcome.error).toBeInstanceOf(RateLimitError)
    expect(outcome.error).toMatchObject({ retryAfterMs: 25_000, attempts: 0, charge: 'none', status: 429 })
    expect(script.requests).toHaveLength(1)
  })

  test('emits cooldown.started with the scope and the wait', async () => {
    const { client, clock, events } = setup(({ number }) => (number === 1 ? limited(wait(7)) : busy(wait(9))), {
      retry: false,
    })
    watch(client.etn.price())
    await clock.advance(8_000)
    watch(client.farm.list())
    await clock.advance(0)
    expect(events.filter(({ type }) => type === 'cooldown.started').map(withoutIds)).toEqual([
      { type: 'cooldown.started', scope: 'key', operation: 'etn.price', waitMs: 7_000 },
      { type: 'cooldown.started', scope: 'heavy', operation: 'farm.list', waitMs: 9_000 },
    ])
  })
})

describe('after a 429, fewer than twenty requests are refused in any minute', () => {
  test.each<[string, HeaderLines]>([
    ['with Retry-After: 5', wait(5)],
    ['without a Retry-After', {}],
  ])('%s', async (_, headers) => {
    const refusedAt: number[] = []
    const { client, clock } = setup(
      () => {
        refusedAt.push(clock.now())
        return limited(headers)
      },
      { deadlineMs: 300_000 },
    )
    clock.randomValue = 0.5
    watch(client.etn.price())
    await clock.advance(0)
    for (const token of addresses(60)) watch(client.token.price({ address: token }))
    await clock.advance(300_000)
    const most = Math.max(...refusedAt.map((from) => refusedAt.filter((at) => at >= from && at < from + 60_000).length))
    expect(most).toBeLessThan(20)
  })

  test('when the service permits one call a second', async () => {
    const refusedAt: number[] = []
    let servedAt = 0
    const { client, clock } = setup(
      () => {
        if (clock.now() - servedAt >= 1_000) {
          servedAt = clock.now()
          return ok(price(address(1)), costs(50))
        }
        refusedAt.push(clock.now())
        return limited(wait(1))
      },
      { deadlineMs: 600_000, retry: { limit: 50 } },
    )
    clock.randomValue = 0.5
    watch(client.etn.price())
    watch(client.nft.stats())
    await clock.advance(0)
    const outcomes = addresses(60).map((token) => watch(client.token.price({ address: token })))
    await clock.advance(600_000)
    const most = Math.max(...refusedAt.map((from) => refusedAt.filter((at) => at >= from && at < from + 60_000).length))
    expect(most).toBeLessThan(20)
    expect(outcomes.filter(({ state }) => state === 'resolved')).toHaveLength(60)
  })
})
