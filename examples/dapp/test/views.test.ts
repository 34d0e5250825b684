import type { Page } from 'playwright-core'
import { expect, inject, test } from 'vitest'
import { findings } from './support/axe.ts'
import { highest, openView, reload, settled, VIEWS } from './support/demo.ts'
import { usePages } from './support/open-page.ts'

const open = usePages()
const url = inject('demoUrl')

declare global {
  /** What moved without a press, as the browser counts it. */
  var layoutShift: number
}

/** How long rows wait for their first prices: `src/prices/first-prices.ts`. */
const MAX_WAIT_MS = 4_000

/** Runs in the page, before anything else: rows that wait so long for their first prices wait for those of a busy machine, too. */
function observeShifts(maxWaitMs: number): void {
  const { setTimeout } = globalThis
  const wait = (callback: () => void, ms?: number) => setTimeout(callback, ms === maxWaitMs ? 60_000 : ms)
  globalThis.setTimeout = wait as typeof setTimeout
  globalThis.layoutShift = 0
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as (PerformanceEntry & { value: number; hadRecentInput: boolean })[])
      if (!entry.hadRecentInput) globalThis.layoutShift += entry.value
  }).observe({ type: 'layout-shift', buffered: true })
}

/** Waits for what is still changing while the last prices arrive, and returns how far things have moved. */
async function shiftAtRest(page: Page): Promise<number> {
  const read = () => page.evaluate(() => globalThis.layoutShift)
  let [last, next] = [Number.NaN, await read()]
  while (last !== next) {
    await page.waitForTimeout(500)
    ;[last, next] = [next, await read()]
  }
  return next
}

/** Elements with content beside what can be seen, other than those that scroll. */
const clipped = (page: Page) =>
  page.evaluate(() =>
    [
      ...document.querySelectorAll(
        'body, .bar, main, .card, .panel, .toolbar, .switch, .segments, .button, td, thead th',
      ),
    ]
      .filter((element) => element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0)
      .map((element) => `${element.className || element.tagName} ${element.scrollWidth} > ${element.clientWidth}`),
  )

interface Appearance {
  viewport: { width: number; height: number }
  colorScheme: 'light' | 'dark'
  /** Rules of axe that are checked. @default all */
  rules?: readonly string[]
}

const DESKTOP: readonly Appearance[] = [
  { viewport: { width: 1280, height: 900 }, colorScheme: 'light' },
  { viewport: { width: 1280, height: 900 }, colorScheme: 'dark', rules: ['color-contrast'] },
  // A tablet.
  { viewport: { width: 768, height: 1024 }, colorScheme: 'dark', rules: [] },
]
const PHONE_SIZE = { width: 390, height: 844 }
const PHONE: readonly Appearance[] = [
  {
    viewport: PHONE_SIZE,
    colorScheme: 'light',
    rules: ['target-size', 'scrollable-region-focusable'],
  },
  { viewport: { width: 320, height: 640 }, colorScheme: 'dark', rules: [] },
]

async function look(page: Page, name: string, { viewport: { width, height }, colorScheme, rules }: Appearance) {
  await page.setViewportSize({ width, height })
  await page.emulateMedia({ colorScheme })
  // The library that draws charts follows a new width in the next frame.
  await expect
    .poll(async () => ({
      name,
      width: await page.evaluate(() => document.documentElement.scrollWidth),
      clipped: await clipped(page),
    }))
    .toEqual({ name, width, clipped: [] })
  // On a phone a table may scroll; a wider screen has room for all columns.
  if (width >= 768)
    for (const table of await page.locator('.table-scroll').all())
      expect({ name, tooWide: await table.evaluate((each) => each.scrollWidth - each.clientWidth) }).toEqual({
        name,
        tooWide: 0,
      })
  if (rules === undefined || rules.length > 0)
    expect({ name, findings: await findings(page, rules) }).toEqual({ name, findings: [] })
}

test.each(VIEWS)('on a desktop the view $name loads without moving, and fits', async ({ name, path, shows }) => {
  const page = await open(`${url}#/${path}`, { colorScheme: 'light', beforeLoad: [observeShifts, MAX_WAIT_MS] })
  await page.locator(shows).first().waitFor()
  await settled(page)
  expect(await page.title()).toContain('ETN market')
  expect(await shiftAtRest(page)).toBeLessThan(0.05)
  for (const appearance of DESKTOP) await look(page, name, appearance)
})

