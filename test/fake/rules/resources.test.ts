import { describe, expect, it } from 'vitest'
import { fakeOperations, fakeWallets } from '../../../src/fake/index.ts'
import { checksumAddress } from '../../../src/utils/address.ts'
import { BOLT, NOBODY, play } from '../setup.ts'

describe('§2: resources', () => {
  it('trade.list returns newest first', async () => {
    const { get } = play()
    for (const query of ['', `?token=${BOLT}`]) {
      const times = (await get(`/trades/52014${query}`)).body.data.map(
        ({ timestamp }: { timestamp: number }) => timestamp,
      )
      expect(times).toEqual([...times].sort((a, b) => b - a))
    }
  })

  it('nft.collections gives identity only; floor, owners and volume are in nft.collection', async () => {
    const { get } = play()
    const [first] = (await get('/nft/collections/52014')).body.data
    expect(Object.keys(first)).toEqual(['address', 'name', 'symbol', 'totalSupply'])
    const { stats, ...identity } = (await get(`/nft/collections/52014/${first.address}`)).body.data
    expect(identity).toEqual(first)
    expect(Object.keys(stats)).toEqual(['floorPrice', 'uniqueOwners', 'listingCount', 'volume'])
  })

  it('nft.stats agrees with nft.collection', async () => {
    const { get } = play()
    const { collections } = (await get('/nft/stats')).body.data
    const { address, floorPrice, uniqueOwners, listingCount } = collections[3]
    const { stats } = (await get(`/nft/collections/52014/${address}`)).body.data
    expect(stats).toMatchObject({ floorPrice, uniqueOwners, listingCount })
  })

  it('presales have a pool, a token and a status, and every status occurs', async () => {
    const { get } = play()
    const { data } = (await get('/presales/52014?limit=50')).body
    const statuses = new Set(data.map(({ status }: { status: string }) => status))
    expect([...statuses].sort()).toEqual(['ACTIVE', 'CANCELLED', 'FAILED', 'LAUNCHED', 'PENDING'])
    for (const one of data) expect((await get(`/presales/52014/${one.pool}`)).body.data).toEqual(one)
  })

  it('balances.get answers an empty document for an address that is not EIP-55, and charges the base', async () => {
    const { fake, get } = play()
    const { data } = (await get(`/balances/52014/${fakeWallets.whale}`)).body
    expect(Object.keys(data.balances).length).toBeGreaterThan(50)
    fake.reset()
    const empty = (await get(`/balances/52014/${fakeWallets.whale.toLowerCase()}`)).body.data
    expect(empty.balances).toEqual({})
    fake.expectCredits({ 'balances.get': 800 })
  })

  it('balances are hex amounts by EIP-55 token address', async () => {
    const { get } = play()
    const { data } = (await get(`/balances/52014/${BOLT}`)).body
    expect(data.address).toBe(BOLT)
    for (const [token, { balance }] of Object.entries<{ balance: string }>(data.balances)) {
      expect(token).toBe(checksumAddress(token))
      expect(balance).toMatch(/^0x[0-9a-f]+$/)
    }
  })

  it('a liquidity lock says when it unlocks, and some have run out', async () => {
    const { fake, get } = play()
    const { data } = (await get(`/tokens/52014/${BOLT}/liquidity-locks`)).body
    const now = fake.now() / 1000
    for (const { created, duration, active } of data) expect(active).toBe(created + duration > now)
    expect(new Set(data.map(({ active }: { active: boolean }) => active))).toEqual(new Set([true, false]))
  })

  it('farms are active and say what they pay', async () => {
    const { get } = play()
    const { data } = (await get('/farms/52014')).body
    expect(data.length).toBeGreaterThan(5)
    for (const farm of data) {
      expect(farm.active).toBe(true)
      expect(farm.baseRewardApy).toBeGreaterThanOrEqual(0)
    }
    // There is no filter by account.
    expect((await get(`/farms/52014?farmer=${NOBODY}`)).body.data).toEqual(data)
  })

  it('meta.openapi returns a description of the whole API', async () => {
    const { get } = play()
    const { data } = (await get('/openapi.json')).body
    expect(data.openapi).toMatch(/^3\./)
    expect(Object.keys(data.paths)).toHaveLength(fakeOperations.length)
  })
})
