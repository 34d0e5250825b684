import { describe, expect, it } from 'vitest'
import { fakeTokens, fakeWallets } from '../../../src/fake/index.ts'
import { checksumAddress } from '../../../src/utils/address.ts'
import { ask, examplePaths, NOON } from '../setup.ts'

/** The data of every operation, asked for in their order or the other way round. */
async function everything(seed: number | string, { reverse = false } = {}): Promise<Record<string, unknown>> {
  const { fake, get } = ask({ seed })
  const { 'account.me': _, ...paths } = await examplePaths(fake)
  const found: Record<string, unknown> = {}
  const all = Object.entries(paths)
  for (const [operation, path] of reverse ? all.reverse() : all) found[operation] = await get(path)
  return found
}

describe('the data', () => {
  it('is the same for the same seed in any order of requests', async () => {
    expect(await everything('a', { reverse: true })).toEqual(await everything('a'))
  })

  it('differs with the seed', async () => {
    const [a, b] = [await everything('a'), await everything('b')]
    for (const operation of Object.keys(a)) {
      if (operation !== 'meta.openapi') expect(a[operation], operation).not.toEqual(b[operation])
    }
  })

  it('treats a number and its text as the same seed', async () => {
    expect(await everything(7)).toEqual(await everything('7'))
  })

  it('has as many tokens as token.list can show, the real ones among them, some without a price', async () => {
    const { get } = ask()
    const tokens: { address: string; symbol: string }[] = await get('/tokens/52014?limit=100')
    const symbols = new Map(tokens.map(({ symbol, address }) => [symbol, address]))
    for (const [symbol, address] of Object.entries(fakeTokens)) expect(symbols.get(symbol)).toBe(address)
    expect(new Set(tokens.map(({ address }) => address)).size).toBe(100)
    expect(symbols.size).toBe(100)
    for (const { address } of tokens) expect(address).toBe(checksumAddress(address))
    const held = Object.keys((await get(`/balances/52014/${fakeWallets.whale}?limit=200`)).balances)
    expect(new Set(held)).toEqual(new Set(tokens.map(({ address }) => address)))
    const priced = await Promise.all(
      [0, 1].map((page) => get(`/prices/52014?addresses=${held.slice(page * 50, page * 50 + 50)}`)),
    )
    const count = priced.reduce((sum, page) => sum + Object.keys(page).length, 0)
    expect(count).toBeGreaterThan(80)
    expect(count).toBeLessThan(100)
  })

  it('a token without a price has no candles and an empty history, and is still there', async () => {
    const { get } = ask()
    const tokens: { address: string }[] = await get('/tokens/52014?limit=100')
    const prices = await Promise.all(tokens.map(({ address }) => get(`/prices/52014/${address}`)))
    const { address } = prices.find(({ usd }) => usd === undefined)
    expect(prices.find((price) => price.address === address)).toEqual({ address })
    expect(await get(`/tokens/52014/${address}`)).toMatchObject({ address })
    expect(await get(`/tokens/52014/${address}/candles`)).toEqual([])
    expect(await get(`/tokens/52014/${address}/history`)).toEqual({ prices: [], volume: 0, high: null, low: null })
    expect(await get(`/trades/52014?token=${address}`)).toEqual([])
  })

  it('keeps what it lists: every token and presale of today answers later, with the same names', async () => {
    let now = NOON
    const { get, request } = ask({ clock: { now: () => now } })
    const tokens: { address: string }[] = await get('/tokens/52014?limit=100')
    const presales: { pool: string }[] = await get('/presales/52014?limit=50')
    const first = tokens.slice(0, 50).map(({ address }) => address)
    const pricedToday = Object.keys(await get(`/prices/52014?addresses=${first}`))
    for (const days of [7, 120, 5_000]) {
      now = NOON + days * 86_400_000
      for (const { address, ...token } of tokens) expect(await get(`/tokens/52014/${address}`)).toMatchObject(token)
      for (const { pool } of presales) expect((await request(`/presales/52014/${pool}`)).status).toBe(200)
      expect(Object.keys(await get(`/prices/52014?addresses=${first}`))).toEqual(pricedToday)
    }
    const newest: { address: string }[] = await get('/tokens/52014?limit=100')
    now = NOON
    const unborn = await Promise.all(newest.map(({ address }) => request(`/tokens/52014/${address}`)))
    expect(unborn.filter(({ status }) => status === 404)).toHaveLength(40)
  })
})