/** Runs in the page: goes to a view, and counts what moves from its first picture on. */
async function enterView({ name, path }: { name: string; path: string }): Promise<void> {
  const isCurrent = () => document.querySelector('nav [aria-current=page]')?.textContent?.includes(name)
  const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve))
  location.hash = `#/${path}`
  while (!isCurrent()) await nextFrame()
  await nextFrame()
  globalThis.layoutShift = 0
}

test('on a phone each view shows its data without moving, and fits', async () => {
  const page = await open(`${url}#/locks`, { viewport: PHONE_SIZE, beforeLoad: [observeShifts, MAX_WAIT_MS] })
  for (const view of VIEWS) {
    await page.setViewportSize(PHONE_SIZE)
    await page.evaluate(enterView, view)
    await page.locator(view.shows).first().waitFor()
    await settled(page)
    expect({ view: view.name, moved: (await shiftAtRest(page)) >= 0.05 }).toEqual({ view: view.name, moved: false })
    for (const appearance of PHONE) await look(page, view.name, appearance)
  }
})

test('the button for the colours names what it leads to, and the choice is kept', async () => {
  const page = await open(url, { colorScheme: 'light' })
  const background = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)
  const light = await background()
  await page.getByRole('button', { name: 'Use dark colours' }).click()
  const dark = await background()
  expect(dark).not.toBe(light)
  await reload(page)
  expect(await background()).toBe(dark)
  await page.getByRole('button', { name: 'Use light colours' }).click()
  expect(await background()).toBe(light)
})

test('statuses of presales are chosen for free, and each shows its number', async () => {
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
})

test('a collection shows its picture, and its initials where there is none or it does not load', async () => {
  const page = await open(`${url}#/nfts`)
  await page.locator('img.cover').first().waitFor()
  await page.getByRole('button', { name: /^Show all/ }).click()
  const cards = await page.locator('.nft').count()
  const pictures = await page.locator('img.cover').count()
  expect(await page.locator('div.cover').count()).toBe(cards - pictures)
  expect(pictures).toBeLessThan(cards)
  const first = page.locator('.nft', { has: page.locator('img') }).first()
  const picture = first.locator('img')
  expect(await picture.getAttribute('alt')).toBe(`Cover of ${await first.getByRole('heading').textContent()}`)
  await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0)
  await picture.dispatchEvent('error')
  await expect.poll(() => page.locator('img.cover').count()).toBe(pictures - 1)
})

test('a wallet of 100 tokens shows 100, and names what its total does not contain', async () => {
  const page = await open(`${url}#/wallet`, { viewport: { width: 390, height: 844 } })
  await page.getByRole('button', { name: 'Show balances' }).click()
  await page.locator('.total-value[aria-busy="false"]').waitFor()
  const rows = page.locator('main tbody tr')
  expect(await rows.count()).toBe(100)
  const summary = (await page.locator('.total').textContent()) ?? ''
  expect(summary).toContain('100 tokens')
  const missing = await rows.filter({ hasText: '–' }).locator('strong').allTextContents()
  const named = /Not in the total: (.*), without a price/.exec(summary)?.[1]?.split(/, (?:and )?| and /) ?? []
  expect(missing.length).toBeGreaterThan(0)
  expect(missing).toEqual(expect.arrayContaining(named.filter((name) => !/\d more/.test(name))))
  expect(await highest(rows)).toBeLessThanOrEqual(64)
})

test('the page is drawn before its script has run', async () => {
  const page = await open(url, { javaScriptEnabled: false, heading: 'ETN market' })
  expect((await page.locator('.skeleton').boundingBox())?.height).toBeGreaterThan(300)
})

test('a label that gets shorter after a purchase moves no tab, switch or button', async () => {
  const page = await open(`${url}#/candles`)
  await page.locator('.chart-area canvas').first().waitFor()
  const boxes = async () => {
    const all = page.locator('nav a, .toolbar .segments, .toolbar .switch-cost, .newer')
    return all.evaluateAll((each) =>
      each.map((element) => {
        const { x, width } = element.getBoundingClientRect()
        return [Math.round(x), Math.round(width)]
      }),
    )
  }
  const texts = () => page.locator('nav a').allTextContents()
  const [before, said] = [await boxes(), await texts()]
  // The last of the currencies: the highest cost of that switch falls to nothing. The tabs of other views are bought, too.
  await page.getByRole('button', { name: /^ETN/ }).click()
  await settled(page)
  await openView(page, 'Pools')
  await openView(page, 'Presales')
  await openView(page, 'Candles')
  await page.locator('.chart-area canvas').first().waitFor()
  expect(await texts()).not.toEqual(said)
  expect(await boxes()).toEqual(before)
})
