import { describe, expect, test } from 'vitest'
import { costs, ok, price } from '../support/answers.ts'
import { address, addresses, setup, watch } from '../support/setup.ts'

const TOKEN = address(1)
const good = () => ok(price(TOKEN), costs(50, 900))

describe('equal calls in flight', () => {
  test('share one request; the first call and its event report its credits, the others report 0', async () => {
    const { client, clock, script, events } = setup(undefined, { budget: { credits: 50 } })
    const outcomes = Array.from({ length: 5 }, () => watch(client.token.price({ address: TOKEN }).withMeta()))
    await clock.advance(0)
    expect(script.requests).toHaveLength(1)
    script.open[0]?.answer(good())
    await clock.advance(0)
    const metas = outcomes.map(({ value }) => value?.meta)
    expect(metas.map((meta) => meta?.credits.charged)).toEqual([50, 0, 0, 0, 0])
    expect(metas.map((meta) => meta?.shared)).toEqual([false, true, true, true, true])
    expect(client.budget.spent).toBe(50)
    expect(client.credits.charged).toBe(50)
    const ended = events.flatMap((event) => (event.type === 'call.succeeded' ? [[event.shared, event.credits]] : []))
    expect(ended).toEqual([[false, 50], ...Array(4).fill([true, 0])])
  })

  test('tell each call how long the request had been under way that it joined', async () => {
    const { client, clock, script } = setup()
    const ask = () => watch(client.token.price({ address: TOKEN }).withMeta())
    const first = ask()
    await clock.advance(3_000)
    const second = ask()
    clock.suspend(3_600_000, false)
    const third = ask()
    await clock.advance(2_000)
    script.open[0]?.answer(good())
    await clock.advance(0)
    const ms = [first, second, third].map(({ value }) => value?.meta.sharedForMs)
    expect(ms).toEqual([0, expect.closeTo(3_000, -1), expect.closeTo(3_603_000, -1)])
  })

  test('share one request with the address in any case', async () => {
    const { client, clock, script } = setup()
    for (const written of [TOKEN, TOKEN.toLowerCase(), `0x${TOKEN.slice(2).toUpperCase()}`])
      watch(client.token.price({ address: written }))
    await clock.advance(0)
    expect(script.requests).toHaveLength(1)
  })

  test('share the chunk of a batch with the same addresses in another order', async () => {
    const { client, clock, script } = setup(() => undefined)
    const asked = addresses(3)
    const one = watch(client.prices.batch({ addresses: asked }))
    const other = watch(client.prices.batch({ addresses: [...asked].reverse() }))
    await clock.advance(0)
    expect(script.requests).toHaveLength(1)
    script.open[0]?.answer(ok({ [asked[0]!.toLowerCase()]: { usd: '1' } }, costs(130)))
    await clock.advance(0)
    expect(Object.keys(one.value ?? {})).toEqual(asked)
    expect(Object.keys(other.value ?? {})).toEqual([...asked].reverse())
  })

  test('do not share batches of as many other addresses', async () => {
    const { client, clock, script } = setup(() => undefined)
    const one = watch(client.prices.batch({ addresses: [address(1), address(4)] }))
    const other = watch(client.prices.batch({ addresses: [address(2), address(3)] }))
    await clock.advance(0)
    expect(script.requests).toHaveLength(2)
    const open = [...script.open]
    for (const [index, token] of [address(1), address(2)].entries())
      open[index]?.answer(ok({ [token.toLowerCase()]: { usd: String(index) } }, costs(120)))
    await clock.advance(0)
    expect(one.value).toMatchObject({ [address(1)]: { usd: '0' }, [address(4)]: null })
    expect(other.value).toMatchObject({ [address(2)]: { usd: '1' }, [address(3)]: null })
  })

  test('do not share with other operations, other options or later calls', async () => {
    const { client, clock, script } = setup(good)
    watch(client.token.price({ address: TOKEN }))
    watch(client.token.get({ address: TOKEN }))
    watch(client.token.price({ address: TOKEN }, { validate: 'strict' }))
    watch(client.token.price({ address: TOKEN }, { retry: false }))
    await clock.advance(0)
    expect(script.requests).toHaveLength(4)
    watch(client.token.price({ address: TOKEN }))
    await clock.advance(0)
    expect(script.requests).toHaveLength(5)
  })

  test('get separate copies of the answer', async () => {
    const { client, clock } = setup(({ url }) =>
      url.searchParams.has('addresses')
        ? ok({ [TOKEN.toLowerCase()]: { usd: '1' } }, costs(110))
        : ok([{}], costs(105)),
    )
    const [list, otherList] = [watch(client.token.list()), watch(client.token.list())]
    const [batch, otherBatch] = [0, 1].map(() => watch(client.prices.batch({ addresses: [TOKEN] })))
    await clock.advance(0)
    list.value?.splice(0)
    expect(otherList.value).toHaveLength(1)
    Object.assign(batch?.value?.[TOKEN] ?? {}, { usd: 'changed' })
    expect(otherBatch?.value).toEqual({ [TOKEN]: { address: TOKEN, usd: '1' } })
  })
})

