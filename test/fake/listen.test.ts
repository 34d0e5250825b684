import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { describe, expect, it } from 'vitest'
import { makeFake, NOON, serve } from './setup.ts'

describe('fake.listen', () => {
  it('listens on loopback and a free port by default, and returns the URL', async () => {
    const fake = makeFake()
    const server = await fake.listen()
    expect(server.url).toBe(`http://127.0.0.1:${server.port}/public-api/v1`)
    const other = await fake.listen()
    expect(other.port).not.toBe(server.port)
    expect((await fetch(`${other.url}/openapi.json`)).status).toBe(200)
  })

  it('rejects a hostname that is no text and a token that no header can carry, before it listens', async () => {
    const fake = makeFake()
    await expect(fake.listen({ hostname: 5 as unknown as string })).rejects.toThrow('hostname is a text, not 5.')
    await expect(fake.listen({ controlToken: 'a\nb' })).rejects.toThrow('that a header can carry')
  })

  it('listens on a given port, and rejects if it cannot', async () => {
    const fake = makeFake()
    const { port } = await fake.listen()
    await expect(fake.listen({ port })).rejects.toThrow('EADDRINUSE')
    await expect(fake.listen({ port: 70_000 })).rejects.toThrow('port is a number from 0 to 65535')
    await expect(fake.listen({ host: 'x' } as object)).rejects.toThrow(
      'listen knows no option "host". It takes: port, hostname, controlToken.',
    )
  })

  it('closes at once, with connections open and requests in flight', async () => {
    const fake = makeFake()
    const server = await fake.listen()
    fake.fault({ never: true })
    const idle = connect(server.port, '127.0.0.1')
    await new Promise((resolve) => idle.once('connect', resolve))
    const hanging = fetch(`${server.url}/openapi.json`)
    hanging.catch(() => {})
    await expect.poll(() => fake.journal().length).toBe(1)
    // The request above is never answered, and the connection is never ended by its other side.
    await server.close()
    await expect(hanging).rejects.toThrow('fetch failed')
    await expect(fetch(`${server.url}/openapi.json`)).rejects.toThrow('fetch failed')
    // The fake itself goes on.
    expect((await fake.fetch(`${fake.baseUrl}/openapi.json`)).status).toBe(200)
  })

  it('sends its own Date, once', async () => {
    const { url } = await serve()
    const response = await fetch(`${url}/openapi.json`)
    expect(response.headers.get('date')).toBe(new Date(NOON).toUTCString())
  })

  it('notices a caller that gives up', async () => {
    const { fake, url, key } = await serve({ latencyMs: 1_000_000 })
    const controller = new AbortController()
    const asked = fetch(`${url}/prices/etn`, { headers: { authorization: `Bearer ${key}` }, signal: controller.signal })
    await expect.poll(() => fake.journal().length).toBe(1)
    controller.abort()
    await expect(asked).rejects.toThrow()
    await expect.poll(() => fake.journal()[0]?.finished).toBe(true)
    expect(fake.ledger()).toMatchObject([{ credits: 25, delivered: false }])
  })

  it('answers many requests at once', async () => {
    const { fake, get } = await serve()
    const answers = await Promise.all(Array.from({ length: 200 }, () => get('/prices/etn')))
    expect(answers.every(({ status }) => status === 200)).toBe(true)
    fake.expectCredits(200 * 25)
  })
})

describe('the control interface under /_fake', () => {
  async function remote() {
    const { fake, url, get } = await serve({ keys: { k: 1_000 } })
    const { origin } = new URL(url)
    const call = async (method: string, path: string, body?: unknown) => {
      const response = await fetch(`${origin}/_fake/${path}`, {
        method,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      return { status: response.status, body: await response.json() }
    }
    return { fake, get, call }
  }

  it('adds, lists and removes faults', async () => {
    const { get, call } = await remote()
    const added = await call('POST', 'faults', {
      operation: 'etn.price',
      status: 503,
      retryAfter: '2',
      times: 'Infinity',
    })
    expect(added).toEqual({ status: 200, body: { id: 1, label: 'status 503, retryAfter "2" on etn.price', hits: 0 } })
    expect((await get('/prices/etn')).status).toBe(503)
    expect((await call('GET', 'faults')).body).toEqual([{ ...added.body, hits: 1 }])
    expect((await call('DELETE', 'faults/1')).status).toBe(200)
    expect((await get('/prices/etn')).status).toBe(200)
    expect((await call('DELETE', 'faults/1')).body.error.message).toBe('DELETE /_fake/faults/1: There is no fault 1.')
  })

  it('returns, adds and fills keys', async () => {
    const { fake, call } = await remote()
    expect((await call('GET', 'keys')).body).toEqual({ k: { credits: 1_000, tier: 'standard' } })
    await call('POST', 'keys', { k: 5, other: { credits: 7, tier: 'gold' } })
    expect(fake.keys()).toEqual({ k: { credits: 5, tier: 'standard' }, other: { credits: 7, tier: 'gold' } })
  })

  it('holds heavy slots', async () => {
    const { get, call } = await remote()
    await call('POST', 'keys', { k: 99_999 })
    expect((await call('POST', 'heavy-slots', {})).body).toEqual({ id: 1 })
    expect((await call('POST', 'heavy-slots', {})).body).toEqual({ id: 2 })
    expect((await call('POST', 'heavy-slots', {})).status).toBe(400)
    expect((await get('/farms/52014')).status).toBe(503)
    expect((await call('DELETE', 'heavy-slots/1')).status).toBe(200)
    expect((await get('/farms/52014')).status).toBe(200)
  })

  it('leaves no journal entry, and exists only at the root', async () => {
    const { fake, get, call } = await remote()
    await call('GET', 'ledger')
    fake.expectRequests(0)
    expect((await get('/_fake/ledger')).status).toBe(404)
    expect((await fake.fetch('http://x.example/_fake/ledger')).status).toBe(404)
  })

  it('rejects mistakes and lists what is allowed', async () => {
    const { call } = await remote()
    const wrong = await call('POST', 'faults', { operation: 'token.prices', status: 500 })
    expect(wrong.status).toBe(400)
    expect(wrong.body.error.message).toContain('operation is one of etn.price')
    expect((await call('POST', 'clock', { advanceMs: '5' })).body.error.message).toContain(
      'advanceMs is a number of 0 or more',
    )
    expect((await call('POST', 'clock', { advance: 5 })).body.error.message).toContain('It takes: advanceMs')
    expect((await call('POST', 'keys', [1])).body.error.message).toBe('POST /_fake/keys: The body is a JSON object.')
    const unknown = await call('GET', 'nothing')
    expect(unknown.status).toBe(404)
    expect(unknown.body.error.message).toContain('GET ledger, GET journal')
  })

  it('rejects other machines', async () => {
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
