import { expect, inject, test } from 'vitest'
import { bought, costShown, creditsOf, openView, PRICE, settled, spent } from './support/demo.ts'
import { usePages } from './support/open-page.ts'

const open = usePages()
const url = inject('demoUrl')

test('each click is charged what its button showed, and the meter agrees with the ledger', async () => {
  const page = await open(url)
  await settled(page)
  const views = page.getByRole('navigation')

  /** Clicks, and compares what was shown, what the ledger has, and what the meter adds. */
  async function click(name: string | RegExp, operations: readonly string[], role: 'button' | 'link' = 'button') {
    const before = { ledger: await bought(page), meter: await spent(page) }
    const shown = await costShown(page, name, role)
    await page.getByRole(role, { name }).first().click()
    await expect.poll(async () => (await bought(page)).length).toBe(before.ledger.length + operations.length)
    await settled(page)
    const charges = (await bought(page)).slice(before.ledger.length)
    expect(charges.map(({ operation }) => operation).sort()).toEqual([...operations].sort())
    await expect.poll(() => spent(page)).toBe(before.meter + creditsOf(charges))
    if (shown.isExact) expect(shown.credits).toBe(creditsOf(charges))
    else expect(creditsOf(charges)).toBeLessThanOrEqual(shown.credits)
    expect(shown.text).toMatch(/^(up to )?[\d,]+ credits \$0\.\d+$/)
    return { shown: shown.credits, charged: creditsOf(charges) }
  }

  // Full pages cost what was shown to the credit.
  expect(await click(/^50/, ['token.list'])).toEqual({ shown: 350, charged: 350 })
  expect(await click(/^Candles/, ['token.candles', 'token.get'], 'link')).toEqual({ shown: 320, charged: 320 })
  expect(await click(/^15 min/, ['token.candles'])).toEqual({ shown: 220, charged: 220 })
  expect(await click(/^ETN/, ['token.candles'])).toEqual({ shown: 220, charged: 220 })
  expect(await click(/^Pools/, ['pool.list'], 'link')).toEqual({ shown: 300, charged: 300 })
  expect(await click(/^V3/, ['pool.list'])).toEqual({ shown: 300, charged: 300 })
  expect(await click(/^NFT/, ['nft.stats'], 'link')).toEqual({ shown: 25, charged: 25 })
  expect(await click(/^Volume/, ['nft.collection'])).toEqual({ shown: 500, charged: 500 })
  expect(await click(/^Presales/, ['presale.list'], 'link')).toEqual({ shown: 750, charged: 750 })
  await views.getByRole('link', { name: 'Wallet' }).click()
  expect(await click(/^Show balances/, ['balances.get', 'token.list'])).toEqual({ shown: 2_400, charged: 2_400 })
  // A page that is not full costs less.
  await page.getByRole('button', { name: 'an empty wallet' }).click()
  expect(await click(/^Show balances/, ['balances.get'])).toEqual({ shown: 1_800, charged: 800 })
  await page.getByRole('heading', { name: 'This wallet holds no tokens' }).waitFor()
  await views.getByRole('link', { name: 'Locks' }).click()
  expect(await click(/^Find locks/, ['locks.get'])).toEqual({ shown: 2_000, charged: 2_000 })
  expect(await spent(page)).toBe(creditsOf(await bought(page)))
})

test('under StrictMode each answer is asked for and bought once, and leaving and returning buys nothing', async () => {
  const page = await open(url)
  await settled(page)
  const asked = () =>
    page.evaluate(() =>
      performance
        .getEntriesByType('resource')
        .map(({ name }) => new URL(name).pathname)
        .filter((path) => path.startsWith('/api/market/') && !path.endsWith('/stream')),
    )
  // Candles last: they are fresh for half a minute only.
  for (const name of ['Pools', 'NFT floors', 'Presales', 'Candles']) await openView(page, name)
  const first = await bought(page)
  expect(first.map(({ operation }) => operation).sort()).toEqual(
    ['nft.stats', 'pool.list', 'presale.list', 'token.candles', 'token.get', 'token.list'].sort(),
  )
  for (const name of ['Tokens', 'Candles', 'Pools', 'Presales', 'NFT floors', 'Tokens']) {
    await expect.poll(async () => (await costShown(page, name, 'link')).text).toBe('free')
    await openView(page, name)
  }
  expect(await bought(page)).toEqual(first)
  expect(await asked()).toHaveLength(first.length)
  await expect.poll(() => spent(page)).toBe(creditsOf(first))
})

test('live prices arrive by the stream, which costs the visitor nothing, and end with the view', async () => {
  const page = await open(url)
  const price = page.locator(PRICE).first()
  await price.waitFor()
  const before = await spent(page)
  const first = page.getByRole('row').nth(1)
  const address = (await first.getByRole('link').first().getAttribute('href'))?.split('/').at(-1) ?? ''
  await page.evaluate((token) => globalThis.demo?.fake.world.setPrice(token, '1234.5'), address)
  await expect.poll(() => first.textContent()).toContain('$1,234.5')
  expect(await spent(page)).toBe(before)
  expect(await page.evaluate(() => globalThis.demo?.feed.status().watches)).toBe(1)
  await openView(page, 'Wallet')
  await expect.poll(() => page.evaluate(() => globalThis.demo?.feed.status().watches)).toBe(0)
})
