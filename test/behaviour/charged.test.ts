import type { ApiPromise, Client, EtnMarketError } from 'etn-market'
import { describe, expect, test } from 'vitest'
import {
  costs,
  cutOff,
  type HeaderLines,
  html,
  limited,
  networkError,
  ok,
  raw,
  refusal,
  stalled,
  tokens,
} from '../support/answers.ts'
import type { Handler } from '../support/script.ts'
import { address, addresses, setup, watch, withoutIds } from '../support/setup.ts'
import { omitStacks } from '../support/short-stacks.ts'

omitStacks()

const LIMIT = 10_000
/** The worst case of token.list with a limit of 20, in credits. */
const WORST = 200

/** Makes one call of token.list with a limit of 20 and waits until it has ended. */
async function attempt(answer: Handler, retry: false | { limit: number } = false) {
  const made = setup(answer, { budget: { credits: LIMIT }, retry, timeoutMs: 1_000 })
  const outcome = watch(made.client.token.list({ limit: 20 }).withMeta())
  await made.clock.advance(0)
  await made.clock.advance(30_000)
  const { spent, reserved, uncertain, available } = made.client.budget
  expect(reserved).toBe(0)
  expect(available).toBe(LIMIT - spent - uncertain)
  const creditEvents = made.events.filter(({ type }) => type.startsWith('credits.')).map(withoutIds)
  return { ...made, outcome, error: outcome.error as EtnMarketError, money: { spent, uncertain }, creditEvents }
}

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

  // Which headers are valid, and the price of each operation's items, are in test/request/billing.test.ts.
  test.each([
    ['0', 0],
    [' 42 ', 42],
  ])('with the header %j is charged %i, also where it is not JSON', async (cost, credits) => {
    for (const body of ['{"data":[]}', 'not json']) {
      const { money } = await attempt(() => raw(body, { 'x-credits-cost': cost }, 206))
      expect(money).toEqual({ spent: credits, uncertain: 0 })
    }
  })

  test.each<[string | string[] | undefined]>([[undefined], ['many'], [['115', '115']]])(
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

  const brokenTls = networkError('ERR_SSL_BAD_RECORD')
  test.each<[string, (headers?: HeaderLines) => Response, string]>([
    ['cut off', cutOff, 'ConnectionError'],
    ['cut off by a broken TLS record', (headers) => cutOff(headers, 200, brokenTls), 'ConnectionError'],
    ['stalled', stalled, 'TimeoutError'],
  ])(
    'whose body was %s settles the header, and keeps the worst case as uncertain without one',
    async (_, answer, name) => {
      const stated = await attempt(() => answer(costs(115)))
      expect(stated.error).toMatchObject({ name, charge: 'charged', credits: 115 })
      expect(stated.money).toEqual({ spent: 115, uncertain: 0 })
      expect(stated.creditEvents).toEqual([charged(115)])
      const lost = await attempt(() => answer())
      expect(lost.error).toMatchObject({ name, charge: 'unknown', credits: 0 })
      expect(lost.money).toEqual({ spent: 0, uncertain: WORST })
      expect(lost.creditEvents).toEqual([uncertain])
    },
  )

  const TOKEN = { address: address(1) }
  test.each<[string, (client: Client) => ApiPromise<unknown>, unknown, number]>([
    ['balances', ({ balances }) => balances.get(TOKEN), { balances: { a: {}, b: {}, c: {} } }, 830],
    ['a batch', ({ prices }) => prices.batch({ addresses: addresses(7) }), {}, 170],
    ['a text', ({ token }) => token.list({ limit: 20 }), 'text', WORST],
  ])(
    'of %s without a header is charged base + items, or the worst case where none can be counted',
    async (_, call, data, credits) => {
      const { client } = setup(() => ok(data), { validate: 'off' })
      expect((await call(client).withMeta()).meta.credits).toMatchObject({ charged: credits, source: 'computed' })
    },
  )
})

