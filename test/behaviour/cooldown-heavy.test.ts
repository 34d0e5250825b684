import { ServerBusyError } from 'etn-market'
import { describe, expect, test } from 'vitest'
import { busy, costs, ok, refusal, wait } from '../support/answers.ts'
import { firstly, isHeavy } from '../support/heavy.ts'
import { address, addresses, setup, watch } from '../support/setup.ts'

describe('a 503 server_busy with a wait', () => {
  test('holds back every heavy call until then, and no light call', async () => {
    const { client, clock, script } = setup(firstly(() => busy(wait(10))))
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
    expect([...heavy, farms].every(({ state }) => state === 'resolved')).toBe(true)
  })

  test('sends the refused call again before calls that arrived later', async () => {
    const { client, clock, script } = setup(
      firstly(() => busy(wait(10))),
      { heavyConcurrency: 1 },
    )
    const [first = '', ...others] = addresses(20)
    watch(client.locks.get({ address: first }))
    for (const token of others) watch(client.locks.get({ address: token }))
    await clock.advance(30_000)
    const order = script.requests.map(({ url }) => others.findIndex((token) => url.pathname.includes(token)))
    expect(order).toEqual([-1, -1, ...others.keys()])
  })

  test('sends one probe first, and the other calls when the probe succeeds', async () => {
    const { client, clock, script } = setup(({ number }) => (number === 1 ? busy(wait(10)) : undefined), {
      retry: false,
      heavyConcurrency: 4,
    })
    const refused = watch(client.locks.get({ address: address(0) }))
    await clock.advance(0)
    expect(refused.error).toBeInstanceOf(ServerBusyError)
    for (const token of addresses(3, 1)) watch(client.locks.get({ address: token }))
    await clock.advance(10_000)
    expect(script.open).toHaveLength(1)
    await clock.advance(3_000)
    expect(script.open).toHaveLength(1)
    script.open[0]?.answer(ok([], costs(2_000)))
    await clock.advance(0)
    expect(script.open).toHaveLength(2)
  })

  test('holds back the other calls again when the probe is refused', async () => {
    const { client, clock, script } = setup(({ number }) => (number <= 2 ? busy(wait(10)) : ok([], costs(2_000))), {
      retry: false,
    })
    watch(client.locks.get({ address: address(0) }))
    await clock.advance(0)
    const others = addresses(3, 1).map((token) => watch(client.locks.get({ address: token })))
    await clock.advance(10_000)
    expect(script.requests).toHaveLength(2)
    await clock.advance(9_999)
    expect(script.requests).toHaveLength(2)
    await clock.advance(1)
    expect(script.requests).toHaveLength(4)
    expect(others.map(({ state }) => state)).toEqual(['rejected', 'resolved', 'resolved'])
  })

  test('holds back no call when it has no Retry-After', async () => {
    const { client, clock, script } = setup(
      firstly(() => busy()),
      { retry: false },
    )
    watch(client.locks.get({ address: address(0) }))
    await clock.advance(0)
    watch(client.locks.get({ address: address(1) }))
    await clock.advance(0)
    expect(script.requests).toHaveLength(2)
  })

  test('holds back no call when it has another code', async () => {
    const { client, clock, script } = setup(
      firstly(() => refusal(503, 'maintenance', wait(10))),
      { retry: false },
    )
    watch(client.locks.get({ address: address(0) }))
    await clock.advance(0)
    watch(client.locks.get({ address: address(1) }))
    await clock.advance(0)
    expect(script.requests).toHaveLength(2)
  })

  test('rejects a call that may not wait as long, and sends nothing', async () => {
    const { client, clock, script } = setup(
      firstly(() => busy(wait(90))),
      { retry: false },
    )
    watch(client.locks.get({ address: address(0) }))
    await clock.advance(0)
    const impatient = watch(client.locks.get({ address: address(1) }, { retry: { maxRetryAfterMs: 30_000 } }))
    await clock.advance(1_000)
    expect(impatient.error).toBeInstanceOf(ServerBusyError)
    expect(impatient.error).toMatchObject({ retryAfterMs: 60_000, attempts: 0, charge: 'none', operation: 'locks.get' })
    expect(script.requests).toHaveLength(1)
    expect(clock.pending).toBe(0)
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
