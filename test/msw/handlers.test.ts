import nodeHttp from 'node:http'
import { createClient } from 'etn-market'
import { createNodeTransport } from 'etn-market/node'
import { HttpResponse, http, passthrough } from 'msw'
import { setupServer } from 'msw/node'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { nextTurn } from '../../src/concurrency/event-loop.ts'
import { createFakeService, fakeTokens } from '../../src/fake/index.ts'
import { mswHandlers } from '../../src/msw/index.ts'
import { collectGarbage } from '../support/garbage.ts'

// As a user's suite would have it.
const fake = createFakeService({ keys: { esk_test_mine: 10_000 } })
const server = setupServer(...mswHandlers(fake))

beforeAll(() => server.listen({ onUnhandledRequest: 'error' }))
afterEach(() => {
  server.resetHandlers()
  fake.reset()
})
afterAll(async () => {
  server.close()
  await fake.close()
})

const API = 'https://electroswap.io/public-api/v1'
const headers = { authorization: 'Bearer esk_test_mine' }

describe('mswHandlers', () => {
  it('answers requests to the public service', async () => {
    const response = await fetch(`${API}/prices/52014/${fakeTokens.BOLT}`, { headers })
    expect(response.status).toBe(200)
    expect(response.headers.get('x-credits-cost')).toBe('50')
    expect((await response.json()).data.address).toBe(fakeTokens.BOLT)
    expect(fake.remaining()).toBe(9_950)
    fake.expectCredits({ 'token.price': 50 })
  })

  it('answers every method and every path below the base URL', async () => {
    expect((await fetch(`${API}/prices/etn`, { method: 'POST', headers })).status).toBe(405)
    expect((await fetch(`${API}/price/etn`, { headers })).status).toBe(404)
    expect(fake.journal().map(({ operation }) => operation)).toEqual(['etn.price', null])
  })

  it('leaves everything else to other handlers', async () => {
    server.use(http.get('https://elsewhere.example/x', () => HttpResponse.json({ here: true })))
    expect(await (await fetch('https://elsewhere.example/x')).json()).toEqual({ here: true })
    const complaint = vi.spyOn(console, 'error').mockImplementation(() => {})
    await expect(fetch('https://electroswap.io/other')).rejects.toThrow()
    expect(complaint).toHaveBeenCalledOnce()
    complaint.mockRestore()
    fake.expectRequests(0)
  })

  it('gives precedence to a handler of the suite', async () => {
    server.use(http.get(`${API}/prices/etn`, () => HttpResponse.json({ data: { usd: '1' }, cursor: null })))
    expect((await (await fetch(`${API}/prices/etn`, { headers })).json()).data.usd).toBe('1')
    expect((await fetch(`${API}/nft/stats`, { headers })).status).toBe(200)
    fake.expectRequests({ 'nft.stats': 1 })
  })

  it.each([
    'http://localhost:4000/api',
    'http://localhost:4000/api/',
    'https://staging.example/public-api/v1',
    'http://localhost:4001',
  ])('answers under another base URL: %s', async (baseUrl) => {
    server.use(...mswHandlers(fake, { baseUrl }))
    const response = await fetch(`${baseUrl.replace(/\/$/, '')}/tokens/52014?limit=2`, { headers })
    expect((await response.json()).data).toHaveLength(2)
    expect(fake.journal()).toMatchObject([{ operation: 'token.list', path: '/tokens/52014', query: { limit: '2' } }])
  })

  it('breaks a stalled body when the caller gives up, though garbage was collected meanwhile', async () => {
    fake.fault({ stall: 5 })
    const leaving = new AbortController()
    const stalled = await fetch(`${API}/prices/etn`, { headers, signal: leaving.signal })
    const text = stalled.text()
    await nextTurn()
    collectGarbage()
    leaving.abort(new Error('enough'))
    await expect(text).rejects.toThrow('enough')
    expect(fake.journal().every(({ finished }) => finished)).toBe(true)
  })

  it('uses the base URL of the fake', async () => {
    const own = createFakeService({ baseUrl: 'https://own.example/market' })
    server.use(...mswHandlers(own))
    expect((await fetch('https://own.example/market/openapi.json')).status).toBe(200)
    await own.close()
  })

  it('answers requests without fetch', async () => {
    const status = await new Promise((resolve, reject) => {
      server.use(...mswHandlers(fake, { baseUrl: 'http://plain.example/v1' }))
      const asked = nodeHttp.get('http://plain.example/v1/prices/etn', { headers }, (response) => {
        response.resume()
        response.once('end', () => resolve([response.statusCode, response.headers['x-credits-cost']]))
      })
      asked.once('error', reject)
    })
    expect(status).toEqual([200, '25'])
  })

  // A socket of msw says that it connects until the request has been written.
  it('answers the Node transport, and lets its other requests through', async () => {
    const elsewhere = createFakeService({ keys: { esk_test_mine: 10_000 } })
    const { url } = await elsewhere.listen()
    server.use(http.get(`${url}/*`, () => passthrough()))
    const transport = createNodeTransport()
    const client = createClient({ apiKey: 'esk_test_mine', transport, timeoutMs: 5_000, retry: false })
    const other = createClient({ apiKey: 'esk_test_mine', transport, timeoutMs: 5_000, retry: false, baseUrl: url })
    await client.etn.price()
    await client.etn.price()
    await other.etn.price()
    await other.etn.price()
    fake.expectCredits(50)
    elsewhere.expectCredits(50)
    await Promise.all([client.close(), other.close(), transport.close(), elsewhere.close()])
  })
})
