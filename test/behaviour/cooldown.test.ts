import { type CallOptions, type Client, type ClientOptions, RateLimitError, ServerBusyError } from 'etn-market'
import { describe, expect, test } from 'vitest'
import { busy, costs, html, limited, ok, price, refusal, wait } from '../support/answers.ts'
import { createVirtualClock, START } from '../support/clock.ts'
import type { Exchange, Handler } from '../support/script.ts'
import { address, addresses, type Outcome, setup, watch } from '../support/setup.ts'

const isHeavy = ({ url }: Exchange) => url.pathname.includes('locks') || url.pathname.includes('farms')
const good: Handler = (exchange) => (isHeavy(exchange) ? ok([], costs(2_000)) : ok(price(address(1)), costs(50)))
/** A service that refuses its first request and serves the others. */
const firstly =
  (refuse: () => Response): Handler =>
  (exchange) =>
    exchange.number === 1 ? refuse() : good(exchange)

const tenSeconds = wait(10)
const SCOPES = [
  {
    scope: 'key',
    title: 'a 429',
    Refusal: RateLimitError,
    refuse: limited,
    answer: () => ok(price(address(1)), costs(50)),
    call: (client: Client, number: number, options?: CallOptions): Promise<unknown> =>
      client.token.price({ address: address(number) }, options),
  },
  {
    scope: 'heavy',
    title: 'a 503 server_busy with a wait',
    Refusal: ServerBusyError,
    refuse: busy,
    answer: () => ok([], costs(2_000)),
    call: (client: Client, number: number, options?: CallOptions): Promise<unknown> =>
      client.locks.get({ address: address(number) }, options),
  },
] as const

const states = (outcomes: readonly Outcome<unknown>[]) => outcomes.map(({ state }) => state)

