import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Ajv from 'ajv/dist/2020.js'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { ListenOptions } from '../../src/fake/index.ts'
import { run } from '../support/child.ts'
import { BOLT, makeFake, NOON } from './setup.ts'

async function remote(listen: ListenOptions = {}) {
  const fake = makeFake({ keys: { k: 10_000 } })
  const { url, port } = await fake.listen(listen)
  const get = (path: string) => fetch(url + path, { headers: { authorization: 'Bearer k' } })
  /** Raw, because `fetch` does not let a caller choose `Host` and `Origin`. */
  const send = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    new Promise<{ status: number; body: ReturnType<typeof JSON.parse>; headers: Record<string, unknown> }>(
      (resolve, reject) => {
        const sent = request({ port, host: '127.0.0.1', method, path: `/_fake${path}`, headers }, (response) => {
          let text = ''
          response.setEncoding('utf8').on('data', (chunk) => {
            text += chunk
          })
          response.on('end', () =>
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              body: text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : text,
            }),
          )
        })
        sent.on('error', reject)
        sent.end(body === undefined ? undefined : JSON.stringify(body))
      },
    )
  return { fake, get, send, port }
}

describe('the control routes', () => {
  it('answer the bare document of the service, with the fake as its server', async () => {
    const { get, send, port } = await remote()
    const { body } = await send('GET', '/service.json')
    const { data } = await (await get('/openapi.json')).json()
    expect(body).toEqual({ ...data, servers: [{ url: `http://127.0.0.1:${port}/public-api/v1` }] })
    const { headers } = await fetch(`${body.servers[0].url}/prices/etn`, { headers: { authorization: 'Bearer k' } })
    expect(headers.get('x-credits-cost')).toBe('25')
  })

  it('change prices, trades and candles', async () => {
    const { get, send } = await remote()
    const price = async () => (await (await get(`/prices/52014/${BOLT}`)).json()).data.usd
    expect((await send('POST', '/world/price', { token: BOLT, usd: '0.02' })).body).toEqual({ version: 1 })
    expect((await send('GET', '/world')).body).toEqual({ version: 1 })
    expect(await price()).toBe('0.02')
    await send('POST', '/world/price', { token: BOLT, usd: '0.03', overMs: 1_000 })
    await send('POST', '/clock', { advanceMs: 1_000 })
    expect(await price()).toBe('0.03')
    await send('POST', '/world/trade', { token: BOLT, usd: '500' })
    expect((await (await get('/trades/52014?limit=1')).json()).data[0].usd).toBe('500')
    const time = Math.floor(NOON / 3_600_000) * 3_600 - 3_600
    const rows = [{ time, open: 1, high: 2, low: 1, close: 2, volume: 5, count: 1 }]
    expect((await send('POST', '/world/candles', { token: BOLT, bucket: '1h', rows })).status).toBe(200)
    expect((await (await get(`/tokens/52014/${BOLT}/candles?limit=2`)).json()).data[0]).toEqual(rows[0])
    await send('POST', '/world/unprice', { token: BOLT })
    expect(await price()).toBeUndefined()
    await send('POST', '/world/release', { token: BOLT })
    expect(Number(await price())).toBeGreaterThan(0)
  })

  it('advance answers after everything that fell due within the time is done', async () => {
    const { fake, get, send } = await remote()
    const done: string[] = []
    await send('POST', '/script', { operation: 'etn.price', steps: [{ delayMs: 3_000 }, { delayMs: 1_000 }] })
    const asked: Promise<unknown>[] = []
    for (const name of ['slow', 'fast']) {
      asked.push(get('/prices/etn').then(() => done.push(name)))
      await expect.poll(() => fake.charged()).toBe(25 * asked.length)
    }
    void fake.clock.sleep(2_000).then(async () => {
      done.push('between')
      await fake.clock.sleep(500)
      done.push('after that')
    })
    expect((await send('POST', '/clock', { advanceMs: 3_000 })).body).toEqual({ now: NOON + 3_000 })
    expect(fake.journal().every(({ status }) => status === 200)).toBe(true)
    expect(done.filter((name) => name === 'between' || name === 'after that')).toEqual(['between', 'after that'])
    await Promise.all(asked)
    expect(done.indexOf('fast')).toBeLessThan(done.indexOf('slow'))
  })

  it('add, list by page and remove faults', async () => {
    const { get, send } = await remote()
    const added = await send('POST', '/faults', {
      operation: 'etn.price',
      status: 503,
      retryAfter: '2',
      times: 'Infinity',
    })
    expect(added).toMatchObject({
      status: 200,
      body: { id: 1, label: 'status 503, retryAfter "2" on etn.price', hits: 0 },
    })
    expect((await get('/prices/etn')).status).toBe(503)
    expect((await send('GET', '/faults')).body).toEqual([{ ...added.body, hits: 1 }])
    expect((await send('DELETE', '/faults/1')).status).toBe(200)
    expect((await get('/prices/etn')).status).toBe(200)
    expect((await send('DELETE', '/faults/1')).body.error.message).toBe('DELETE /_fake/faults/1: There is no fault 1.')
    for (const status of [500, 502, 503]) await send('POST', '/faults', { status })
    const labels = async (query: string) =>
      (await send('GET', `/faults${query}`)).body.map(({ label }: { label: string }) => label.slice(0, 10))
    expect([await labels('?limit=1'), await labels('?after=2')]).toEqual([['status 500'], ['status 502', 'status 503']])
  })

  it('return, add and fill keys: all or none', async () => {
    const { fake, send } = await remote()
    expect((await send('GET', '/keys')).body).toEqual({ k: { credits: 10_000, tier: 'standard' } })
    expect((await send('POST', '/keys', { a: 1, b: -1 })).status).toBe(400)
    expect(Object.keys(fake.keys())).toEqual(['k'])
    await send('POST', '/keys', { k: 5, other: { credits: 7, tier: 'gold' } })
    expect(fake.keys()).toEqual({ k: { credits: 5, tier: 'standard' }, other: { credits: 7, tier: 'gold' } })
  })

  it('hold heavy slots', async () => {
    const { get, send } = await remote()
    expect((await send('POST', '/heavy-slots', {})).body).toEqual({ id: 1 })
    expect((await send('POST', '/heavy-slots', {})).body).toEqual({ id: 2 })
    expect((await send('POST', '/heavy-slots', {})).status).toBe(400)
    expect((await get('/farms/52014')).status).toBe(503)
    expect((await send('DELETE', '/heavy-slots/1')).status).toBe(200)
    expect((await get('/farms/52014')).status).toBe(200)
  })

  it('leave no journal entry, and exist only at the root', async () => {
    const { fake, get, send } = await remote()
    await send('GET', '/ledger')
    fake.expectRequests(0)
    expect((await get('/_fake/ledger')).status).toBe(404)
    expect((await fake.fetch('http://x.example/_fake/ledger')).status).toBe(404)
  })

  it('add scripts and stubs, and remove them', async () => {
    const { get, send } = await remote()
    expect(
      (await send('POST', '/script', { operation: 'etn.price', steps: [{ status: 429 }, 'ok'] })).body,
    ).toMatchObject({ hits: 0 })
    expect([(await get('/prices/etn')).status, (await get('/prices/etn')).status]).toEqual([429, 200])
    const { id } = (await send('POST', '/stubs', { operation: 'etn.price', data: { usd: '7' } })).body
    expect((await (await get('/prices/etn')).json()).data).toEqual({ usd: '7' })
    const fault = (await send('POST', '/faults', { operation: 'etn.price', status: 500, times: 99 })).body
    const snapshot = (await send('POST', '/snapshot')).body
    expect((await get('/prices/etn')).status).toBe(500)
    await send('POST', '/restore', { id: snapshot.id })
    await send('DELETE', `/faults/${fault.id}`)
    await send('DELETE', `/stubs/${id}`)
    expect((await (await get('/prices/etn')).json()).data.usd).not.toBe('7')
    expect((await send('DELETE', `/stubs/${id}`)).body.error.message).toContain('There is no stub 1.')
    const wrong = { operation: 'etn.price', data: { usd: 7 } }
    expect((await send('POST', '/stubs', wrong)).body.error.message).toEqual(
      expect.stringMatching(
        /^POST \/_fake\/stubs: The stub of etn.price does not match the contract: data.usd is a text/,
      ),
    )
    expect((await send('POST', '/stubs', { ...wrong, validate: false })).status).toBe(200)
    expect((await (await get('/prices/etn')).json()).data).toEqual({ usd: 7 })
  })

  it('keep and restore the state, and reset with keep', async () => {
    const { fake, get, send } = await remote()
    await get('/prices/etn')
    const { id, at } = (await send('POST', '/snapshot')).body
    expect(at).toBe(NOON)
    await get('/prices/etn')
    expect((await send('POST', '/restore', { id })).body).toEqual({ at })
    fake.expectRequests(1)
    expect((await send('POST', '/restore', { id: 99 })).body.error.message).toContain('There is no snapshot 99.')
    await send('POST', '/clock', { now: NOON + 5_000 })
    await send('POST', '/reset', { keep: ['clock'] })
    expect(fake.now()).toBe(NOON + 5_000)
    expect((await send('POST', '/clock', { now: NOON })).status).toBe(400)
  })

  it('keeps the newest 20 snapshots, and drops one on demand', async () => {
    const { send } = await remote()
    for (let id = 1; id <= 21; id++) expect((await send('POST', '/snapshot')).body.id).toBe(id)
    expect((await send('POST', '/restore', { id: 1 })).body.error.message).toBe(
      'POST /_fake/restore: There is no snapshot 1. The newest 20 are kept.',
    )
    expect((await send('DELETE', '/snapshots/21')).body).toEqual({ removed: 21 })
    expect((await send('POST', '/restore', { id: 21 })).status).toBe(400)
    expect((await send('POST', '/restore', { id: 2 })).status).toBe(200)
  })

  it('expectations are a 200, or a 409 with the message', async () => {
    const { fake, get, send } = await remote()
    await get('/prices/etn')
    expect(await send('POST', '/expect/credits', { expected: { 'etn.price': 25 } })).toMatchObject({
      status: 200,
      body: { ok: true },
    })
    expect((await send('POST', '/expect/requests', { expected: 1, key: 'k' })).status).toBe(200)
    const unmet = await send('POST', '/expect/requests', { expected: 5 })
    expect(unmet.status).toBe(409)
    expect(unmet.body.error).toMatchObject({
      code: 'expectation_failed',
      message: expect.stringContaining('Expected 5 requests, not 1'),
    })
    fake.fault({ status: 500 })
    expect((await send('POST', '/expect/no-unused-faults')).status).toBe(409)
  })

  it('lists can be filtered and paged', async () => {
    const { get, send } = await remote()
    for (const path of ['/prices/etn', '/nft/stats', '/prices/etn']) await get(path)
    const ids = async (query: string) =>
      (await send('GET', `/journal${query}`)).body.map(({ id }: { id: number }) => id)
    expect(await ids('?limit=2')).toEqual([1, 2])
    expect(await ids('?limit=2&after=2')).toEqual([3])
    expect(await ids('?operation=etn.price')).toEqual([1, 3])
    expect([await ids('?last=2'), await ids('?last=2&limit=1')]).toEqual([[2, 3], [2]])
    expect((await send('GET', '/journal?last=0')).body.error.message).toContain(
      'last is a whole number of 1 or more, not 0',
    )
    expect((await send('GET', '/ledger?after=2')).body).toMatchObject([{ request: 3, credits: 25 }])
    expect((await send('GET', '/totals')).body).toMatchObject({ charged: 75, peakInFlight: 1 })
    expect((await send('GET', '/journal?operation=x')).status).toBe(400)
    expect((await send('GET', '/journal?order=up')).body.error.message).toContain(
      'GET /_fake/journal: The request knows no option "order". It takes: operation, key, limit',
    )
  })

  it('an error of an unknown path lists the routes, and repeats the start of a long one', async () => {
    const { send } = await remote()
    const unknown = await send('GET', '/nothing')
    expect([unknown.status, unknown.body.error.message]).toEqual([
      404,
      expect.stringContaining('GET ledger, GET journal'),
    ])
    const long = 'x'.repeat(9_000)
    for (const [method, path] of Object.entries({ POST: `/${long}`, DELETE: `/faults/${long}` })) {
      const { message } = (await send(method, path)).body.error
      expect(message, method).toContain('x… (9')
      expect(message.length, method).toBeLessThan(2_000)
    }
  })

  it('an error repeats the start of what was sent, and not all of it', async () => {
    const { get, send } = await remote()
    const long = 'x'.repeat(300_000)
    const bodies: [string, unknown][] = [
      ['/reset', { [long]: 1 }],
      ['/world/price', { token: long, usd: '1' }],
      ['/keys', { [long]: -1 }],
      ['/faults', { status: 500, headers: { [`no name ${long}`]: 'x' } }],
      ['/stubs', { operation: 'prices.batch', data: { [long]: 1 } }],
    ]
    for (const [path, body] of bodies) {
      const answer = await send('POST', path, body)
      expect(answer.status, path).toBe(400)
      expect(answer.body.error.message.length, path).toBeLessThan(11_000)
      expect(answer.body.error.message, path).toContain('x… (30000')
    }
    const path = 'y'.repeat(10_000)
    for (const answer of [await get(`/${path}`), await get(`/tokens/52014?limit=${path}`)])
      expect((await answer.text()).length).toBeLessThan(500)
  })

  it.each<[string, unknown, string]>([
    [
      '/script',
      { operation: 'etn.price', steps: ['ok', { status: 'x' }] },
      'steps[1].status is a whole number from 200 to 599, not "x".',
    ],
    ['/world/price', { token: BOLT }, 'usd is missing.'],
    ['/world/candles', { token: BOLT, bucket: '1h', rows: [{ time: 0 }] }, 'rows[0].open is missing.'],
    ['/keys', { mine: { credits: -1 } }, 'mine.credits is a whole number of 0 or more, not -1.'],
    [
      '/expect/credits',
      { expected: { 'etn.price': 'x' } },
      'expected.etn.price is a whole number of 0 or more, not "x".',
    ],
    ['/restore', { id: 'x' }, 'id is a whole number of 0 or more, not "x".'],
    ['/clock', { advance: 5 }, 'The request knows no option "advance". It takes: advanceMs, now.'],
    ['/clock', {}, 'Give either advanceMs or now.'],
    ['/keys', [1], 'The body is a JSON object.'],
    ['/snapshot', { name: 'x' }, 'The request knows no option "name". It takes: none.'],
    ['/script', { operation: 'etn.price', steps: ['ok'], times: 2 }, 'The request knows no option "times"'],
    ['/faults', { status: 500, when: 'always' }, 'The request knows no option "when"'],
  ])('an error of %s names the path of the field: %j', async (path, body, message) => {
    const { send } = await remote()
    const answer = await send('POST', path, body)
    expect(answer.status).toBe(400)
    expect(answer.body.error.message).toContain(`POST /_fake${path}: ${message}`)
  })
})