describe('an abort of shared calls', () => {
  const share = async (count: number) => {
    const made = setup(undefined, { budget: { credits: 50 } })
    const callers = Array.from({ length: count }, () => new AbortController())
    const outcomes = callers.map(({ signal }) =>
      watch(made.client.token.price({ address: TOKEN }, { signal }).withMeta()),
    )
    await made.clock.advance(0)
    return { ...made, callers, outcomes }
  }

  test.each([0, 1, 2])('by caller %i does not affect the others', async (who) => {
    const { clock, script, callers, outcomes, client } = await share(3)
    callers[who]?.abort('mine')
    await clock.advance(0)
    expect(outcomes[who]).toEqual({ state: 'rejected', error: 'mine' })
    expect(script.requests[0]?.aborted).toBe(false)
    script.open[0]?.answer(good())
    await clock.advance(0)
    const others = outcomes.filter((_, index) => index !== who)
    expect(others.map(({ state }) => state)).toEqual(['resolved', 'resolved'])
    // One caller reports the charge, also when the first caller has left.
    expect(others.map(({ value }) => value?.meta.credits.charged)).toEqual([50, 0])
    expect(client.budget.spent).toBe(50)
  })

  test('by every caller aborts the request, which may have been charged', async () => {
    const { clock, script, callers, outcomes, client } = await share(3)
    for (const [index, caller] of callers.entries()) caller.abort(index)
    await clock.advance(0)
    expect(outcomes.map(({ error }) => error)).toEqual([0, 1, 2])
    expect(script.requests[0]?.aborted).toBe(true)
    expect(client.budget).toMatchObject({ reserved: 0, uncertain: 50 })
  })

  test('lets a later call start a new request', async () => {
    const made = setup(undefined)
    const caller = new AbortController()
    watch(made.client.token.price({ address: TOKEN }, { signal: caller.signal }))
    await made.clock.advance(0)
    caller.abort()
    const next = watch(made.client.token.price({ address: TOKEN }))
    await made.clock.advance(0)
    expect(made.script.requests).toHaveLength(2)
    made.script.open[0]?.answer(good())
    await made.clock.advance(0)
    expect(next.state).toBe('resolved')
  })
})

test('a batch that does not fit the budget shares no request of an earlier call', async () => {
  const { client, clock, script } = setup(undefined, { budget: { credits: 1_000 } })
  const caller = new AbortController()
  const first = watch(client.prices.batch({ addresses: addresses(50) }, { signal: caller.signal }))
  const rejected = watch(client.prices.batch({ addresses: addresses(100) }))
  await clock.advance(0)
  expect(rejected.error).toMatchObject({ code: 'budget_exceeded', needed: 600 })
  caller.abort('mine')
  await clock.advance(0)
  expect(first.error).toBe('mine')
  expect(script.requests.map(({ aborted }) => aborted)).toEqual([true])
})
