import type { Page } from 'playwright-core'
import { expect, inject, test } from 'vitest'
import { bought, highest, openView, PRICE, ROWS, settled } from './support/demo.ts'
import { usePages } from './support/open-page.ts'

const open = usePages()
const url = inject('demoUrl')

const symbols = (page: Page) => page.locator(`${ROWS} strong`).allTextContents()
const header = (page: Page, name: string) => page.locator('th', { has: page.getByRole('button', { name }) })

/** Prices as the cells have them, exact. */
const pricesShown = (page: Page) =>
  page
    .locator(`${ROWS} [data-price]`)
    .evaluateAll((cells) => cells.map((cell) => Number(cell.getAttribute('data-price'))))

/** Waits until each row has its price, or has none: then the order is settled. */
async function openTokens(viewport?: { width: number; height: number }): Promise<Page> {
  const page = await open(url, { ...(viewport && { viewport }), permissions: ['clipboard-read', 'clipboard-write'] })
  await page.locator(PRICE).first().waitFor()
  await expect.poll(() => page.locator(`${ROWS} [data-price] .bone`).count()).toBe(0)
  return page
}

test('a press of a heading sorts the tokens by it, by mouse and by keyboard', async () => {
  const page = await openTokens()
  expect(await header(page, 'Market value').getAttribute('aria-sort')).toBe('descending')

  await page.getByRole('button', { name: 'Price' }).click()
  expect(await header(page, 'Price').getAttribute('aria-sort')).toBe('descending')
  expect(await header(page, 'Market value').getAttribute('aria-sort')).toBe('none')
  // A sort takes the prices of its moment, and they move on.
  const prices = await pricesShown(page)
  expect(prices[0]).toBe(Math.max(...prices))
  expect(prices.at(-1)).toBe(Math.min(...prices))

  await page.getByRole('button', { name: 'Token' }).focus()
  await page.keyboard.press('Enter')
  expect(await header(page, 'Token').getAttribute('aria-sort')).toBe('ascending')
  const sorted = await symbols(page)
  expect(sorted).toEqual([...sorted].sort((one, other) => one.localeCompare(other, 'en', { numeric: true })))
  await page.keyboard.press('Space')
  expect(await header(page, 'Token').getAttribute('aria-sort')).toBe('descending')
  expect(await symbols(page)).toEqual(sorted.reverse())
})

test('rows keep their places while prices move', async () => {
  const page = await openTokens()
  const before = await symbols(page)
  const last = page.locator(ROWS, { has: page.locator('[data-price]:not([data-price=""])') }).last()
  const address = /0x\w{40}/.exec((await last.getByRole('link').first().getAttribute('href')) ?? '')?.[0] ?? ''
  await page.evaluate((token) => globalThis.demo?.fake.world.setPrice(token, '99999'), address)
  await expect.poll(() => last.textContent()).toContain('$99,999')
  expect(await symbols(page)).toEqual(before)
  expect(await last.textContent()).toMatch(/▲ [\d,]+\.\d\d%/)
})

test('a token is found by its symbol, its name and its address', async () => {
  const page = await openTokens()
  const row = page.locator(ROWS).nth(2)
  const symbol = (await row.locator('strong').textContent()) ?? ''
  const name = (await row.locator('.token-text small').textContent()) ?? ''
  const address = /0x\w{40}/.exec((await row.getByRole('link').first().getAttribute('href')) ?? '')?.[0] ?? ''
  for (const text of [symbol, name, address.toLowerCase()]) {
    await page.getByRole('searchbox').fill(text)
    await expect.poll(() => page.locator(ROWS).count()).toBeLessThan(20)
    expect(await symbols(page)).toContain(symbol)
  }
  expect(await page.locator(ROWS).count()).toBe(1)
  await page.getByRole('searchbox').fill('no such token')
  await page.getByText('No token has this name, symbol or address').waitFor()
})