describe.each(SCOPES.map((one) => [one.title, one] as const))(
  '%s',
  (_title, { scope, Refusal, refuse, answer, call }) => {
    /** A client whose first call was refused for ten seconds, and the calls that have arrived since. */
    async function refused(waiting: number, options: ClientOptions = {}) {
      const made = setup(({ number }) => (number === 1 ? refuse(tenSeconds) : undefined), {
        retry: false,
        heavyConcurrency: 30,
        ...options,
      })
      const first = watch(call(made.client, 0))
      await made.clock.advance(0)
      const calls = Array.from({ length: waiting }, (_, index) => watch(call(made.client, index + 1)))
      await made.clock.advance(0)
      const reply = async (index: number, response: Response) => {
        made.script.requests[index]?.answer(response)
        await made.clock.advance(0)
      }
      return { ...made, first, calls, reply }
    }

    const isReal = process.env.ETN_MARKET_TEST_REAL_CONNECTION !== undefined
    // It reads the clock between its own steps, none of which is on a connection.
    test.skipIf(isReal)(
      'does not forget a call that arrives as its time ends, between whatever two looks at the clock that is',
      async () => {
        const TICK = 0.01
        for (let ticksLeft = 1; ticksLeft <= 60; ticksLeft++) {
          const virtual = createVirtualClock(START)
          let readings = 0
          let isTicking = false
          const clock = {
            ...virtual,
            monotonic: () => virtual.monotonic() + TICK * (isTicking ? readings++ : 0),
          }
          const { client } = setup(({ number }) => (number === 1 ? refuse(tenSeconds) : answer()), {
            retry: false,
            clock,
          })
          await Promise.all([call(client, 0).catch(() => {}), virtual.advance(0)])
          await virtual.advance(10_000 - ticksLeft * TICK)
          isTicking = true
          const late = watch(call(client, 1))
          await virtual.advance(1_000)
          expect(late.state, `${ticksLeft} looks before the end`).toBe('resolved')
        }
      },
    )

    test('holds back calls until its time is over; then one probe goes, and two more with each success', async () => {
      const { first, clock, script, reply } = await refused(20)
      expect(first.error).toBeInstanceOf(Refusal)
      await clock.advance(9_999)
      expect(script.requests).toHaveLength(1)
      await clock.advance(1)
      const sent = [script.open.length]
      for (const index of [1, 2, 3]) {
        await reply(index, answer())
        sent.push(script.requests.length - 1)
      }
      expect(sent).toEqual([1, 3, 5, 7])
    })

    test.each([
      ['a 500 lets one call go', () => refusal(500, 'internal'), 1],
      ['a 404 counts as a success', () => refusal(404, 'not_found'), 2],
    ])('%s after the probe', async (_, response, next) => {
      const { clock, script, reply } = await refused(5)
      await clock.advance(10_000)
      await reply(1, response())
      expect(script.open).toHaveLength(next)
    })

    test('holds the others back again when the probe is refused', async () => {
      const { clock, calls, script, reply } = await refused(3)
      await clock.advance(10_000)
      await reply(1, refuse(wait(3)))
      await clock.advance(2_999)
      expect(states(calls)).toEqual(['rejected', 'pending', 'pending'])
      expect(script.open).toHaveLength(0)
      await clock.advance(1)
      expect(script.open).toHaveLength(1)
    })

    test('of several calls lasts as long as the longest wait, and then lets one probe go', async () => {
      const { clock, script, reply } = await refused(6)
      await clock.advance(10_000)
      await reply(1, answer())
      expect(script.open).toHaveLength(2)
      await reply(2, refuse(wait(8)))
      await reply(3, refuse(wait(2)))
      await clock.advance(7_999)
      expect(script.open).toHaveLength(0)
      await clock.advance(1)
      expect(script.open).toHaveLength(1)
    })

    test('lasts longer than asked after more than three in a minute, which the event reports', async () => {
      const { client, clock, events } = setup(() => refuse(wait(0)), { retry: false })
      for (let number = 0; number < 7; number++) {
        watch(call(client, number))
        await clock.advance(8_000)
      }
      const started = events.flatMap((event) => (event.type === 'cooldown.started' ? [event] : []))
      expect(started.map(({ waitMs }) => waitMs)).toEqual([500, 500, 500, 2_000, 4_000, 8_000, 8_000])
      expect(started[0]).toMatchObject({ scope, callId: '1', requestId: '1.1' })
    })

    test('is over a minute after its probe has succeeded, when no call waits', async () => {
      const { client, clock, script, reply } = await refused(1)
      await clock.advance(10_000)
      await reply(1, answer())
      await clock.advance(60_000)
      for (let number = 10; number < 15; number++) watch(call(client, number))
      await clock.advance(0)
      expect(script.open).toHaveLength(5)
    })

    test('holds back no call that arrives when its time is over', async () => {
      const { client, clock, script } = await refused(0)
      await clock.advance(10_000)
      watch(call(client, 1))
      await clock.advance(0)
      expect(script.open).toHaveLength(1)
    })

    test('sends the refused call again before calls that arrived later', async () => {
      const { client, clock, script } = setup(
        firstly(() => refuse(tenSeconds)),
        { heavyConcurrency: 1 },
      )
      const [first = '', ...later] = addresses(40)
      watch(call(client, 0))
      await clock.advance(0)
      for (const [index] of later.entries()) watch(call(client, index + 1))
      await clock.advance(30_000)
      const order = script.requests.map(({ url }) => later.findIndex((token) => url.pathname.includes(token)))
      expect(script.requests[0]?.url.pathname).toContain(first)
      const places = order.filter((place) => place >= 0)
      expect(places.toSorted((one, other) => one - other)).toEqual([...later.keys()])
      // Calls that are let through together are written in the order in which their connections are made.
      const together = process.env.ETN_MARKET_TEST_REAL_CONNECTION === undefined ? 0 : script.peak
      for (const [index, place] of places.entries()) expect(Math.abs(index - place)).toBeLessThanOrEqual(together)
      // A few later calls may go first: the probe, and the calls that its success permits.
      expect(order.lastIndexOf(-1)).toBeLessThan(5)
    })

    test('rejects a call that may not wait as long: on arrival, and when a later refusal lengthens the wait', async () => {
      const { client, clock, script, reply } = await refused(1)
      const impatient = { retry: { maxRetryAfterMs: 15_000 } }
      const queued = watch(call(client, 8, impatient))
      await clock.advance(10_000)
      await reply(1, refuse(wait(30)))
      const late = watch(call(client, 9, impatient))
      await clock.advance(0)
      for (const { error } of [queued, late]) {
        expect(error).toBeInstanceOf(Refusal)
        expect(error).toMatchObject({ retryAfterMs: 30_000, attempts: 0, charge: 'none' })
      }
      expect(script.requests).toHaveLength(2)
      expect(clock.pending).toBe(0)
    })

    test('leaves its place to the next call when the first in the queue is aborted', async () => {
      const { client, clock, script } = await refused(0)
      const caller = new AbortController()
      watch(call(client, 1, { signal: caller.signal }))
      watch(call(client, 2))
      await clock.advance(0)
      caller.abort()
      await clock.advance(10_000)
      expect(script.requests.at(-1)?.url.pathname).toContain(address(2))
    })
  },
)

