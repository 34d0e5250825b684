import { fakeTokens, fakeWallets } from 'etn-market/fake'
import { expect, test } from 'vitest'
import { createScene } from './program.ts'

const { BOLT, USDC, WETN } = fakeTokens
const WALLET = '0x00000000000000000000000000000000000000A1'
const UNLISTED = `0x${'1'.repeat(40)}`

async function scene() {
  const created = await createScene()
  const { fake } = created
  fake.stub('balances.get', ({ data }) => ({
    ...data,
    balances: {
      [USDC]: { balance: '0x1', blockUpdated: 1 },
      [BOLT]: { balance: '0x7ce66c50e2840000', blockUpdated: 1 },
      [WETN]: { balance: '0x0', blockUpdated: 1 },
      [UNLISTED]: { balance: '0x5', blockUpdated: 1 },
    },
  }))
  return created
}

test('values balances exactly, and prints what could not be priced and why', async () => {
  const { json, fake } = await scene()
  fake.stub('prices.batch', () => ({ [BOLT.toLowerCase()]: { usd: '0.1000000000000000000001', etn: '20' } }))
  const { code, data } = await json(['portfolio', WALLET])
  expect(code).toBe(0)
  expect(data).toEqual({
    wallet: WALLET,
    updated: expect.any(Number),
    complete: true,
    totalUsd: '0.9000000000000000000009',
    totalEtn: '180',
    positions: [
      { address: BOLT, symbol: 'BOLT', amount: '9', usd: '0.9000000000000000000009', etn: '180' },
      { address: USDC, symbol: 'USDC', amount: '0.000001', usd: null, etn: null },
      { address: UNLISTED, symbol: null, amount: null, usd: null, etn: null },
    ],
    unpriced: [
      { address: USDC, symbol: 'USDC', reason: 'the service has no price for it' },
      { address: UNLISTED, symbol: null, reason: 'its decimals are not known' },
    ],
  })
  await json(['portfolio', WALLET])
  expect(fake.journal().map(({ operation }) => operation)).toEqual([
    'balances.get',
    'token.list',
    // The service does not know the token, which is free.
    'token.get',
    'prices.batch',
    'balances.get',
    'token.get',
    'prices.batch',
  ])
})

test('prints a table, or that there is no record', async () => {
  const { run, fake } = await scene()
  const { code, stdout } = await run(['portfolio', WALLET])
  expect(code).toBe(0)
  expect(stdout).toMatch(/^symbol +address +amount +USD +ETN\nBOLT /)
  expect(stdout).toMatch(
    /\nTotal: [\d.]+ USD, [\d.,]+ ETN\.\nRecorded \d{4}-\S+Z\.\nNot counted: 0x1{40}: its decimals are not known/,
  )
  fake.reset()
  const empty = await run(['portfolio', fakeWallets.empty])
  expect([empty.code, empty.stdout]).toEqual([0, expect.stringContaining('Total: 0 USD, 0 ETN.')])
})

test('a failure of the prices is printed, with the exit code of its reason', async () => {
  const { run, fake } = await scene()
  fake.fault({ operation: 'prices.batch', status: 500, retryAfter: 3_600 })
  const { code, stdout, stderr } = await run(['portfolio', WALLET])
  expect(code).toBe(3)
  expect(stdout).toContain('Not counted: BOLT: its price could not be bought.')
  expect(stderr).toContain('warning: prices.batch: the service answered 500')
})

test('counts tokens that are not listed, as watchPortfolio does', async () => {
  const { json, fake } = await scene()
  fake.stub('token.list', ({ data }) => data.filter(({ address }) => address !== BOLT))
  fake.stub('prices.batch', () => ({ [BOLT.toLowerCase()]: { usd: '0.1', etn: '20' } }))
  const { data } = await json(['portfolio', WALLET])
  expect(data).toMatchObject({ totalUsd: '0.9', totalEtn: '180' })
})

test('ends the look-up of tokens with its first failure, and prints what is paid for', async () => {
  const { run, fake } = await createScene()
  const unlisted = Array.from({ length: 12 }, (_, index) => `0x${String(index + 1).padStart(40, '7')}`)
  const held = [BOLT, ...unlisted].map((address) => [address, { balance: '0x7ce66c50e2840000', blockUpdated: 1 }])
  fake.stub('balances.get', ({ data }) => ({ ...data, balances: Object.fromEntries(held) }))
  fake.fault({ operation: 'token.get', status: 503, retryAfter: 3_600, times: Number.POSITIVE_INFINITY })
  const { code, stdout, stderr } = await run(['portfolio', WALLET])
  expect(code).toBe(3)
  expect(stdout).toMatch(/^BOLT .*\d/m)
  expect(stderr.match(/^warning: token\.get/gm)).toHaveLength(1)
  expect(fake.journal().filter(({ operation }) => operation === 'token.get').length).toBeLessThanOrEqual(5)
})
