import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { costs, ok, price, refusal } from '../support/answers.ts'
import { flush } from '../support/clock.ts'
import { address, addresses, setup, watch } from '../support/setup.ts'
import { collectUnhandled } from '../support/unhandled.ts'

const TOKEN = address(1)
const unhandled = collectUnhandled()
const warnings: string[] = []
const onWarning = ({ name, message }: Error) => void warnings.push(`${name} ${message}`)

beforeEach(() => {
  process.on('warning', onWarning)
  warnings.length = 0
})
afterEach(() => void process.off('warning', onWarning))

const settle = async () => {
  for (let turn = 0; turn < 5; turn++) await flush()
}

/** A signal whose listeners are counted. */
const counted = () => {
  const caller = new AbortController()
  let listeners = 0
  const { addEventListener, removeEventListener } = caller.signal
  Object.assign(caller.signal, {
    addEventListener(...args: Parameters<typeof addEventListener>) {
      listeners++
      addEventListener.apply(caller.signal, args)
    },
    removeEventListener(...args: Parameters<typeof removeEventListener>) {
      listeners--
      removeEventListener.apply(caller.signal, args)
    },
  })
  return { caller, count: () => listeners }
}

describe('unhandled rejections', () => {
  const fails = () => setup(() => refusal(404, 'not_found'))

  test('are seen by this test when a call is not handled', async () => {
    void fails().client.token.price({ address: TOKEN })
    await settle()
    expect(unhandled).toHaveLength(1)
  })

  test('do not occur when the data, withMeta() or both are handled', async () => {
    for (const handled of [['data'], ['meta'], ['data', 'meta']]) {
      const call = fails().client.token.price({ address: TOKEN })
      if (handled.includes('data')) call.catch(() => {})
      if (handled.includes('meta')) call.withMeta().catch(() => {})
      await settle()
      expect(unhandled, handled.join()).toEqual([])
    }
  })

  test('do not occur for invalid parameters, shared calls and batches that fail', async () => {
    const { client, clock } = fails()
    watch(client.token.price({ address: '0x' }))
    watch(client.token.price({ address: TOKEN }))
    watch(client.token.price({ address: TOKEN }).withMeta())
    watch(client.prices.batch({ addresses: addresses(200) }))
    watch(client.prices.batch({ addresses: addresses(200) }).withMeta())
    await clock.advance(10_000)
    expect(unhandled).toEqual([])
  })

  test('do not occur for calls that are aborted or closed in any state, which leave no listener', async () => {
    const { client, clock } = setup(undefined, { budget: { credits: 20_000 } })
    const { caller, count } = counted()
    const { signal } = caller
    for (const token of addresses(4)) watch(client.locks.get({ address: token }, { signal }))
    watch(client.prices.batch({ addresses: addresses(300) }, { signal }))
    watch(client.prices.batch({ addresses: addresses(300) }))
    watch(client.balances.get({ address: TOKEN }))
    const closed = counted()
    watch(client.token.price({ address: TOKEN }, { signal: closed.caller.signal }))
    await clock.advance(0)
    caller.abort(new Error('mine'))
    await client.close()
    await settle()
    expect(unhandled).toEqual([])
    expect([count(), closed.count()]).toEqual([0, 0])
  })

  test('do not occur for a call that is read in both ways, which is sent once', async () => {
    const { client, script } = setup(() => ok(price(TOKEN), costs(50)))
    const call = client.token.price({ address: TOKEN })
    const [data, { data: same, meta }] = await Promise.all([call, call.withMeta()])
    expect(data).toBe(same)
    expect(meta).toMatchObject({ attempts: 1, shared: false, cached: false })
    expect(script.requests).toHaveLength(1)
  })
})

describe('a signal shared by many calls', () => {
  test('prints no warning and has no listener left after 50 calls', async () => {
    const { client, clock, script } = setup(undefined)
    const { caller, count } = counted()
    const outcomes = addresses(50).map((token) =>
      watch(client.token.price({ address: token }, { signal: caller.signal })),
    )
    await clock.advance(0)
    expect(count()).toBeGreaterThan(0)
    for (const exchange of script.open)
      exchange.answer(exchange.number % 2 ? ok(price(TOKEN), costs(50)) : refusal(404, 'x'))
    await clock.advance(0)
    expect(outcomes.filter(({ state }) => state === 'pending')).toHaveLength(0)
    expect(count()).toBe(0)
    await settle()
    expect(warnings).toEqual([])
  })

  test('prints no warning and has no listener left after a batch of many chunks with retries', async () => {
    const { client, clock } = setup(() => refusal(500, 'x'), { batchConcurrency: 100 })
    const { caller, count } = counted()
    watch(client.prices.batch({ addresses: addresses(1_000) }, { signal: caller.signal }))
    await clock.advance(30_000)
    expect(count()).toBe(0)
    expect(warnings).toEqual([])
  })
})
