import type { Page } from 'playwright-core'
import { expect, inject, test } from 'vitest'
import { openView, settled } from './support/demo.ts'
import { usePages } from './support/open-page.ts'

const open = usePages()
const url = inject('demoUrl')
const BOLT = '0x043fAa1b5C5FC9a7dc35171f290c29ECDE0cCff1'
const WALLET = '0xFeEdBeEf00000000000000000000000000000001'

/** What a view shows when it is complete. */
const VIEWS = [
  { view: 'tokens', shows: '.token-table .tick' },
  { view: 'candles', shows: '.chart-area canvas' },
  { view: 'pools', shows: 'tbody .chart-link' },
  { view: 'nfts', shows: 'img.cover' },
  { view: 'presales', shows: '.presale progress' },
  { view: `wallet/${WALLET}`, shows: '.total-value[aria-busy="false"]' },
  { view: `locks/${BOLT}`, shows: 'time[datetime]' },
]

declare global {
  /** What moved without a press, as the browser counts it. */
  var layoutShift: number
}

/** Runs in the page, before anything else. */
function observeShifts(): void {
  globalThis.layoutShift = 0
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as (PerformanceEntry & { value: number; hadRecentInput: boolean })[])
      if (!entry.hadRecentInput) globalThis.layoutShift += entry.value
  }).observe({ type: 'layout-shift', buffered: true })
}

/** The state is still changing while the last prices arrive. */
async function unmoved(page: Page): Promise<void> {
  const read = () => page.evaluate(() => globalThis.layoutShift)
  for (let [last, next] = [Number.NaN, await read()]; last !== next; [last, next] = [next, await read()])
    await page.waitForTimeout(500)
}

test.each([
  { width: 390, height: 844 },
  { width: 768, height: 1024 },
  { width: 1280, height: 900 },
])('no view moves by 0.05 while it loads, at $width px', async (viewport) => {
  const shifts: Record<string, number> = {}
  for (const { view, shows } of VIEWS) {
    const page = await open(`${url}#/${view}`, { viewport, beforeLoad: observeShifts })
    await page.locator(shows).first().waitFor()
    await settled(page)
    await unmoved(page)
    shifts[view] = await page.evaluate(() => globalThis.layoutShift)
    await page.close()
  }
  expect(Object.entries(shifts).filter(([, shift]) => shift >= 0.05)).toEqual([])
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
