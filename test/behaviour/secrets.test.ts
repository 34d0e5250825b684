import type { Client } from 'etn-market'
import { describe, expect, test } from 'vitest'
import { allRepresentations, json } from '../support/all-representations.ts'
import { costs, html, limited, networkError, ok, price, raw, refusal, wait } from '../support/answers.ts'
import type { Handler } from '../support/script.ts'
import { address, addresses, KEY, setup, watch } from '../support/setup.ts'

const TOKEN = address(1)

const ask = (client: Client) => client.token.price({ address: TOKEN })
const loose = (params: unknown, options?: unknown) => (client: Client) =>
  (client.token.price as unknown as (params: unknown, options: unknown) => Promise<unknown>)(params, options)

const circular = Object.assign(new Error(`loop ${KEY}`), { self: {} as object })
circular.self = { circular }
circular.cause = circular

const LEAKS: [string, Handler, (client: Client) => Promise<unknown>][] = [
  ['the message of an error', () => refusal(401, 'unauthorized', {}, `The key ${KEY} is unknown`), ask],
  ['the code of an error', () => refusal(400, `bad ${KEY}`), ask],
  [
    'any field of a body',
    () => raw(JSON.stringify({ error: { code: 'x' }, you: { sent: [KEY, { [KEY]: KEY }] } }), {}, 403),
    ask,
  ],
  ['a body that is not JSON', () => raw(`<h1>${KEY}</h1>`, {}, 404), ask],
  ['a success without data', () => raw(JSON.stringify({ key: KEY }), costs(50)), ask],
  ['a success that is not JSON', () => raw(`${KEY} oops`, costs(50)), ask],
  ['a gateway', () => raw(`<html>Authorization: Bearer ${KEY}</html>`, {}, 502), ask],
  ['an error of fetch', () => new TypeError(`Cannot fetch with Bearer ${KEY}`), ask],
  ['the cause of an error of fetch', () => networkError('ECONNRESET', `while sending ${KEY}`), ask],
  ['an error of fetch that is frozen', () => Object.freeze(new Error(`no ${KEY}`)), ask],
  ['a DOMException', () => new DOMException(`no ${KEY}`, 'NetworkError') as Error, ask],
  ['several errors of fetch', () => new AggregateError([new Error(KEY), { header: `Bearer ${KEY}` }], KEY), ask],
  [
    'the properties of an error of fetch',
    () => Object.assign(new Error('x'), { config: { headers: new Map([['a', KEY]]), key: KEY } }),
    ask,
  ],
  [
    'a request in an error of fetch',
    () =>
      Object.assign(new Error('x'), { request: new Request('https://a.test', { headers: { authorization: KEY } }) }),
    ask,
  ],
  ['a circular error', () => circular, ask],
  ['an address that is the key', () => undefined, loose({ address: KEY })],
  ['an address that ends with the key', () => undefined, loose({ address: 'x'.repeat(100 - KEY.length + 2) + KEY })],
  ['a parameter named like the key', () => undefined, loose({ address: TOKEN, [KEY]: 1 })],
  ['parameters that are the key', () => undefined, loose(KEY)],
  [
    'a choice that is the key',
    () => undefined,
    (client) => client.token.history({ address: TOKEN, duration: KEY as 'DAY' }),
  ],
  ['an option that is the key', () => undefined, loose({ address: TOKEN }, { timeoutMs: KEY })],
  ['an option named like the key', () => undefined, loose({ address: TOKEN }, { [KEY]: 1 })],
  ['a redirect', () => raw('', { location: `https://evil.test/?key=${KEY}` }, 302), ask],
  [
    'a chunk of a batch',
    ({ number }) => (number === 1 ? ok({}) : refusal(401, 'x', {}, KEY)),
    (client) => client.prices.batch({ addresses: addresses(60) }),
  ],
]

