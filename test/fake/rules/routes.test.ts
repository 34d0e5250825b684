import { describe, expect, it } from 'vitest'
import { BOLT, serve } from '../setup.ts'

describe('§1 and §4: routes', () => {
  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])('every call is a GET: %s is 405', async (method) => {
    const { fake, url } = await serve()
    const response = await fetch(`${url}/prices/etn`, { method, headers: { authorization: `Bearer ${fake.key}` } })
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe('GET')
    expect(await response.json()).toMatchObject({ error: { code: 'method_not_allowed' } })
    fake.expectCredits(0)
  })

  it('every call is a GET: HEAD is 405, without a body', async () => {
    const { fake, get } = await serve()
    const { status, body } = await get('/prices/etn', { method: 'HEAD' })
    expect({ status, body }).toEqual({ status: 405, body: '' })
    fake.expectCredits(0)
  })

  it.each([
    ['/price/etn', '/prices/etn (etn.price)'],
    [`/token/52014/${BOLT}`, '/tokens/{chainId}/{address} (token.get)'],
    [`/tokens/52014/${BOLT}/candle`, '/tokens/{chainId}/{address}/candles (token.candles)'],
    ['/farm/52014', '/farms/{chainId} (farm.list)'],
    ['/account/me', '/me (account.me)'],
    [`/tokens/52014/${BOLT}/locks`, '/tokens/{chainId}/{address}/liquidity-locks (locks.get)'],
  ])('an unknown route fails loudly and names the nearest: %s', async (path, nearest) => {
    const { fake, get } = await serve()
    const { status, body } = await get(path)
    expect(status).toBe(404)
    expect(body.error.code).toBe('not_found')
    expect(body.error.message).toContain(nearest)
    expect(fake.journal().at(-1)).toMatchObject({ operation: null, path, status: 404 })
  })
})
