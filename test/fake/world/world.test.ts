import { describe, expect, it } from 'vitest'
import { checksumAddress } from '../../../src/address.ts'
import { createFakeService, fakeTokens, fakeWallets } from '../../../src/fake/index.ts'
import { hash, hashText } from '../../../src/fake/world/random.ts'
import { examplePaths, makeFake, NOON } from '../help.ts'

async function everything(seed: number | string): Promise<Record<string, unknown>> {
  const fake = makeFake({ seed })
  const paths = await examplePaths(fake)
  const found: Record<string, unknown> = {}
  for (const [operation, path] of Object.entries(paths)) {
    if (operation === 'account.me') continue
    const response = await fake.fetch(fake.baseUrl + path, { headers: { authorization: `Bearer ${fake.key}` } })
    found[operation] = (await response.json()).data
  }
  return found
}

describe('the world', () => {
  it('is the same for the same seed, whatever was asked before', async () => {
    const first = await everything('a')
    const fake = makeFake({ seed: 'a' })
    const paths = await examplePaths(fake)
    for (const [operation, path] of Object.entries(paths).reverse()) {
      if (operation === 'account.me') continue
      const response = await fake.fetch(fake.baseUrl + path, { headers: { authorization: `Bearer ${fake.key}` } })
      expect((await response.json()).data, operation).toEqual(first[operation])
    }
  })

  it('is another for another seed', async () => {
    const [a, b] = [await everything('a'), await everything('b')]
    for (const operation of Object.keys(a)) {
      if (operation !== 'meta.openapi') expect(a[operation], operation).not.toEqual(b[operation])
    }
  })

  it('takes a number and its text for the same seed', async () => {
    expect(await everything(7)).toEqual(await everything('7'))
  })

  it('is the same on every runtime: nothing but exact arithmetic', async () => {
    // Figures that another runtime has to come to as well.
    expect([hash(1), hash(1, 2, 3, 4), hash(-5, 0, 2 ** 33), hashText('etn-market')]).toMatchInlineSnapshot(`
      [
        191656671,
        1512789636,
        220422339,
        2890101097,
      ]
    `)
    const { 'etn.price': etn, 'token.price': price, 'trade.list': trades } = await everything('etn-market')
    expect([etn, price, (trades as unknown[])[0]]).toMatchInlineSnapshot(`
      [
        {
          "usd": "0.002659336490517222977360941",
        },
        {
          "address": "0x043fAa1b5C5FC9a7dc35171f290c29ECDE0cCff1",
          "etn": "14.10486993922676471786175",
          "usd": "0.03750959532338518062411003",
        },
        {
          "amount0": "28477.720481",
          "amount1": "237021.3151360775470327681",
          "hash": "0x6340b27c5cb39c89dea1ef7f2872fe00f5b04d1961d23d9d823353ef4b8a8e14",
          "pool": "0x7a2FfEFfE226D6103dbb997716fE3103670934FC",
          "sender": "0x31301EFb0b5DCD0819F753A06ae8160ED1088881",
          "timestamp": 1795178087,
          "token0": "0x138DAFbDA0CCB3d8E39C19edb0510Fc31b7C1c77",
          "token1": "0x860bd0cFc9a478532cfd02Aa0d0F15079433b596",
          "usd": "75.73184124187298306563548",
        },
      ]
    `)
  })

  it('has at least 120 tokens, the real ones first, some of them without a price', async () => {
    const { 'token.list': _, ...rest } = await everything(1)
    expect(Object.keys(rest).length).toBe(18)
    const fake = makeFake()
    const get = async (path: string) =>
      (await (await fake.fetch(fake.baseUrl + path, { headers: { authorization: `Bearer ${fake.key}` } })).json()).data
    const tokens: { address: string; symbol: string }[] = await get('/tokens/52014?limit=100')
    expect(tokens.slice(0, 10).map(({ symbol, address }) => [symbol, address])).toEqual(Object.entries(fakeTokens))
    expect(new Set(tokens.map(({ address }) => address)).size).toBe(100)
    expect(new Set(tokens.map(({ symbol }) => symbol)).size).toBe(100)
    for (const { address } of tokens) expect(address).toBe(checksumAddress(address))
    const held = Object.keys((await get(`/balances/52014/${fakeWallets.whale}?limit=200`)).balances)
    expect(held).toHaveLength(200)
    const priced = await Promise.all(
      [0, 1, 2, 3].map((page) => get(`/prices/52014?addresses=${held.slice(page * 50, page * 50 + 50)}`)),
    )
    const count = priced.reduce((sum, page) => sum + Object.keys(page).length, 0)
    expect(count).toBeGreaterThan(150)
    expect(count).toBeLessThan(200)
  })

  it('a token without a price has no candles and an empty history, and is still there', async () => {
    const fake = makeFake()
    const get = async (path: string) =>
      (await (await fake.fetch(fake.baseUrl + path, { headers: { authorization: `Bearer ${fake.key}` } })).json()).data
    const tokens: { address: string }[] = await get('/tokens/52014?limit=100')
    const prices = await Promise.all(tokens.map(({ address }) => get(`/prices/52014/${address}`)))
    const { address } = prices.find(({ usd }) => usd === undefined)
    expect(prices.find((price) => price.address === address)).toEqual({ address })
    expect(await get(`/tokens/52014/${address}`)).toMatchObject({ address })
    expect(await get(`/tokens/52014/${address}/candles`)).toEqual([])
    expect(await get(`/tokens/52014/${address}/history`)).toEqual({ prices: [], volume: 0, high: null, low: null })
    expect(await get(`/trades/52014?token=${address}`)).toEqual([])
  })

  it('prices are decimal strings of high precision', async () => {
    const { 'token.price': price } = (await everything(3)) as { 'token.price': { usd: string; etn: string } }
    for (const value of [price.usd, price.etn]) {
      expect(value).toMatch(/^\d+\.\d+$/)
      expect(value.replace('.', '').replace(/^0+/, '').length).toBeGreaterThan(20)
    }
  })

  it('lives in time: presales open, launch and fail', async () => {
    let now = NOON
    const fake = makeFake({ clock: { now: () => now } })
    const get = async (path: string) =>
      (await (await fake.fetch(fake.baseUrl + path, { headers: { authorization: `Bearer ${fake.key}` } })).json()).data
    const life = async (pool: string) => {
      const seen = []
      for (let day = 0; day < 20; day++) {
        now = NOON + day * 86_400_000
        const { status } = await get(`/presales/52014/${pool}`)
        if (seen.at(-1) !== status) seen.push(status)
      }
      return seen.join(' ')
    }
    const pools = (await get('/presales/52014')).filter(({ status }: { status: string }) => status === 'PENDING')
    const lives = await Promise.all([life(pools[0].pool)])
    for (const one of lives) expect(one).toMatch(/^PENDING ACTIVE (LAUNCHED|FAILED|CANCELLED)$/)
  })

  it('lives in time: locks run out', async () => {
    let now = NOON
    const fake = makeFake({ clock: { now: () => now } })
    const locks = async () => {
      const response = await fake.fetch(`${fake.baseUrl}/tokens/52014/${fakeTokens.BOLT}/liquidity-locks`, {
        headers: { authorization: `Bearer ${fake.key}` },
      })
      return (await response.json()).data as { lockId: number; created: number; duration: number; active: boolean }[]
    }
    const lock = (await locks()).find(({ active }) => active)
    if (!lock) throw new Error('no active lock')
    now = (lock.created + lock.duration) * 1000 - 1000
    expect((await locks()).find(({ lockId }) => lockId === lock.lockId)?.active).toBe(true)
    now += 1000
    expect((await locks()).find(({ lockId }) => lockId === lock.lockId)?.active).toBe(false)
  })

  it('NFT traits come in shares that fit the collection', async () => {
    const { 'nft.assets': assets } = (await everything(2)) as {
      'nft.assets': { traits: { name: string; rarity: number }[] }[]
    }
    for (const { traits } of assets) {
      expect(traits.map(({ name }) => name)).toEqual(['Background', 'Eyes', 'Hat', 'Charge'])
      for (const { rarity } of traits) expect(rarity > 0 && rarity < 1).toBe(true)
    }
  })

  it('does not cost anything until it is asked', () => {
    const started = performance.now()
    for (let i = 0; i < 1_000; i++) createFakeService({ seed: i })
    expect(performance.now() - started).toBeLessThan(1_500)
  })
})
