import { mkdirSync } from 'node:fs'
import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'
import { describe, expect, inject, test } from 'vitest'
import { openView, PRICE, reload, settled } from './support/demo.ts'
import { usePages } from './support/open-page.ts'

const open = usePages()
const url = inject('demoUrl')
/** Not under version control. */
const SCREENSHOTS = new URL('../screenshots/', import.meta.url).pathname
mkdirSync(SCREENSHOTS, { recursive: true })

/** What each view shows when it is loaded, and the button that has to be pressed first. */
const VIEWS = [
  { name: 'Tokens', shows: PRICE },
  { name: 'Candles', shows: '.chart-area canvas' },
  { name: 'Pools', shows: '.table-card tbody tr' },
  { name: 'NFT floors', shows: '.nft' },
  { name: 'Presales', shows: '.presale progress' },
  { name: 'Wallet', shows: '.total-value[aria-busy="false"]:not(:text-is("$0.00"))', press: 'Show balances' },
  { name: 'Locks', shows: 'time[datetime]', press: 'Find locks' },
]

async function findings(page: Page, rules: readonly string[] | undefined): Promise<string[]> {
  const axe = new AxeBuilder({ page }).options({
    resultTypes: ['violations'],
    ...(rules && { runOnly: { type: 'rule', values: [...rules] } }),
  })
  const { violations } = await axe.setLegacyMode().analyze()
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}

/** Elements with content beside what can be seen, other than those that scroll. */
const clipped = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('body, main, .card, .panel, table, .button')]
      .filter((element) => element.scrollWidth > element.clientWidth + 1)
      .map((element) => `${element.className || element.tagName} ${element.scrollWidth} > ${element.clientWidth}`),
  )

const desktop = { width: 1280, height: 900 }

describe.each([
  { name: 'light', colorScheme: 'light', viewport: desktop, rules: undefined },
  // The colours are all that differs.
  { name: 'dark', colorScheme: 'dark', viewport: desktop, rules: ['color-contrast'] },
  { name: 'phone', colorScheme: 'light', viewport: { width: 360, height: 780 }, rules: ['target-size'] },
] as const)('$name', ({ name: variant, colorScheme, viewport, rules }) => {
  test('every view shows its data, fits, and has no serious finding of axe', async () => {
    const page = await open(url, { colorScheme, viewport })
    for (const { name, shows, press } of VIEWS) {
      await openView(page, name)
      if (press) await page.getByRole('button', { name: press }).click()
      await page.locator(shows).first().waitFor()
      await settled(page)
      expect(await page.title()).toContain('ETN market')
      expect({ name, findings: await findings(page, rules) }).toEqual({ name, findings: [] })
      expect({ name, width: await page.evaluate(() => document.documentElement.scrollWidth) }).toEqual({
        name,
        width: viewport.width,
      })
      expect({ name, clipped: await clipped(page) }).toEqual({ name, clipped: [] })
      await page.screenshot({ path: `${SCREENSHOTS}${variant}-${name.toLowerCase().replace(' ', '-')}.png` })
    }
  })
})

test('the switch changes the colour scheme, and the choice is kept', async () => {
  const page = await open(url, { colorScheme: 'light' })
  const background = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)
  const light = await background()
  const button = page.getByRole('button', { name: 'Dark' })
  await button.click()
  expect(await button.getAttribute('aria-pressed')).toBe('true')
  const dark = await background()
  expect(dark).not.toBe(light)
  await reload(page)
  expect(await background()).toBe(dark)
})

test('statuses of presales are chosen for free, and one without presales says so', async () => {
  const page = await open(url)
  await openView(page, 'Presales')
  const counts: number[] = []
  for (const status of ['Active', 'Upcoming', 'Launched', 'Failed', 'Cancelled']) {
    const button = page.getByRole('button', { name: status })
    await button.click()
    const count = Number(/\((\d+)\)/.exec((await button.textContent()) ?? '')?.[1])
    expect(await page.locator('.presale').count()).toBe(count)
    counts.push(count)
  }
  expect(counts.reduce((sum, count) => sum + count)).toBe(50)
  await page.getByRole('navigation').getByRole('link', { name: 'Tokens' }).click()
  await page.getByRole('searchbox').fill('no such token')
  await page.getByText('No token has this name').waitFor()
})

test('a phone shows tokens on its first screen, in rows of at most 64 pixels', async () => {
  const page = await open(url, { viewport: { width: 390, height: 844 } })
  await page.locator(PRICE).first().waitFor()
  const rows = page.locator('.table-card tbody tr')
  const [first, second] = [await rows.nth(0).boundingBox(), await rows.nth(1).boundingBox()]
  expect(first?.y).toBeLessThan(450)
  for (const row of [first, second]) expect(row?.height).toBeLessThanOrEqual(64)
  await page.screenshot({ path: `${SCREENSHOTS}phone-390.png` })
})

test.each([320, 768])('nothing is cut or too wide on a screen of %d pixels', async (width) => {
  const page = await open(url, { viewport: { width, height: 800 } })
  for (const { name, shows, press } of VIEWS) {
    await openView(page, name)
    if (press) await page.getByRole('button', { name: press }).click()
    await page.locator(shows).first().waitFor()
    const found = await page.evaluate(() => document.documentElement.scrollWidth)
    expect({ name, found, clipped: await clipped(page) }).toEqual({ name, found: width, clipped: [] })
    await page.screenshot({ path: `${SCREENSHOTS}width-${width}-${name.toLowerCase().replace(' ', '-')}.png` })
  }
})

test('a token is found by its address', async () => {
  const page = await open(url)
  await page.locator(PRICE).first().waitFor()
  const rows = page.locator('.table-card tbody tr')
  const symbol = (await rows.nth(2).locator('strong').textContent()) ?? ''
  const address = /0x\w{40}/.exec((await rows.nth(2).getByRole('link').getAttribute('href')) ?? '')?.[0] ?? ''
  await page.getByRole('searchbox').fill(address.toLowerCase())
  await expect.poll(() => rows.count()).toBe(1)
  expect(await rows.locator('strong').allTextContents()).toEqual([symbol])
})
