import { describe, expect, it } from 'vitest'
import { type FakeOperation, fakeOperations, fakeRoutes } from '../../../src/fake/index.ts'
import { BOLT, examplePaths, NOBODY, play } from '../setup.ts'

const withAddress = fakeOperations.filter((operation) => /\{(address|pool)\}/.test(fakeRoutes[operation].path))
const withResource = withAddress.filter((operation) => operation !== 'balances.get')

const path = (operation: FakeOperation, address: string) =>
  fakeRoutes[operation].path.replace('{chainId}', '52014').replace(/\{(address|pool)\}/, address)

describe('§5: keys', () => {
  it.each(fakeOperations.filter((operation) => operation !== 'meta.openapi'))('%s needs a key', async (operation) => {
    const { fake, get } = play()
    const example = (await examplePaths(fake))[operation]
    fake.reset()
    for (const headers of [{}, { authorization: 'Bearer esk_test_other' }, { authorization: fake.key }]) {
      const { status, body } = await get(example, { headers })
      expect({ status, code: body.error.code }).toEqual({ status: 401, code: 'unauthorized' })
    }
    fake.expectCredits(0)
  })

  it('meta.openapi needs no key', async () => {
    const { get } = play()
    expect((await get('/openapi.json', { headers: {} })).status).toBe(200)
    expect((await get('/openapi.json', { headers: { authorization: 'Bearer nonsense' } })).status).toBe(200)
  })

  it('credits and the tier belong to the key, and account.me reports them', async () => {
    const { fake, get } = play({ keys: { poor: 60, rich: { credits: 5_000, tier: 'gold' } } })
    const me = async (key: string) => (await get('/me', { headers: { authorization: `Bearer ${key}` } })).body.data
    await get(`/prices/52014/${BOLT}`, { headers: { authorization: 'Bearer poor' } })
    expect(await me('poor')).toEqual({ credits: 10, tier: 'standard' })
    expect(await me('rich')).toEqual({ credits: 5_000, tier: 'gold' })
    expect([fake.remaining('poor'), fake.remaining('rich')]).toEqual([10, 5_000])
  })
})

describe('§7: errors', () => {
  it.each(withAddress)('%s: an address that does not match the pattern is 400 invalid_request', async (operation) => {
    const { fake, get } = play()
    for (const address of ['0x12', BOLT.slice(2), `${BOLT}0`, '0xZZ3fAa1b5C5FC9a7dc35171f290c29ECDE0cCff1', 'BOLT']) {
      const { status, body } = await get(path(operation, address))
      expect({ status, code: body.error.code }).toEqual({ status: 400, code: 'invalid_request' })
    }
    fake.expectCredits(0)
  })

  it.each(withResource)('%s: what does not exist is 404 not_found', async (operation) => {
    const { fake, get } = play()
    const { status, body } = await get(path(operation, NOBODY))
    expect({ status, code: body.error.code }).toEqual({ status: 404, code: 'not_found' })
    fake.expectCredits(0)
  })

  it('too few credits is 402 insufficient_credits: nothing was executed, nothing was charged', async () => {
    const { fake, get } = play({ keys: { k: 599 } })
    const { status, body } = await get('/tokens/52014?limit=100')
    expect({ status, code: body.error.code }).toEqual({ status: 402, code: 'insufficient_credits' })
    expect(body.error.message).toContain('Nothing was executed and nothing was charged')
    expect(fake.remaining()).toBe(599)
    fake.setCredits('k', 600)
    expect((await get('/tokens/52014?limit=100')).status).toBe(200)
    expect(fake.remaining()).toBe(0)
  })

  it('an error carries neither credit header and has the envelope { error: { code, message } }', async () => {
    const { fake, get } = play({ keys: { k: 0 } })
    fake.fault({ operation: 'nft.stats', status: 500 })
    const paths = ['/tokens/52014/0x1', '/tokens/52014?limit=0', '/prices/etn', '/nowhere', '/nft/stats']
    for (const one of paths) {
      const { headers, body } = await get(one)
      expect(Object.keys(body)).toEqual(['error'])
      expect(Object.keys(body.error)).toEqual(['code', 'message'])
      expect([headers.get('x-credits-cost'), headers.get('x-credits-remaining')]).toEqual([null, null])
    }
    expect(fake.journal().map(({ status }) => status)).toEqual([400, 400, 402, 404, 500])
    fake.expectCredits(0)
  })
})

describe('the order of checks', () => {
  const bad = { address: '0x12', chain: '1', limit: 'limit=0' }

  it('the address pattern is checked before anything else', async () => {
    const { get } = play({ keys: {} })
    const { status, body } = await get(`/balances/${bad.chain}/${bad.address}?${bad.limit}`, { headers: {} })
    expect(status).toBe(400)
    expect(body.error.message).toContain('0x12')
  })

  it('then the chain, then the parameters', async () => {
    const { get } = play({ keys: {} })
    const chain = await get(`/balances/1/${NOBODY}?limit=0`, { headers: {} })
    expect(chain.body.error).toMatchObject({ code: 'invalid_request', message: expect.stringContaining('Chain') })
    const limit = await get(`/balances/52014/${NOBODY}?limit=0`, { headers: {} })
    expect(limit.body.error.code).toBe('invalid_limit')
  })

  it('then the key, then the credits, then existence', async () => {
    const { fake, get } = play({ keys: { k: 49 } })
    const path = `/prices/52014/${NOBODY}`
    expect((await get(path, { headers: {} })).status).toBe(401)
    expect((await get(path)).status).toBe(402)
    fake.setCredits('k', 50)
    expect((await get(path)).status).toBe(404)
  })

  it('then the heavy limit', async () => {
    const { fake, get } = play({ heavyConcurrency: 0, keys: { k: 1_999 } })
    const path = (address: string) => `/tokens/52014/${address}/liquidity-locks`
    expect((await get(path(BOLT))).status).toBe(402)
    fake.setCredits('k', 2_000)
    expect((await get(path(NOBODY))).status).toBe(404)
    expect((await get(path(BOLT))).status).toBe(503)
  })
})
