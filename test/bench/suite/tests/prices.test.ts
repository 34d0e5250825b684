import { describe, expect, test } from 'vitest'
import { service } from '../selected-service.ts'
import { BOLT, CORE, times } from '../service.ts'

describe('token.price', () => {
  test.each(times(40))('returns a decimal for 50 credits, %i', async () => {
    const client = service.connect()
    const { data, meta } = await client.token.price({ address: BOLT }).withMeta()
    expect(Number(data.usd)).toBeGreaterThan(0)
    expect(meta.credits.charged).toBe(50)
    expect(meta.credits.remaining).toBe(999_950)
  })
})

describe('the value of a portfolio', () => {
  test.each(times(40))('counts %i of each token', async (amount) => {
    const client = service.connect()
    const prices = await client.prices.batch({ addresses: [BOLT, CORE] })
    const value = amount * (Number(prices[BOLT]?.usd) + Number(prices[CORE]?.usd))
    expect(value).toBeGreaterThan(0)
    expect(client.credits.charged).toBe(120)
  })
})

describe('etn.price', () => {
  test.each(times(20))('costs 25 credits each time, %i', async () => {
    const client = service.connect()
    const { usd } = await client.etn.price()
    expect(Number(usd)).toBeGreaterThan(0)
    await client.etn.price()
    expect(client.credits.charged).toBe(50)
  })
})
