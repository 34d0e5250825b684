import { describe, expect, test } from 'vitest'
import { service } from '../selected-service.ts'
import { BOLT, times } from '../service.ts'

describe('token.list', () => {
  test.each(times(50))('returns %i tokens and charges for each', async (limit) => {
    const client = service.connect()
    const tokens = await client.token.list({ limit })
    expect(tokens).toHaveLength(limit)
    expect(tokens[0]?.decimals).toBe(18)
    expect(client.credits.charged).toBe(100 + 5 * limit)
  })
})

describe('token.get', () => {
  test.each(times(50))('returns name and supply, %i', async () => {
    const client = service.connect()
    const token = await client.token.get({ address: BOLT })
    expect(token).toMatchObject({ name: 'Bolt', symbol: 'BOLT', totalSupply: 100_000_000 })
    expect(client.credits.charged).toBe(100)
  })
})