describe('secrets', () => {
  test.each(LEAKS)('the key appears only in the Authorization header: %s', async (_, handler, leak) => {
    const { client, clock, script, events } = setup(handler, { retry: { limit: 1 } })
    const outcome = watch(leak(client))
    await clock.advance(50_000)
    expect(outcome.state).toBe('rejected')
    const written = allRepresentations(outcome.error) + allRepresentations(events) + allRepresentations(client)
    expect(written.toLowerCase()).not.toContain(KEY.toLowerCase())
    expect(written).not.toContain(KEY.slice(0, -4))
    for (const { url, headers } of script.requests) {
      expect(url.href).not.toContain(KEY)
      expect(headers.get('authorization')).toBe(`Bearer ${KEY}`)
      expect(json([...headers].filter(([name]) => name !== 'authorization'))).not.toContain(KEY)
    }
  })

  test('redacting an error keeps its class and the rest of its message', async () => {
    const { client } = setup(() => refusal(401, 'unauthorized', {}, `The key ${KEY} is unknown to us`))
    const error = await ask(client).catch((caught) => caught)
    expect(error).toMatchObject({ name: 'AuthenticationError', status: 401, code: 'unauthorized' })
    expect(error.message).toContain('is unknown to us')
  })

  test('no text of a client contains the key, before and after calls', async () => {
    const { client } = setup(() => ok(price(TOKEN), costs(50)))
    expect(allRepresentations(client)).not.toContain(KEY)
    await ask(client)
    for (const part of [client, client.budget, client.credits, client.token, client.token.price]) {
      expect(allRepresentations(part)).not.toContain(KEY)
    }
  })

  test('no event of retries, cool-downs, mismatches, stores and parameters contains the key', async () => {
    const answers = [() => limited(wait(1)), () => html(502), () => ok({ [KEY]: KEY, usd: 5 }, costs(50))]
    const store = {
      get: () => Promise.reject(new Error(`redis://${KEY}@host`)),
      set: () => Promise.reject(new Error(KEY)),
      delete: () => true,
    }
    const { client, clock, events } = setup(({ number }) => answers[number - 1]?.(), {
      cache: { ttlMs: { 'token.price': 1_000 }, store },
    })
    watch(ask(client))
    await clock.advance(20_000)
    watch(client.request('/x', { query: { token: KEY, [KEY]: 1 }, maxCredits: 5 }))
    await clock.advance(0)
    expect(events.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['cooldown.started', 'retry.scheduled', 'response.mismatch', 'cache.failed']),
    )
    expect(allRepresentations(events)).not.toContain(KEY)
  })

  test('errors contain neither the current key nor earlier keys of a key function', async () => {
    const keys = ['esk_live_old_one_1', 'esk_live_new_one_2']
    let asked = 0
    const { client, script } = setup(
      ({ number }) => (number === 1 ? ok(price(TOKEN), costs(50)) : refusal(401, 'x', {}, keys.join())),
      {
        apiKey: async () => keys[asked++] ?? 'esk_live_last',
      },
    )
    await ask(client)
    const error = await ask(client).catch((caught) => caught)
    for (const key of keys) expect(allRepresentations(error)).not.toContain(key)
    expect(script.requests.map(({ headers }) => headers.get('authorization'))).toEqual(
      keys.map((key) => `Bearer ${key}`),
    )
  })

  test('a failing key function rejects with AuthenticationError, and sends nothing', async () => {
    const { client, script } = setup(undefined, { apiKey: () => Promise.reject(new Error('vault is sealed')) })
    await expect(ask(client)).rejects.toMatchObject({
      name: 'AuthenticationError',
      charge: 'none',
      cause: { message: 'vault is sealed' },
    })
    expect(script.requests).toHaveLength(0)
  })

  test.each(['key with space', 'kéy_with_accent', 'key\r\nx-evil: 1'])(
    'the error for a key that no header can contain does not quote it: %j',
    (key) => {
      let text = ''
      try {
        setup(undefined, { apiKey: key })
      } catch (error) {
        text = allRepresentations(error)
      }
      expect(text).toContain('apiKey')
      expect(text).not.toContain(key)
    },
  )

  test('the error for a wrong client option does not contain the key', () => {
    for (const options of [
      { baseUrl: KEY },
      { timeoutMs: KEY },
      { validate: KEY },
      { heavyConcurrency: KEY },
      { [KEY]: 1 },
    ]) {
      let text = ''
      try {
        setup(undefined, { apiKey: KEY, ...(options as object) })
      } catch (error) {
        text = allRepresentations(error)
      }
      expect(text).toContain('InvalidRequestError')
      expect(text, JSON.stringify(Object.keys(options))).not.toContain(KEY)
    }
  })
})
