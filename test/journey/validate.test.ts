import { ResponseError } from 'etn-market'
import { describe, expect, test } from 'vitest'
import { costs, ok, price, raw } from '../support/answers.ts'
import { address, rejection, setup } from '../support/setup.ts'

const TOKEN = address(1)
const ODD = { address: TOKEN, usd: 5, etn: '1', extra: { kept: true } }
const mismatches = (events: readonly { type: string }[]) => events.filter(({ type }) => type === 'response.mismatch')

describe('an answer that is not what the contract says', () => {
  test('warn, the default: hands the data over as it came and raises the event', async () => {
    const { client, events } = setup(() => ok(ODD, costs(50)))
    expect(await client.token.price({ address: TOKEN })).toEqual(ODD)
    expect(mismatches(events)).toEqual([
      {
        type: 'response.mismatch',
        operation: 'token.price',
        issues: [{ path: 'data.usd', message: expect.any(String) }],
      },
    ])
  })

  test('strict: rejects with the issues, the raw body and the credits that were charged', async () => {
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

  test('off: hands the data over and says nothing', async () => {
    const { client, events } = setup(() => ok(ODD, costs(50)), { validate: 'off' })
    expect(await client.token.price({ address: TOKEN })).toEqual(ODD)
    expect(mismatches(events)).toEqual([])
  })

  test('the mode of a call overrides that of the client', async () => {
    const { client, events } = setup(() => ok(ODD, costs(50)), { validate: 'strict' })
    await client.token.price({ address: TOKEN }, { validate: 'off' })
    await client.token.price({ address: TOKEN }, { validate: 'warn' })
    await rejection(client.token.price({ address: TOKEN }), ResponseError)
    expect(mismatches(events)).toHaveLength(1)
  })

  test.each(['strict', 'warn', 'off'] as const)('%s: no envelope at all is an error all the same', async (validate) => {
    const { client } = setup(() => raw('{}', costs(50)), { validate })
    expect(await rejection(client.token.price({ address: TOKEN }), ResponseError)).toMatchObject({
      code: 'no_data',
      credits: 50,
    })
  })

  test.each([null, 5, 'text', [], true])('data that is %j', async (data) => {
    const { client, events } = setup(() => ok(data, costs(50)))
    expect(await client.token.price({ address: TOKEN })).toEqual(data)
    expect(mismatches(events)).toHaveLength(1)
    const strict = client.token.price({ address: TOKEN }, { validate: 'strict' })
    expect(await rejection(strict, ResponseError)).toMatchObject({ credits: 50 })
  })

  test('a list of which every item is wrong does not make an error without end', async () => {
    const { client } = setup(() => ok(Array(100).fill({}), costs(600)), { validate: 'strict' })
    const error = await rejection(client.token.list(), ResponseError)
    expect(error.issues?.length).toBeGreaterThan(0)
    expect(error.issues?.length).toBeLessThanOrEqual(50)
  })
})

describe('an answer that is fine', () => {
  test.each<[string, object]>([
    ['unknown fields are kept', { ...price(TOKEN), volume24h: '5', nested: [{ a: 1 }] }],
    ['a price may be missing', { address: TOKEN }],
    ['or null', { address: TOKEN, usd: null, etn: null }],
  ])('%s', async (_, data) => {
    const { client, events } = setup(() => ok(data, costs(50)), { validate: 'strict' })
    expect(await client.token.price({ address: TOKEN })).toEqual(data)
    expect(mismatches(events)).toEqual([])
  })

  test('decimal strings and hex amounts stay as they came', async () => {
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

  test('a state that nobody knew yet is accepted', async () => {
    const presale = { pool: TOKEN, status: 'PAUSED', token: { name: 'x' } }
    const { client } = setup(() => ok(presale, costs(200)), { validate: 'strict' })
    expect(await client.presale.get({ pool: TOKEN })).toEqual(presale)
  })

  test('the cursor of trade.list is informational: it may stand there', async () => {
    const body = JSON.stringify({ data: [], cursor: 'eyJ' })
    const { client, events } = setup(() => raw(body, costs(250)), { validate: 'strict' })
    expect(await client.trade.list()).toEqual([])
    expect(mismatches(events)).toEqual([])
  })
})
