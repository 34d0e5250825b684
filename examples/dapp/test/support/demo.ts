import type { Charge } from 'etn-market/fake'
import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'

/** Operations that the feed of the proxy buys, for everybody. */
const OF_FEED = ['prices.batch', 'token.price']

/** What the visitor bought, by the ledger of the fake service in the page. */
export async function bought(page: Page): Promise<Charge[]> {
  const ledger = await page.evaluate(() => globalThis.demo?.fake.ledger() ?? [])
  return ledger.filter(({ operation }) => !OF_FEED.includes(operation))
}

export const creditsOf = (charges: readonly Charge[]) => charges.reduce((sum, { credits }) => sum + credits, 0)

/** The height of the highest of some elements, in pixels. */
export const highest = (elements: Locator) =>
  elements.evaluateAll((all) => Math.max(...all.map((each) => each.getBoundingClientRect().height)))

/** The figure of the credit meter. */
export const spent = async (page: Page) => Number(await page.locator('[data-charged]').getAttribute('data-charged'))

/** Waits until nothing loads. */
export async function settled(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor()
  await expect.poll(() => page.locator('main .loading').count(), { timeout: 30_000 }).toBe(0)
}

/** A price of the list that has arrived on the stream. */
export const PRICE = '.token-table [data-price]:not([data-price=""])'

/** The views, and what each shows when it is complete. */
export const VIEWS = [
  { name: 'Tokens', path: 'tokens', shows: PRICE },
  { name: 'Candles', path: 'candles', shows: '.chart-area canvas' },
  { name: 'Pools', path: 'pools', shows: 'tbody .chart-link' },
  { name: 'NFT floors', path: 'nfts', shows: 'img.cover' },
  { name: 'Presales', path: 'presales', shows: '.presale progress' },
  {
    name: 'Wallet',
    path: 'wallet/0xFeEdBeEf00000000000000000000000000000001',
    shows: '.total-value[aria-busy="false"]',
  },
  { name: 'Locks', path: 'locks/0x043fAa1b5C5FC9a7dc35171f290c29ECDE0cCff1', shows: 'time[datetime]' },
]

/** The rows of the list of tokens. */
export const ROWS = '.token-table tbody tr'

/**
 * Loads the list of tokens again. msw's worker answers nothing more for a page that is being left, so a request of that
 * moment would be a 404: the stream, the last thing that the list asks for, has to be open.
 */
export async function reload(page: Page): Promise<void> {
  await page.locator(PRICE).first().waitFor()
  await page.reload()
  await settled(page)
}

/** The cost that a button or a link shows. */
export async function costShown(page: Page, name: string | RegExp, role: 'button' | 'link' = 'button') {
  const cost = page.getByRole(role, { name }).first().locator('.cost')
  const text = (await cost.textContent()) ?? ''
  return { text, credits: Number((await cost.getAttribute('data-credits')) ?? 0), isExact: !text.startsWith('up to') }
}

/** Opens a view by its link. */
export async function openView(page: Page, name: string): Promise<void> {
  await page.getByRole('navigation').getByRole('link', { name }).click()
  await shown(page, name)
}

/** Waits until a view is there, whose link was followed, and nothing loads. Until then the one before it can be read. */
export async function shown(page: Page, name: string): Promise<void> {
  await page.locator('nav [aria-current=page]', { hasText: name }).waitFor()
  await settled(page)
}