describe('an attempt without a success', () => {
  test.each<[string, Handler]>([
    ['a 400', () => refusal(400, 'invalid_request')],
    ['a 404 with a stray header', () => refusal(404, 'not_found', costs(115))],
    ['a 429', () => limited()],
    ['a 500 with a JSON body', () => refusal(500, 'internal')],
    ['a 502 with a JSON body', () => refusal(502, 'bad_gateway')],
    ['a 504 with a JSON body', () => refusal(504, 'late')],
    ['a port that Node blocks', () => new TypeError('fetch failed', { cause: new Error('bad port') })],
    ['a port that Safari blocks', () => new TypeError('Not allowed to use restricted network port')],
    ['a refused connection', () => networkError('ECONNREFUSED')],
    ['a failure of DNS', () => networkError('ENOTFOUND')],
    ['a failure of DNS that may pass', () => networkError('EAI_AGAIN')],
    ['an expired certificate', () => networkError('CERT_HAS_EXPIRED')],
    ['a self-signed certificate', () => networkError('DEPTH_ZERO_SELF_SIGNED_CERT')],
    ['an unsupported TLS version', () => networkError('ERR_SSL_WRONG_VERSION_NUMBER')],
    ['a certificate of another name', () => networkError('ERR_TLS_CERT_ALTNAME_INVALID')],
    ['a connection that took too long', () => networkError('UND_ERR_CONNECT_TIMEOUT')],
    [
      'all addresses of a host refused',
      () =>
        new TypeError('fetch failed', {
          cause: new AggregateError([{ code: 'ECONNREFUSED' }, { code: 'ENETUNREACH' }]),
        }),
    ],
  ])('%s: charges nothing and releases the reservation', async (_, answer) => {
    const { error, money, creditEvents } = await attempt(answer)
    expect(error).toMatchObject({ charge: 'none', credits: 0 })
    expect(money).toEqual({ spent: 0, uncertain: 0 })
    expect(creditEvents).toEqual([])
  })

  test.each<[string, Handler]>([
    ['an error whose body was cut off', () => cutOff({}, 500)],
    ['an error whose body stalled', () => stalled({}, 504)],
    ['a redirect to another origin', () => raw(null, { location: 'https://status.test/' }, 302)],
    ['a page with 200', () => html(200)],
    ['no answer in time', () => undefined],
    ['a reset', () => networkError('ECONNRESET')],
    ['a socket that was closed', () => networkError('UND_ERR_SOCKET')],
    ['a TLS record that broke on the way back', () => networkError('ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC')],
    ['a broken pipe', () => networkError('EPIPE')],
    ['an error without a code', () => new Error('boom')],
  ])('%s: may have been charged, and keeps the worst case as uncertain', async (_, answer) => {
    const { error, money, creditEvents, client } = await attempt(answer)
    expect(error).toMatchObject({ charge: 'unknown', credits: 0 })
    expect(money).toEqual({ spent: 0, uncertain: WORST })
    expect(creditEvents).toEqual([uncertain])
    expect(client.credits).toMatchObject({ charged: 0, uncertain: WORST })
  })
})

describe('an error', () => {
  const between = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index)
  /** All that a front or a service is known to send, and their neighbours. */
  const STATUSES = [...between(400, 432), 451, ...between(499, 512), 520, 522, 530, 599]
  /** Over real connections each status comes with one body, and each body with some statuses: what is read of them is the same. */
  const statusesFor = (what: string) =>
    process.env.ETN_MARKET_TEST_REAL_CONNECTION === undefined || what === 'an HTML page'
      ? STATUSES
      : [400, 429, 502, 530]
  /** With these, what stands between refuses before it forwards. */
  const REFUSED_IN_FRONT = [400, 401, 403, 405, 407, 413, 414, 421, 429, 431]
  const FOREIGN: [string, string, string][] = [
    ['an HTML page', '<html><h1>Error</h1></html>', 'text/html'],
    ['a text', 'upstream error', 'text/plain'],
    ['nothing', '', 'text/html'],
    ['JSON that is cut off', '{"error":{"code":"internal","mess', 'application/json'],
    ['a message', '{"message":"An invalid response was received from the upstream server"}', 'application/json'],
    ['an error as a text', '{"error":"Bad gateway"}', 'application/json'],
    ['an error with a number', '{"error":{"code":502,"message":"Bad gateway"}}', 'application/json'],
    ['an error without a message', '{"error":{"code":"bad_gateway"}}', 'application/json'],
    ['an error without a code', '{"error":{"message":"Bad gateway"}}', 'application/json'],
    ['a list', '[{"error":{"code":"internal","message":"no"}}]', 'application/json'],
    ['data', '{"data":[]}', 'application/json'],
  ]

  async function play(status: number, body: string, type: string) {
    const { client } = setup(() => raw(body, { 'content-type': type }, status), {
      budget: { credits: LIMIT },
      retry: false,
    })
    const error = await client.token.list({ limit: 20 }).catch((reason: EtnMarketError) => reason)
    const { spent, reserved, uncertain: held } = client.budget
    return { error: error as EtnMarketError, money: { spent, reserved, uncertain: held } }
  }

  test.each(FOREIGN)(
    'of any status with %s was charged nothing only where a front does not forward',
    async (what, body, type) => {
      for (const status of statusesFor(what)) {
        const isFree = REFUSED_IN_FRONT.includes(status)
        const { error, money } = await play(status, body, type)
        expect([status, money]).toEqual([status, { spent: 0, reserved: 0, uncertain: isFree ? 0 : WORST }])
        expect(error).toMatchObject({ code: 'front_error', status, charge: isFree ? 'none' : 'unknown', credits: 0 })
        expect(error.message).toContain(`something in front of the service answered ${status}`)
      }
    },
  )

  test("of any status in the service's own envelope was charged nothing", async () => {
    for (const status of STATUSES) {
      const own = JSON.stringify({ error: { code: 'Some_Code', message: 'no' } })
      const { error, money } = await play(status, own, 'text/html')
      expect([status, money]).toEqual([status, { spent: 0, reserved: 0, uncertain: 0 }])
      expect(error).toMatchObject({ code: 'some_code', status, charge: 'none' })
    }
  })

  test.each([
    ['two lines', 'internal\netn-market token.list 200, 5 ms'],
    ['spaces', 'not found'],
    ['a control character', 'internal\u001b[2K'],
    ['65 characters', 'x'.repeat(65)],
    ['nothing', ''],
  ])('whose code is %s is named after its status, and prints one line', async (_, code) => {
    const lines: string[] = []
    const print = (line: string) => lines.push(line)
    const { client } = setup(() => refusal(500, code, {}, `one\ntwo\r\u001b[2K\u2028${code}`), {
      budget: { credits: LIMIT },
      retry: false,
      logLevel: 'debug',
      logger: { debug: print, info: print, warn: print },
    })
    const error = await client.token.list({ limit: 20 }).catch((reason: EtnMarketError) => reason)
    expect(error).toMatchObject({ code: 'http_500', charge: 'none' })
    const all = [(error as Error).message, ...lines]
    expect(all.filter((line) => !/^[\x20-\x7e]+$/.test(line))).toEqual([])
    expect(lines.length).toBeGreaterThan(2)
  })
})

