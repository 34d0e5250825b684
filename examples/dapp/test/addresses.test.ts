import { expect, inject, test } from 'vitest'
import { bought, openView, settled } from './support/demo.ts'
import { usePages } from './support/open-page.ts'

const open = usePages()
const url = inject('demoUrl')
const BOLT = '0x043fAa1b5C5FC9a7dc35171f290c29ECDE0cCff1'
const CORE = '0x309B916b3A90cb3E071697Ea9680e9217A30066f'
const WALLET = '0xFeEdBeEf00000000000000000000000000000001'
const NOT_LISTED = `0x${'0'.repeat(39)}1`

const operations = async (page: Parameters<typeof bought>[0]) =>
  (await bought(page)).map(({ operation }) => operation).sort()

test('what a wallet holds has an address, which can be shared, and left by a step back', async () => {
  const page = await open(`${url}#/wallet`)
  await page.getByRole('button', { name: 'Show balances' }).click()
  await page.locator('.total-value').waitFor()
  expect(new URL(page.url()).hash).toBe(`#/wallet/${WALLET}`)
  // The focus stays where it was.
  expect(await page.evaluate(() => document.activeElement?.textContent)).toContain('Show balances')
  await page.goBack()
  await expect.poll(() => page.locator('.total-value').count()).toBe(0)
  await page.goForward()
  await page.locator('.total-value').waitFor()

  const shared = await open(page.url())
  await shared.locator('.total-value[aria-busy="false"]').waitFor()
  expect(await shared.getByRole('textbox').inputValue()).toBe(WALLET)
  expect(await operations(shared)).toEqual(['balances.get', 'token.list'])
})

test('the locks of a token have an address, in any spelling', async () => {
  const page = await open(`${url}#/locks/${BOLT.toLowerCase()}`)
  await page.locator('time[datetime]').first().waitFor()
  expect(await operations(page)).toEqual(['locks.get'])
  await page.getByRole('button', { name: 'CORE' }).click()
  await page.getByRole('button', { name: 'Find locks' }).click()
  await expect.poll(() => new URL(page.url()).hash).toBe(`#/locks/${CORE}`)
  await settled(page)
  expect(await operations(page)).toEqual(['locks.get', 'locks.get'])
})

test.each(['wallet', 'candles'])(
  'a wrong address in the address of %s, or in its field, is named, sends nothing, and can be mended',
  async (view) => {
    const page = await open(`${url}#/${view}/0x123`)
    const field = page.getByRole('textbox')
    expect(await field.inputValue()).toBe('0x123')
    const isNamed = async () => {
      await page.getByText('An address has 0x and 40 hex digits').waitFor()
      expect(await field.getAttribute('aria-invalid')).toBe('true')
    }
    await isNamed()
    await field.fill('0x1234')
    await field.press('Enter')
    await isNamed()
    expect(await bought(page)).toEqual([])
    await field.fill(view === 'wallet' ? WALLET : BOLT)
    await field.press('Enter')
    await page.locator('.total-value, .chart-area canvas').first().waitFor()
  },
)

test('an address without a chart offers no second attempt, and leads to others', async () => {
  const page = await open(`${url}#/candles/${NOT_LISTED}`, { expected: /status of 404/ })
  await page.getByRole('heading', { name: 'There is nothing at this address' }).waitFor()
  expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0)
  await page.getByRole('button', { name: 'CORE' }).click()
  await page.getByRole('button', { name: 'Show the chart' }).click()
  await page.locator('.chart-area canvas').first().waitFor()
  expect(new URL(page.url()).hash).toBe(`#/candles/${CORE}`)
  await page.goBack()
  await page.getByRole('link', { name: 'See the listed tokens' }).click()
  await openView(page, 'Tokens')
})

test('names that others chose are isolated, and where they are empty the address stands for them', async () => {
  const page = await open(url)
  await settled(page)
  await page.evaluate(() =>
    globalThis.demo?.fake.stub('token.list', ({ data }) =>
      data.map((token, index) => ({
        ...token,
        ...(index === 0 && { symbol: '', name: ' ' }),
        ...(index === 1 && { symbol: '🦊FOX', name: '\u202eesrever' }),
      })),
    ),
  )
  await page.getByRole('button', { name: /^50/ }).click()
  const fox = page.getByRole('row').filter({ hasText: '🦊FOX' })
  await fox.waitFor()
  expect(await fox.locator('.token-icon').textContent()).toBe('🦊')
  expect(await fox.locator('bdi').allTextContents()).toEqual(['🦊FOX', '\u202eesrever'])
  const unnamed = page.getByRole('row').filter({ has: page.locator('strong', { hasText: /^0x\w{4}…\w{4}$/ }) })
  expect(await unnamed.count()).toBe(1)
})

test('a chart ends at the price that stands beside it, and goes on with it', async () => {
  const page = await open(`${url}#/candles`)
  const [quote, end] = [page.locator('.quote strong'), page.locator('.last-price')]
  const both = async () => [await quote.textContent(), await end.textContent()]
  await page.locator('.chart-area canvas').first().waitFor()
  for (const usd of ['0.5', '0.75']) {
    await page.evaluate(([token = '', price = '']) => globalThis.demo?.fake.world.setPrice(token, price), [BOLT, usd])
    // The demo moves some prices after each purchase.
    await expect.poll(async () => Math.round(Number((await quote.textContent())?.slice(1)) * 20) / 20).toBe(Number(usd))
    await expect.poll(async () => new Set(await both()).size).toBe(1)
  }
})