describe('a 429 with a wait', () => {
  test('holds back every call with that key, heavy or not', async () => {
    const { client, clock, script } = setup(firstly(() => limited(tenSeconds)))
    const refused = watch<unknown>(client.etn.price())
    await clock.advance(0)
    const others: Outcome<unknown>[] = [
      watch(client.token.price({ address: address(1) })),
      watch(client.locks.get({ address: address(1) })),
      watch(client.account.me()),
      watch(client.request('/new', { maxCredits: 1 })),
    ]
    await clock.advance(9_999)
    expect(script.requests).toHaveLength(1)
    await clock.advance(2_000)
    expect(states([refused, ...others])).toEqual(Array(5).fill('resolved'))
  })

  test('does not hold back calls with another key or without a key', async () => {
    let key = 'esk_live_first_key'
    const { client, clock, script } = setup(
      firstly(() => limited(tenSeconds)),
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
})

describe('a 503 server_busy', () => {
  test('holds back every heavy call until its wait is over, and no light call', async () => {
    const { client, clock, script } = setup(firstly(() => busy(tenSeconds)))
    const heavy = addresses(5).map((token) => watch(client.locks.get({ address: token })))
    await clock.advance(0)
    // Two requests were in flight when the first was refused.
    expect(script.requests).toHaveLength(2)
    const farms = watch(client.farm.list())
    const light = watch(client.token.price({ address: address(1) }))
    await clock.advance(9_999)
    expect(light.state).toBe('resolved')
    expect(script.requests.filter(isHeavy)).toHaveLength(2)
    await clock.advance(1_100)
    expect(states([...heavy, farms])).toEqual(Array(6).fill('resolved'))
  })

  test.each([
    ['without a Retry-After', () => busy()],
    ['with another code', () => refusal(503, 'maintenance', tenSeconds)],
  ])('%s holds back no call', async (_, refuse) => {
    const { client, clock, script } = setup(firstly(refuse), { retry: false })
    for (const token of addresses(2)) {
      watch(client.locks.get({ address: token }))
      await clock.advance(0)
    }
    expect(script.requests).toHaveLength(2)
  })

  test('that answers a request of your own holds back every heavy call, too', async () => {
    const { client, clock, script } = setup(
      firstly(() => busy(tenSeconds)),
      { retry: false },
    )
    watch(client.request('/farms/52014', { maxCredits: 3_000 }))
    await clock.advance(0)
    const heavy = [watch(client.farm.list()), watch(client.locks.get({ address: address(1) }))]
    await clock.advance(9_999)
    expect(script.requests).toHaveLength(1)
    await clock.advance(1_100)
    expect(states(heavy)).toEqual(['resolved', 'resolved'])
  })

  test.each([
    ['a 503', () => html(503, wait(10))],
    ['a 429', () => html(429, wait(10))],
  ])('%s of a front holds back the call that met it, and no other', async (_, refuse) => {
    const { client, clock, script, events } = setup(firstly(refuse))
    const first = watch(client.farm.list())
    await clock.advance(0)
    const others = [watch(client.locks.get({ address: address(1) })), watch(client.etn.price())]
    await clock.advance(0)
    expect(states([first, ...others])).toEqual(['pending', 'resolved', 'resolved'])
    await clock.advance(9_999)
    expect(script.requests).toHaveLength(3)
    await clock.advance(1_001)
    expect(first.state).toBe('resolved')
    expect(events.some(({ type }) => type === 'cooldown.started')).toBe(false)
  })

  test('rejects a call that may not wait as long before it gets a slot', async () => {
    const { client, clock, script } = setup(({ number }) => (number === 1 ? busy(wait(90)) : undefined), {
      deadlineMs: 1e6,
    })
    const patient = { retry: { limit: 1, maxRetryAfterMs: 1e6 } }
    for (const token of addresses(4)) watch(client.locks.get({ address: token }, patient))
    const impatient = watch(client.locks.get({ address: address(9) }, { retry: { maxRetryAfterMs: 30_000 } }))
    await clock.advance(1_000)
    expect(script.requests).toHaveLength(2)
    expect(impatient.error).toMatchObject({ name: 'ServerBusyError', attempts: 0 })
  })
})