describe('the OpenAPI document of the control routes', () => {
  it('describes every route with its fields, and every answer matches it', async () => {
    const { get, send } = await remote()
    const { body } = await send('GET', '/openapi.json')
    const ajv = new Ajv({ strict: false, formats: { address: /^0x[0-9a-fA-F]{40}$/ } })
    ajv.addSchema({ $id: 'control', ...body })
    await get('/prices/etn')
    await get('/nowhere')
    const time = Math.floor(NOON / 3_600_000) * 3_600 - 3_600
    const requests: [method: string, path: string, body?: object][] = [
      ['POST', '/keys', { other: 5, more: { credits: 5, tier: 'gold' } }],
      ['POST', '/clock', { advanceMs: 1 }],
      ['POST', '/world/price', { token: BOLT, usd: 1 }],
      ['POST', '/world/trade', { token: BOLT, usd: '5' }],
      [
        'POST',
        '/world/candles',
        {
          token: BOLT,
          bucket: '1h',
          rows: [{ time, open: 1, high: 2, low: 1, close: 2, volume: 5, count: 1 }],
        },
      ],
      ['POST', '/world/unprice', { token: BOLT }],
      ['POST', '/world/release', { token: BOLT }],
      ['POST', '/faults', { operation: ['etn.price'], nth: [1, 2], status: 429, retryAfter: { inMs: 5 } }],
      ['POST', '/faults', { times: 'Infinity', creditHeaders: { cost: 5 }, date: 'x', headers: { a: ['b'] } }],
      ['POST', '/script', { operation: 'etn.price', steps: ['ok', { reset: 'after' }] }],
      ['POST', '/stubs', { operation: 'etn.price', data: { usd: '7' } }],
      ['POST', '/heavy-slots'],
      ['POST', '/snapshot'],
      ['POST', '/restore', { id: 1 }],
      ['POST', '/expect/credits', { expected: 25 }],
      ['POST', '/expect/requests', { expected: { 'etn.price': 1, unknown: 1 } }],
      ['POST', '/expect/no-unused-faults', {}],
      ...['health', 'ledger', 'journal?last=5', 'totals', 'faults?limit=1', 'keys', 'clock', 'world'].map(
        (path): [string, string] => ['GET', `/${path}`],
      ),
      ...['faults', 'stubs', 'heavy-slots', 'snapshots'].map((path): [string, string] => ['DELETE', `/${path}/1`]),
      ['POST', '/reset', { keep: ['keys'] }],
    ]
    const described = new Set<string>()
    const pointer = (text: string) =>
      text.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('{', '%7B').replaceAll('}', '%7D')
    for (const [method, path, given] of requests) {
      const route = `/_fake${path.replace(/\?.*/, '').replace(/\/1$/, '/{id}')}`
      const name = method.toLowerCase()
      described.add(`${name} ${route}`)
      const at = `control#/paths/${pointer(route)}/${name}`
      if (given !== undefined)
        expect(
          ajv.validate({ $ref: `${at}/requestBody/content/${pointer('application/json')}/schema` }, given),
          path,
        ).toBe(true)
      const { status, body: answer } = await send(method, path, given)
      expect([200, 409], `${path} ${JSON.stringify(answer)}`).toContain(status)
      const schema = { $ref: `${at}/responses/${status}/content/${pointer('application/json')}/schema` }
      expect(ajv.validate(schema, answer), `${path} ${ajv.errorsText()}`).toBe(true)
    }
    const all = Object.entries<object>(body.paths).flatMap(([path, one]) =>
      Object.keys(one).map((name) => `${name} ${path}`),
    )
    expect([...described].sort()).toEqual(all.sort())
  })

  it('passes a linter', { timeout: 60_000 }, async () => {
    const { send } = await remote()
    const folder = mkdtempSync(join(tmpdir(), 'etn-market-control-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const file = join(folder, 'openapi.json')
    writeFileSync(file, JSON.stringify((await send('GET', '/openapi.json')).body))
    const cli = fileURLToPath(new URL('../../node_modules/@redocly/cli/bin/cli.js', import.meta.url))
    const env = { ...process.env, CI: '1', REDOCLY_TELEMETRY: 'off' }
    const { stdout } = await run(process.execPath, [cli, 'lint', '--format', 'json', file], { env, limitMs: 30_000 })
    expect(JSON.parse(stdout)).toMatchObject({ totals: { errors: 0, warnings: 0 } })
  })
})

describe('who may control the fake', () => {
  it.each<[string, Record<string, string>, number]>([
    ['a program on this machine', {}, 200],
    ['a page of another origin', { origin: 'https://evil.example' }, 403],
    ['a sandboxed page', { origin: 'null' }, 403],
    ['a cross-site request', { 'sec-fetch-site': 'cross-site' }, 403],
    ['a foreign Host', { host: 'evil.example' }, 403],
    ['a foreign Host that starts like this machine', { host: '127.0.0.1.evil.example' }, 403],
    ['localhost', { host: 'localhost:1' }, 200],
  ])('%s', async (_, headers, status) => {
    const { send } = await remote()
    expect((await send('GET', '/ledger', undefined, headers)).status).toBe(status)
  })

  it.each(['', '/page.js', '/health'])('a foreign Host gets no answer of GET /_fake%s', async (path) => {
    const { send } = await remote()
    const { status, body } = await send('GET', path, undefined, { host: 'evil.example' })
    expect([status, body.error.message]).toEqual([403, expect.stringContaining('The Host "evil.example" is not this')])
    expect((await send('GET', path)).status).toBe(200)
  })

  it('its own page may', async () => {
    const { send, port } = await remote()
    const own = { host: `127.0.0.1:${port}`, origin: `http://127.0.0.1:${port}`, 'sec-fetch-site': 'same-origin' }
    expect((await send('POST', '/reset', {}, own)).status).toBe(200)
    expect((await send('GET', '')).body).toContain('<title>Fake service</title>')
    expect((await send('GET', '')).headers['content-security-policy']).toContain("default-src 'none'")
    expect((await send('GET', '/page.js')).headers['content-type']).toContain('text/javascript')
  })

  it('with a controlToken, those who send it, from any Host, and nobody else', async () => {
    const { send } = await remote({ controlToken: 'secret' })
    const token = { 'x-fake-control-token': 'secret' }
    expect((await send('GET', '/ledger')).status).toBe(403)
    expect((await send('GET', '/ledger', undefined, { 'x-fake-control-token': 'wrong' })).status).toBe(403)
    expect((await send('GET', '/ledger', undefined, token)).status).toBe(200)
    expect((await send('GET', '/ledger', undefined, { ...token, host: 'fake.test' })).status).toBe(200)
    expect((await send('GET', '/ledger', undefined, { ...token, origin: 'https://evil.example' })).status).toBe(403)
    expect((await send('GET', '/health')).status).toBe(200)
    await expect(remote({ controlToken: '' })).rejects.toThrow(
      'controlToken is a text that is not empty, of ASCII characters',
    )
  })

  it('no other machine, without a token', async () => {
    const outside = Object.values(networkInterfaces())
      .flat()
      .find((one) => one && !one.internal && one.family === 'IPv4')
    const fake = makeFake()
    const { port } = await fake.listen({ hostname: '0.0.0.0' })
    expect((await fetch(`http://127.0.0.1:${port}/_fake/ledger`)).status).toBe(200)
    if (!outside) return
    expect((await fetch(`http://${outside.address}:${port}/public-api/v1/openapi.json`)).status).toBe(200)
    expect((await fetch(`http://${outside.address}:${port}/_fake/ledger`)).status).toBe(403)
  })
})
