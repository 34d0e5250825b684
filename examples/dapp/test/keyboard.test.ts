import type { Page } from 'playwright-core'
import { expect, inject, test } from 'vitest'
import { bought, reload, settled, shown } from './support/demo.ts'
import { usePages } from './support/open-page.ts'

const open = usePages()

const focused = (page: Page) =>
  page.evaluate(() => `${document.activeElement?.tagName} ${document.activeElement?.textContent?.slice(0, 40)}`)

/** Presses Tab until the focused element begins with the text. */
async function tabTo(page: Page, text: string): Promise<void> {
  for (let presses = 0; presses < 120; presses++) {
    await page.keyboard.press('Tab')
    const found = await page.evaluate(() => document.activeElement?.textContent?.trim() ?? '')
    if (found.startsWith(text)) return
  }
  throw new Error(`Tab never reached "${text}"`)
}

/** Waits until a view is shown and has the focus, from where Tab goes on. */
async function focusedView(page: Page, name: string): Promise<void> {
  await shown(page, name)
  await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('MAIN')
}

test('the whole page can be used with the keyboard alone', async () => {
  const page = await open(inject('demoUrl'))
  await settled(page)

  await page.keyboard.press('Tab')
  expect(await focused(page)).toContain('Skip to content')
  await page.keyboard.press('Enter')
  expect(await focused(page)).toMatch(/^MAIN/)

  await reload(page)
  await tabTo(page, 'Candles')
  await page.keyboard.press('Enter')
  await focusedView(page, 'Candles')

  const candlesBought = async () => (await bought(page)).filter(({ operation }) => operation === 'token.candles').length
  await tabTo(page, '4 hours')
  expect(await candlesBought()).toBe(1)
  await page.keyboard.press('Enter')
  await expect.poll(candlesBought).toBe(2)
  await settled(page)
  // Moving along the switch buys nothing, and neither does pressing the chosen value.
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Space')

  await tabTo(page, 'The newest 20 candles')
  await page.keyboard.press('Enter')
  await expect.poll(() => page.locator('details').getByRole('row').count()).toBe(21)
  expect(await candlesBought()).toBe(2)

  await page.goBack()
  await focusedView(page, 'Tokens')
  await tabTo(page, 'Wallet')
  await page.keyboard.press('Enter')
  await focusedView(page, 'Wallet')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.locator('.total-value').waitFor()
  const outline = await page.evaluate(() => {
    const button = document.querySelector<HTMLElement>('button[type=submit]')
    button?.focus()
    return button && getComputedStyle(button).outlineStyle
  })
  expect(outline).toBe('solid')
})
