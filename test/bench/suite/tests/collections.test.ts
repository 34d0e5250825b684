import { describe, expect, test } from 'vitest'
import { service } from '../selected-service.ts'
import { BOLT, times } from '../service.ts'

describe('nft.collections', () => {
  test.each(times(50))('returns %i', async (limit) => {
    const client = service.connect()
    const collections = await client.nft.collections({ limit })
    expect(collections.map(({ name }) => name)).toContain('Electric Bees')
    expect(client.credits.charged).toBe(300 + 10 * limit)
  })
})

describe('balances.get', () => {
  test.each(times(50))('returns the first balance of a wallet, %i', async () => {
    const client = service.connect()
    const { balances } = await client.balances.get({ address: BOLT, limit: 1 })
    expect(Object.values(balances).map(({ balance }) => BigInt(balance) > 0n)).toEqual([true])
    expect(client.credits.charged).toBe(810)
  })
})
