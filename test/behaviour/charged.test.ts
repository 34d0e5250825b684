import type { ApiPromise, Client } from 'etn-market'
import { describe, expect, test } from 'vitest'
import { costs, cutOff, networkError, ok, raw, stalled, tokens } from '../support/answers.ts'
import { attempt, WORST } from '../support/attempt.ts'
import type { Handler } from '../support/script.ts'
import { address, addresses, setup } from '../support/setup.ts'

const computed = (credits: number) => ({ type: 'credits.computed', operation: 'token.list', credits })
const charged = (credits: number) => ({ type: 'credits.charged', operation: 'token.list', credits })
const uncertain = { type: 'credits.uncertain', operation: 'token.list', credits: WORST }

describe('a 2xx response', () => {
  test('with a valid header settles its figure and frees the rest', async () => {
    const { outcome, money, creditEvents, client } = await attempt(() => ok(tokens(3), costs(115)))
    expect(outcome.value?.meta.credits).toMatchObject({ estimated: WORST, charged: 115, source: 'header' })
    expect(money).toEqual({ spent: 115, uncertain: 0 })
    expect(creditEvents).toEqual([charged(115)])
    expect(client.credits).toMatchObject({
      charged: 115,
      computed: 0,
      uncertain: 0,
      byOperation: { 'token.list': 115 },
    })
  })

  test.each([
    ['0', 0],
    ['007', 7],
    [' 42 ', 42],
    ['200', 200],
  ])('with the header %j is charged %i, also where it is not JSON', async (cost, credits) => {
    for (const body of ['{"data":[]}', 'not json']) {
      const { money } = await attempt(() => raw(body, { 'x-credits-cost': cost }, 206))
      expect(money).toEqual({ spent: credits, uncertain: 0 })
    }
  })

  test.each<[string | string[] | undefined]>([
    [undefined],
    [''],
    ['many'],
    ['-115'],
    ['+5'],
    ['115.0'],
    ['1e3'],
    ['0x10'],
    ['5 credits'],
    ['NaN'],
    ['Infinity'],
    [['115', '115']],
    [['50', '60']],
    ['50, 50'],
    // One credit more than a header may state.
    ['1000000000001'],
    ['9'.repeat(20)],
    ['9'.repeat(40)],
  ])(
    'with no valid header, such as %j, settles the computed price of the items and emits credits.computed',
    async (cost) => {
      const headers = cost === undefined ? {} : { 'x-credits-cost': cost }
      const { outcome, money, creditEvents, client } = await attempt(() => ok(tokens(3), headers))
      expect(outcome.value?.meta.credits).toMatchObject({ charged: 115, source: 'computed' })
      expect(money).toEqual({ spent: 115, uncertain: 0 })
      expect(creditEvents).toEqual([computed(115)])
      expect(client.credits).toMatchObject({ charged: 115, computed: 115 })
    },
  )

  test('whose body cannot be decoded, without a header, settles the worst case', async () => {
    const { error, money } = await attempt(() => raw('<html>'))
    expect(error).toMatchObject({ name: 'ResponseError', charge: 'charged', credits: WORST })
    expect(money).toEqual({ spent: WORST, uncertain: 0 })
  })

  test.each<[string, Handler, string]>([
    ['cut off', () => cutOff(costs(115)), 'ConnectionError'],
    ['stalled', () => stalled(costs(115)), 'TimeoutError'],
  ])('whose body was %s settles the header', async (_, answer, name) => {
    const { error, money, creditEvents } = await attempt(answer)
    expect(error).toMatchObject({ name, charge: 'charged', credits: 115 })
    expect(money).toEqual({ spent: 115, uncertain: 0 })
    expect(creditEvents).toEqual([charged(115)])
  })

  test.each<[string, Handler, string]>([
    ['cut off', () => cutOff(), 'ConnectionError'],
    ['stalled', () => stalled(), 'TimeoutError'],
    ['cut off by a broken TLS record', () => cutOff({}, 200, networkError('ERR_SSL_BAD_RECORD')), 'ConnectionError'],
  ])('whose body was %s, without a header, keeps the worst case as uncertain', async (_, answer, name) => {
    const { error, money, creditEvents } = await attempt(answer)
    expect(error).toMatchObject({ name, charge: 'unknown', credits: 0 })
    expect(money).toEqual({ spent: 0, uncertain: WORST })
    expect(creditEvents).toEqual([uncertain])
  })

  test('whose body was cut off by a TLS error settles the header', async () => {
    const { money } = await attempt(() => cutOff(costs(115), 200, networkError('ERR_SSL_BAD_RECORD')))
    expect(money).toEqual({ spent: 115, uncertain: 0 })
  })

  const TOKEN = { address: address(1) }
  test.each<[string, (client: Client) => ApiPromise<unknown>, unknown, number]>([
    ['a flat price', ({ etn }) => etn.price(), { usd: '1' }, 25],
    ['a full list', ({ token }) => token.list(), Array(100).fill({}), 600],
    ['candles', ({ token }) => token.candles(TOKEN), Array(12).fill({}), 112],
    ['trades', ({ trade }) => trade.list({ limit: 5 }), Array(5).fill({}), 300],
    ['an empty list', ({ nft }) => nft.assets(TOKEN), [], 400],
    ['balances', ({ balances }) => balances.get(TOKEN), { balances: { a: {}, b: {}, c: {} } }, 830],
    ['no balances', ({ balances }) => balances.get(TOKEN), { balances: {} }, 800],
    ['a batch', ({ prices }) => prices.batch({ addresses: addresses(7) }), {}, 170],
    ['a heavy list', ({ farm }) => farm.list(), [{}, {}], 3_000],
    ['a list in an object', ({ token }) => token.list(), { tokens: Array(100).fill({}) }, 600],
    ['a text', ({ token }) => token.list({ limit: 20 }), 'text', WORST],
    ['null', ({ token }) => token.list({ limit: 20 }), null, WORST],
    ['an object without balances', ({ balances }) => balances.get(TOKEN), {}, 2_800],
  ])(
    'of %s without a header is charged base + items, or the worst case where none can be counted',
    async (_, call, data, credits) => {
      const { client } = setup(() => ok(data), { validate: 'off' })
      expect((await call(client).withMeta()).meta.credits).toMatchObject({ charged: credits, source: 'computed' })
    },
  )
})