describe('several attempts', () => {
  test('each keep a worst case as uncertain when their answers are lost', async () => {
    const { error, money } = await attempt(() => networkError('ECONNRESET'), { limit: 2 })
    expect(error).toMatchObject({ attempts: 3, charge: 'unknown', credits: 0 })
    expect(money).toEqual({ spent: 0, uncertain: 3 * WORST })
  })

  test('add up their credits in the error and in the answer', async () => {
    const lost = await attempt(() => cutOff(costs(115)), { limit: 2 })
    expect(lost.error).toMatchObject({ attempts: 3, charge: 'charged', credits: 345 })
    const answers = [() => cutOff(costs(115)), () => networkError('ECONNRESET'), () => ok(tokens(4), costs(120))]
    const { outcome, money } = await attempt(({ number }) => answers[number - 1]?.(), { limit: 2 })
    expect(outcome.value?.meta).toMatchObject({ attempts: 3, credits: { charged: 235 } })
    expect(money).toEqual({ spent: 235, uncertain: WORST })
  })

  test('have an unknown charge when the charge of one attempt is unknown', async () => {
    const answers = [() => networkError('ECONNRESET'), () => refusal(404, 'not_found')]
    const { error } = await attempt(({ number }) => answers[number - 1]?.(), { limit: 2 })
    expect(error).toMatchObject({ name: 'NotFoundError', attempts: 2, charge: 'unknown', credits: 0 })
  })
})

test('a charge above the worst case is recorded as it is and emits credits.drift', async () => {
  const { money, creditEvents } = await attempt(() => ok(tokens(3), costs(WORST + 1)))
  expect(money).toEqual({ spent: WORST + 1, uncertain: 0 })
  expect(creditEvents).toEqual([
    charged(WORST + 1),
    { type: 'credits.drift', operation: 'token.list', predicted: WORST, charged: WORST + 1 },
  ])
})

test('a free operation is never charged or uncertain and needs no budget', async () => {
  const answers = [() => ok({ credits: 1 }), () => networkError('ECONNRESET'), () => html(502), () => raw('x')]
  const { client, clock, events } = setup(({ number }) => answers[number - 1]?.(), {
    budget: { credits: 0 },
    retry: false,
  })
  for (let call = 0; call < 4; call++) {
    watch(client.account.me())
    await clock.advance(0)
  }
  expect(client.budget).toMatchObject({ spent: 0, uncertain: 0, reserved: 0 })
  expect(events.filter(({ type }) => type === 'credits.uncertain')).toEqual([])
})
