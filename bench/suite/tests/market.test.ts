import { describe, expect, test } from 'vitest'
import { service } from '../chosen.ts'
import { BOLT } from '../service.ts'

const times = (count: number) => Array.from({ length: count }, (_, i) => i + 1)

describe('the average of the last candles', () => {
  test.each(times(40))('of %i hours', async (limit) => {
    const client = service.connect()
    const candles = await client.token.candles({ address: BOLT, bucket: '1h', limit })
    const average = candles.reduce((sum, { close }) => sum + close, 0) / candles.length
    expect(average).toBeGreaterThan(0)
    expect(client.credits.charged).toBe(100 + limit)
  })
})

describe('pools', () => {
  test.each(times(35))('%i of version 2', async (limit) => {
    const client = service.connect()
    const pools = await client.pool.list({ version: 2, limit })
    expect(pools.every(({ version }) => version === 2)).toBe(true)
    expect(client.credits.charged).toBe(200 + 5 * limit)
  })
})

describe('trades', () => {
  test.each(times(25))('the newest %i', async (limit) => {
    const client = service.connect()
    const trades = await client.trade.list({ limit })
    expect(trades.reduce((sum, { usd }) => sum + Number(usd), 0)).toBeGreaterThan(0)
    expect(client.credits.charged).toBe(250 + 10 * limit)
  })
})