test('an address is copied, and opens in the block explorer', async () => {
  const page = await openTokens()
  const row = page.locator(ROWS).first()
  const symbol = await row.locator('strong').textContent()
  const address = /0x\w{40}/.exec((await row.getByRole('link').first().getAttribute('href')) ?? '')?.[0] ?? ''
  await row.getByRole('button', { name: `Copy the address of ${symbol}` }).click()
  await row.getByText('copied', { exact: true }).waitFor()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(address)
  const explorer = row.getByRole('link', { name: `${symbol} in the block explorer` })
  expect(await explorer.getAttribute('href')).toBe(`https://blockexplorer.electroneum.com/address/${address}`)
  expect(await explorer.getAttribute('rel')).toContain('noopener')
})

test('a sparkline has what the page was given: live prices, and the candles that the visitor has bought', async () => {
  const page = await openTokens()
  const before = await bought(page)
  const row = page.locator(ROWS).first()
  const symbol = (await row.locator('strong').textContent()) ?? ''
  await expect.poll(() => row.getByRole('img').getAttribute('aria-label')).toMatch(/: from .* in \d+ seconds?$/)
  expect(await page.locator('.since').textContent()).toMatch(/^since \d/)
  expect(await bought(page)).toEqual(before)

  await row.getByRole('link').first().click()
  await page.getByRole('heading', { name: `${symbol} candles` }).waitFor()
  await settled(page)
  await openView(page, 'Tokens')
  const candles = await bought(page)
  const label = page.locator(ROWS).filter({ hasText: symbol }).getByRole('img')
  await expect.poll(() => label.first().getAttribute('aria-label')).toMatch(/in \d+ days$/)
  expect(await bought(page)).toEqual(candles)
})

test('what a chart costs stands once above its column, and at a link that is pointed at or has the focus', async () => {
  const page = await openTokens()
  expect(await page.locator('.column-cost').allTextContents()).toEqual(['Chart: up to 320 credits'])
  const cost = page.locator(`${ROWS} .chart-cost`)
  const width = async (index: number) => (await cost.nth(index).boundingBox())?.width ?? 0
  expect(await width(0)).toBeLessThan(2)
  await page.locator(`${ROWS} .chart-link`).first().hover()
  await expect.poll(() => width(0)).toBeGreaterThan(60)
  await page.locator(`${ROWS} .chart-link`).nth(1).focus()
  await expect.poll(() => width(1)).toBeGreaterThan(60)
  expect(await cost.nth(1).textContent()).toBe('Chart: up to 320 credits $0.00032')
  const choice = page.locator('.segments .button').nth(1)
  const ofChoice = async () => (await choice.locator('.cost').boundingBox())?.width ?? 0
  expect(await ofChoice()).toBeLessThan(20)
  await choice.hover()
  await expect.poll(ofChoice).toBeGreaterThan(60)
})

test('a phone shows tokens on its first screen, in rows of at most 64 pixels, and all columns can be reached', async () => {
  const page = await openTokens({ width: 390, height: 844 })
  const row = page.locator(ROWS).first()
  expect((await row.boundingBox())?.y).toBeLessThan(330)
  expect(await highest(page.locator(ROWS))).toBeLessThanOrEqual(64)
  // A symbol stays in one line.
  expect(await highest(page.locator(`${ROWS} strong`))).toBeLessThan(24)

  const name = async () => (await row.locator('strong').boundingBox())?.x ?? Number.NaN
  const copy = row.getByRole('button', { name: /^Copy/ })
  const scrollTo = (end: boolean) =>
    page.locator('.table-scroll').evaluate((each, left) => each.scrollTo({ left: left ? each.scrollWidth : 0 }), end)
  for (const width of [390, 320]) {
    await page.setViewportSize({ width, height: 700 })
    await scrollTo(false)
    const before = await name()
    expect((await copy.boundingBox())?.x).toBeGreaterThan(width)
    await scrollTo(true)
    const reached = await copy.boundingBox()
    expect((reached?.x ?? Number.NaN) + (reached?.width ?? 0)).toBeLessThanOrEqual(width)
    // It stays beside them.
    expect(await name()).toBeCloseTo(before, 0)
  }
})
