import { describe, expect, test } from 'vitest'
import { costs, networkError, ok, price, refusal } from '../support/answers.ts'
import { address, addresses, setup, watch } from '../support/setup.ts'

const TOKEN = address(1)
const good = () => ok(price(TOKEN), costs(50, 900))

describe('identical calls in flight become one', () => {
  test('one request, paid by the first; the sum of what they tell is what was charged', async () => {
    const { client, clock, script } = setup(undefined, { budget: { credits: 50 } })
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
  })

  test('whatever the spelling of the address', async () => {
    const { client, clock, script } = setup()
    for (const spelling of [TOKEN, TOKEN.toLowerCase(), `0x${TOKEN.slice(2).toUpperCase()}`])
      watch(client.token.price({ address: spelling }))
    await clock.advance(0)
    expect(script.requests).toHaveLength(1)
  })

  test('chunks of batches with the same addresses in another order', async () => {
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

  test('not batches of other addresses, as many', async () => {
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

  test('not those that ask for something else, in another way, or later', async () => {
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

  test('each gets an answer of its own: changing one changes no other', async () => {
    const { client, clock } = setup(() =>
      ok([{ address: TOKEN, name: 'a', symbol: 'A', decimals: 1, totalSupply: 1 }], costs(105)),
    )
    const [one, other] = [watch(client.token.list()), watch(client.token.list())]
    await clock.advance(0)
    one.value?.splice(0)
    expect(other.value).toHaveLength(1)
  })

  test('so does each that asked for a batch', async () => {
    const { client, clock } = setup(() => ok({ [TOKEN.toLowerCase()]: { usd: '1' } }, costs(110)))
    const [one, other] = [0, 1].map(() => watch(client.prices.batch({ addresses: [TOKEN] })))
    await clock.advance(0)
    Object.assign(one?.value?.[TOKEN] ?? {}, { usd: 'changed' })
    expect(other?.value).toEqual({ [TOKEN]: { address: TOKEN, usd: '1' } })
  })
})

describe('aborting one of several', () => {
  const share = async (count: number) => {
    const made = setup(undefined, { budget: { credits: 50 } })
    const callers = Array.from({ length: count }, () => new AbortController())
    const outcomes = callers.map(({ signal }) =>
      watch(made.client.token.price({ address: TOKEN }, { signal }).withMeta()),
    )
    await made.clock.advance(0)
    return { ...made, callers, outcomes }
  }

  test.each([0, 1, 2])('caller %i leaves the others alone', async (who) => {
    const { clock, script, callers, outcomes, client } = await share(3)
    callers[who]?.abort('mine')
    await clock.advance(0)
    expect(outcomes[who]).toEqual({ state: 'rejected', error: 'mine' })
    expect(script.requests[0]?.aborted).toBe(false)
    script.open[0]?.answer(good())
    await clock.advance(0)
    const others = outcomes.filter((_, index) => index !== who)
    expect(others.map(({ state }) => state)).toEqual(['resolved', 'resolved'])
    // What was charged is told once, also when the one who began has left.
    expect(others.map(({ value }) => value?.meta.credits.charged)).toEqual([50, 0])
    expect(client.budget.spent).toBe(50)
  })

  test('when all have aborted the request is aborted, and may have been charged', async () => {
    const { clock, script, callers, outcomes, client } = await share(3)
    for (const [index, caller] of callers.entries()) caller.abort(index)
    await clock.advance(0)
    expect(outcomes.map(({ error }) => error)).toEqual([0, 1, 2])
    expect(script.requests[0]?.aborted).toBe(true)
    expect(client.budget).toMatchObject({ reserved: 0, uncertain: 50 })
  })

  test('a call after that begins anew', async () => {
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

test('an error reaches all of them', async () => {
  const { client, clock, script } = setup(() => refusal(404, 'not_found'))
  const outcomes = [watch(client.token.price({ address: TOKEN })), watch(client.token.price({ address: TOKEN }))]
  await clock.advance(0)
  expect(script.requests).toHaveLength(1)
  expect(outcomes.map(({ error }) => (error as Error).name)).toEqual(['NotFoundError', 'NotFoundError'])
})

test('one whose time is over leaves those who came later their own', async () => {
  const { client, clock, script } = setup(({ number }) => (number === 1 ? networkError('ECONNRESET') : good()), {
    deadlineMs: 1_000,
  })
  clock.luck = 0.9
  const first = watch(client.token.price({ address: TOKEN }))
  await clock.advance(0)
  const second = watch(client.token.price({ address: TOKEN }))
  await clock.advance(1_000)
  expect([first.state, second.state]).toEqual(['resolved', 'resolved'])
  expect(script.requests).toHaveLength(2)
})

test('a batch that does not fit the budget shares nothing: whoever asked before is alone with the request', async () => {
  const { client, clock, script } = setup(undefined, { budget: { credits: 1_000 } })
  const caller = new AbortController()
  const first = watch(client.prices.batch({ addresses: addresses(50) }, { signal: caller.signal }))
  const refused = watch(client.prices.batch({ addresses: addresses(100) }))
  await clock.advance(0)
  expect(refused.error).toMatchObject({ code: 'budget_exceeded', needed: 600 })
  caller.abort('mine')
  await clock.advance(0)
  expect(first.error).toBe('mine')
  expect(script.requests.map(({ aborted }) => aborted)).toEqual([true])
})
