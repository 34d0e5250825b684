import { describe, expect, test } from 'vitest'
import { service } from '../selected-service.ts'
import { BOLT, times } from '../service.ts'

describe('the average of candles', () => {
  test.each(times(40))('covers the last %i hours', async (limit) => {
    const client = service.connect()
    const candles = await client.token.candles({ address: BOLT, bucket: '1h', limit })
    const average = candles.reduce((sum, { close }) => sum + close, 0) / candles.length
    expect(average).toBeGreaterThan(0)
    expect(client.credits.charged).toBe(100 + limit)
  })
})

describe('pool.list', () => {
  test.each(times(35))('returns %i pools of version 2', async (limit) => {
    const client = service.connect()
    const pools = await client.pool.list({ version: 2, limit })
    expect(pools.every(({ version }) => version === 2)).toBe(true)
    expect(client.credits.charged).toBe(200 + 5 * limit)
  })
})

describe('trade.list', () => {
  test.each(times(25))('returns the newest %i', async (limit) => {
    const client = service.connect()
    const trades = await client.trade.list({ limit })
    expect(trades.reduce((sum, { usd }) => sum + Number(usd), 0)).toBeGreaterThan(0)
    expect(client.credits.charged).toBe(250 + 10 * limit)
  })
})
