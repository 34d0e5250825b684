import { describe, expect, it } from 'vitest'
import { BOLT, CORE, NOBODY, play, USDC, WETN } from '../setup.ts'

describe('§4: query parameters', () => {
  it.each(['1e2', '', ' 5', '+5', '0x5'])('limit: is a whole number from 1 to the maximum, not "%s"', async (limit) => {
    const { fake, get } = play()
    const { status, body } = await get(`/tokens/52014?limit=${encodeURIComponent(limit)}`)
    expect({ status, code: body.error.code }).toEqual({ status: 400, code: 'invalid_limit' })
    fake.expectCredits(0)
  })

  it.each(['052014', '52014.0'])('chainId: is 52014 to the letter, not %s', async (chainId) => {
    const { get } = play()
    expect((await get(`/tokens/${chainId}`)).body.error.code).toBe('invalid_request')
  })

  it.each(['candles', 'history'])('currency: %s in ETN differ from those in USD', async (route) => {
    const { get } = play()
    const path = `/tokens/52014/${BOLT}/${route}?currency=`
    expect((await get(`${path}ETN`)).body).not.toEqual((await get(`${path}USD`)).body)
  })

  it.each(['hour', 'Day'])('duration: %s is allowed, in any case of letters', async (duration) => {
    const { get } = play()
    const { status, body } = await get(`/tokens/52014/${BOLT}/history?duration=${duration}`)
    expect(status).toBe(200)
    expect(body).toEqual((await get(`/tokens/52014/${BOLT}/history?duration=${duration.toUpperCase()}`)).body)
  })

  it.each([
    ['bucket', '1h', 'candles'],
    ['duration', 'DAY', 'history'],
    ['currency', 'USD', 'candles'],
    ['currency', 'USD', 'history'],
  ])('%s: the default is %s in %s', async (name, value, route) => {
    const { get } = play()
    const path = `/tokens/52014/${BOLT}/${route}`
    expect((await get(path)).body).toEqual((await get(`${path}?${name}=${value}`)).body)
  })

  it('version: one version per call, 2 is the default', async () => {
    const { get } = play()
    const versions = async (query: string) => {
      const { body } = await get(`/pools/52014?limit=100${query}`)
      return [...new Set(body.data.map(({ version }: { version: number }) => version))]
    }
    expect(await versions('')).toEqual([2])
    expect(await versions('&version=2')).toEqual([2])
    expect(await versions('&version=3')).toEqual([3])
  })

  it('token: only trades in this token are returned', async () => {
    const { get } = play()
    const { body } = await get(`/trades/52014?token=${USDC}`)
    expect(body.data).toHaveLength(25)
    for (const { token0, token1 } of body.data) expect([token0, token1]).toContain(USDC)
  })

  it('token: an unknown one has no trades', async () => {
    const { get } = play()
    expect((await get(`/trades/52014?token=${NOBODY}`)).body).toEqual({ data: [], cursor: null })
  })

  it.each([
    ['is missing', ''],
    ['is empty', '?addresses='],
    ['holds something else', `?addresses=${BOLT},BOLT`],
    ['ends in a comma', `?addresses=${BOLT},`],
  ])('addresses: 400 invalid_request when it %s', async (_, query) => {
    const { fake, get } = play()
    const { status, body } = await get(`/prices/52014${query}`)
    expect({ status, code: body.error.code }).toEqual({ status: 400, code: 'invalid_request' })
    fake.expectCredits(0)
  })

  it('addresses: the answer is keyed by lower-cased address, a token without a price is absent', async () => {
    const { get } = play()
    const { body } = await get(`/prices/52014?addresses=${BOLT},${WETN.toUpperCase().replace('0X', '0x')},${NOBODY}`)
    expect(Object.keys(body.data)).toEqual([BOLT.toLowerCase(), WETN.toLowerCase()])
  })

  it('§4 paging and §9: no route accepts a cursor', async () => {
    const { fake, get } = play()
    const { cursor } = (await get('/trades/52014')).body
    fake.reset()
    const { status, body } = await get(`/trades/52014?cursor=${cursor}`)
    expect({ status, code: body.error.code }).toEqual({ status: 400, code: 'invalid_request' })
    fake.expectCredits(0)
  })

  it('a parameter given twice is 400 invalid_request', async () => {
    const { get } = play()
    expect((await get('/tokens/52014?limit=1&limit=2')).body.error.code).toBe('invalid_request')
  })

  it('an unknown parameter is ignored', async () => {
    const { get } = play()
    expect((await get(`/prices/52014/${CORE}?limit=0&bucket=nonsense&colour=blue`)).status).toBe(200)
  })
})
