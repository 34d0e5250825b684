import { ResponseError } from 'etn-market'
import { describe, expect, test } from 'vitest'
import { costs, ok, price, raw } from '../support/answers.ts'
import { flush } from '../support/clock.ts'
import { address, rejection, setup } from '../support/setup.ts'

const TOKEN = address(1)
const ODD = { address: TOKEN, usd: 5, etn: '1', extra: { kept: true } }
const mismatches = (events: readonly { type: string }[]) => events.filter(({ type }) => type === 'response.mismatch')

describe('an answer that does not match the contract', () => {
  test('resolves to the data as it is and emits response.mismatch in warn mode, the default', async () => {
    const { client, events } = setup(() => ok(ODD, costs(50)))
    expect(await client.token.price({ address: TOKEN })).toEqual(ODD)
    expect(mismatches(events)).toEqual([
      {
        type: 'response.mismatch',
        callId: '1',
        requestId: '1.1',
        attempt: 1,
        operation: 'token.price',
        issues: [{ path: 'data.usd', message: expect.any(String) }],
      },
    ])
  })

  test('rejects with the issues, the raw body and the charged credits in strict mode', async () => {
    const { client, events, script } = setup(() => ok(ODD, costs(50)), { validate: 'strict' })
    const error = await rejection(client.token.price({ address: TOKEN }), ResponseError)
    expect(error).toMatchObject({
      code: 'unexpected_shape',
      operation: 'token.price',
      credits: 50,
      charge: 'charged',
      attempts: 1,
    })
    expect(error.body).toEqual({ data: ODD, cursor: null })
    expect(error.issues?.[0]?.path).toBe('data.usd')
    expect(error.message).toContain('data.usd')
    expect(mismatches(events)).toEqual([])
    expect(script.requests).toHaveLength(1)
  })

  test.each(['NaN', '', '-1', 'Infinity'])('says what a price of "%s" should be', async (usd) => {
    const { client } = setup(() => ok({ ...price(TOKEN), usd }, costs(50)), { validate: 'strict' })
    const error = await rejection(client.token.price({ address: TOKEN }), ResponseError)
    expect(error.issues).toEqual([{ path: 'data.usd', message: 'expected a text of the format decimal' }])
    expect(error).toMatchObject({ code: 'unexpected_shape', charge: 'charged', credits: 50 })
  })

  test('follows the mode of the call, which overrides that of the client; off emits nothing', async () => {
    const { client, events } = setup(() => ok(ODD, costs(50)), { validate: 'strict' })
    expect(await client.token.price({ address: TOKEN }, { validate: 'off' })).toEqual(ODD)
    expect(mismatches(events)).toEqual([])
    await client.token.price({ address: TOKEN }, { validate: 'warn' })
    await rejection(client.token.price({ address: TOKEN }), ResponseError)
    expect(mismatches(events)).toHaveLength(1)
  })

  test.each(['strict', 'warn', 'off'] as const)('rejects in %s mode when it has no envelope', async (validate) => {
    const { client } = setup(() => raw('{}', costs(50)), { validate })
    expect(await rejection(client.token.price({ address: TOKEN }), ResponseError)).toMatchObject({
      code: 'no_data',
      credits: 50,
    })
  })

  test.each([null, 5, 'text', [], true])(
    'resolves in warn mode and rejects in strict mode when its data is %j',
    async (data) => {
      const { client, events } = setup(() => ok(data, costs(50)))
      expect(await client.token.price({ address: TOKEN })).toEqual(data)
      expect(mismatches(events)).toHaveLength(1)
      const strict = client.token.price({ address: TOKEN }, { validate: 'strict' })
      expect(await rejection(strict, ResponseError)).toMatchObject({ credits: 50 })
    },
  )
})

describe('an answer that matches the contract', () => {
  test.each<[string, object]>([
    ['keeps unknown fields', { ...price(TOKEN), volume24h: '5', nested: [{ a: 1 }] }],
    ['may have no price', { address: TOKEN }],
    ['may have a price of null', { address: TOKEN, usd: null, etn: null }],
  ])('%s', async (_, data) => {
    const { client, events } = setup(() => ok(data, costs(50)), { validate: 'strict' })
    expect(await client.token.price({ address: TOKEN })).toEqual(data)
    expect(mismatches(events)).toEqual([])
  })

  test('keeps decimal strings and hex amounts unchanged', async () => {
    const usd = '0.0431328059369531392178303'
    const { client } = setup(({ number }) =>
      number === 1
        ? ok({ address: TOKEN, usd }, costs(50))
        : ok(
            { address: TOKEN, updated: 1, balances: { [TOKEN]: { balance: `0x${'f'.repeat(40)}`, blockUpdated: 1 } } },
            costs(810),
          ),
    )
    expect((await client.token.price({ address: TOKEN })).usd).toBe(usd)
    const { balances } = await client.balances.get({ address: TOKEN })
    expect(balances[TOKEN]?.balance).toBe(`0x${'f'.repeat(40)}`)
  })

  test('may have an unknown state', async () => {
    const presale = { pool: TOKEN, status: 'PAUSED', token: { name: 'x' } }
    const { client } = setup(() => ok(presale, costs(200)), { validate: 'strict' })
    expect(await client.presale.get({ pool: TOKEN })).toEqual(presale)
  })

  test('may have a cursor in trade.list', async () => {
    const body = JSON.stringify({ data: [], cursor: 'eyJ' })
    const { client, events } = setup(() => raw(body, costs(250)), { validate: 'strict' })
    expect(await client.trade.list()).toEqual([])
    expect(mismatches(events)).toEqual([])
  })
})

const candle = (time: number) => ({ time, open: 1, high: 1, low: 1, close: 1, volume: 0, count: 1 })
const times = (candles: readonly object[]) => candles.map((one) => (one as { time: number }).time)

describe('candles are ascending by time', () => {
  test.each([
    ['descending', [3, 2, 1]],
    ['ascending', [1, 2, 3]],
    ['mixed', [2, 3, 1]],
  ])('when the service sends them %s', async (_, sent) => {
    const { client } = setup(() => ok(sent.map(candle), costs(103)))
    expect(times(await client.token.candles({ address: TOKEN }))).toEqual([1, 2, 3])
  })

  test('for each caller who shares them, and from the cache', async () => {
    const { client, script } = setup(() => ok([3, 1, 2].map(candle), costs(103)), {
      cache: { ttlMs: { 'token.candles': 1_000 } },
    })
    const call = () => client.token.candles({ address: TOKEN })
    const answers = await Promise.all([call(), call()])
    await flush()
    answers.push(await call())
    expect(answers.map(times)).toEqual(Array(3).fill([1, 2, 3]))
    expect(script.requests).toHaveLength(1)
  })

  test('an odd list does not fail the call', async () => {
    const { client } = setup(() => ok([null, 'x', candle(1)], costs(103)))
    expect(await client.token.candles({ address: TOKEN })).toHaveLength(3)
  })
})

test.each([
  [1_800_000_000, undefined],
  [8.64e12, undefined],
  [8.64e12 + 1, 'unexpected_shape'],
  [8.64e15, 'unexpected_shape'],
  [-8.64e15, 'unexpected_shape'],
])('a candle with the time %d, strictly', async (time, code) => {
  const { client } = setup(() => ok([candle(time)], costs(101)), { validate: 'strict' })
  const error = await client.token.candles({ address: TOKEN }).then(
    () => undefined,
    (caught) => caught,
  )
  expect(error?.code).toBe(code)
})
