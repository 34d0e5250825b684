import { describe, expect, it } from 'vitest'
import { readOptions } from '../../src/fake/options.ts'
import { ask } from './setup.ts'

describe('the journal', () => {
  it('lists the newest requests and charges, and its sums stay right', async () => {
    const { fake, request: get } = ask({ journal: { max: 3 } })
    for (let i = 0; i < 10; i++) await get('/prices/etn')
    await get('/nft/stats')
    expect(fake.journal().map(({ id }) => id)).toEqual([9, 10, 11])
    expect(fake.ledger().map(({ request }) => request)).toEqual([9, 10, 11])
    fake.expectCredits({ 'etn.price': 250, 'nft.stats': 25 })
    fake.expectRequests(11)
    expect(fake.charged()).toBe(275)
    expect(() => fake.expectRequests(10)).toThrow('8 older requests are not listed: see journal.max.')
  })

  it('masks keys that are not its own, and lists headers on demand', async () => {
    const { fake, request: get } = ask({ journal: { headers: true } })
    await get('/prices/etn', 'esk_live_0123456789abcdef')
    await get('/prices/etn')
    const text = JSON.stringify(fake.journal())
    expect(text).not.toContain('0123456789')
    expect(fake.journal().map(({ key }) => key)).toEqual(['esk_***ef', fake.key])
    expect(fake.journal()[1]?.headers).toMatchObject({ authorization: `Bearer ${fake.key}` })
    expect(() => fake.expectRequests(0)).toThrow('key esk_***ef')
    const foreign = { key: 'esk_live_0123456789abcdef' }
    fake.expectRequests({ 'etn.price': 1 }, foreign)
    fake.expectCredits(0, foreign)
    expect(fake.journal(foreign).map(({ status }) => status)).toEqual([401])
    expect(() => fake.expectRequests(5, foreign)).toThrow('({"key":"esk_***ef"})')
    const plain = ask()
    await plain.request()
    expect(plain.fake.journal()[0]).not.toHaveProperty('headers')
  })

  it('masks a foreign key that stands in a URL', async () => {
    const { fake, request: get } = ask()
    await get('/prices/etn?key=esk_live_0123456789abcdef')
    expect(fake.journal()[0]).toMatchObject({ query: { key: 'esk_***ef' } })
    expect(JSON.stringify(fake.journal())).not.toContain('0123456789')
  })

  it('masks a foreign key in the description of a fault too', async () => {
    const secret = 'esk_live_very_secret_99'
    const { fake, request: get } = ask()
    fake.fault({ key: secret, status: 500, times: 2 })
    await get('/prices/etn', secret)
    expect([fake.faults()[0]?.label, fake.journal()[0]?.fault]).toEqual(
      Array(2).fill('status 500 on any operation of key esk_***99'),
    )
    expect(() => fake.expectNoUnusedFaults()).toThrow(/^(?!.*very_secret)/s)
    expect(fake.fault({ key: fake.key, status: 500 }).label).toContain(`of key ${fake.key}`)
  })

  it('holds 10,000 entries by default', () => {
    expect(readOptions({}).journal.max).toBe(10_000)
  })

  it('a log that throws or rejects fails nothing', async () => {
    const logs = [
      () => {
        throw new Error('no')
      },
      async () => {
        throw new Error('no')
      },
    ]
    for (const log of logs) {
      const { fake, request: get } = ask({ log: log as () => void })
      expect((await get('/prices/etn')).status).toBe(200)
      expect(fake.journal()[0]?.finished).toBe(true)
    }
  })
})
