import type { Page } from 'playwright-core'
import { expect, inject, test } from 'vitest'
import { findings } from './support/axe.ts'
import { bought, openView, PRICE, ROWS, settled, spent } from './support/demo.ts'
import { usePages } from './support/open-page.ts'

const open = usePages()
const url = inject('demoUrl')
/** What the header says is left. */
const meter = async (page: Page) => (await page.locator('.meter-figure').textContent())?.trim()
/** The coloured part of the meter, in percent. */
const barWidth = (page: Page) =>
  page.locator('.meter-left').evaluate((bar: HTMLElement) => Number.parseFloat(bar.style.width))
/** The browser's own message. */
const refused = (status: number) => new RegExp(`the server responded with a status of ${status}`)

test('a visitor without credits reads when they are back, and keeps what is loaded', async () => {
  const page = await open(`${url}?credits=400`, { expected: refused(429) })
  await settled(page)
  await expect.poll(() => meter(page)).toBe('200 credits left')
  expect(await barWidth(page)).toBe(50)
  await openView(page, 'Pools')
  await page.getByRole('heading', { name: 'Not enough credits left' }).waitFor()
  const alert = page.getByRole('alert')
  expect(await alert.textContent()).toMatch(/Your credits reset (in (23|24) hours|tomorrow), on \w/)
  expect(await alert.textContent()).toContain('Nothing was charged.')
  expect(await page.getByRole('button', { name: 'Try again' }).getAttribute('aria-disabled')).toBe('true')
  expect(await findings(page)).toEqual([])
  expect(await meter(page)).toBe('200 credits left')
  await openView(page, 'Tokens')
  expect(await page.getByRole('row').count()).toBe(21)
  // Something that fits is still sold.
  await openView(page, 'NFT floors')
  await page.locator('.nft').first().waitFor()
  expect((await bought(page)).map(({ credits }) => credits)).toEqual([200, 25])
  await expect.poll(() => spent(page)).toBe(225)
})

test('a meter that knows nothing says so, and never that everything is left, until a refusal says it', async () => {
  const page = await open(`${url}?credits=50#/wallet`, { expected: refused(429) })
  expect(await meter(page)).toBe('– credits left')
  expect(await barWidth(page)).toBe(0)
  await openView(page, 'Tokens')
  await page.getByRole('heading', { name: 'Not enough credits left' }).waitFor()
  await expect.poll(() => meter(page)).toBe('50 credits left')
})

test('credits in the address that there cannot be are named, and the demo opens without them', async () => {
  const page = await open(`${url}?credits=abc`)
  await page.getByText('“credits=abc”').waitFor()
  expect(await page.getByRole('alert').textContent()).not.toContain('service worker')
  await page.getByRole('link', { name: 'Open the demo without it' }).click()
  await settled(page)
  await expect.poll(() => meter(page)).toBe('49,800 credits left')
})

test('a busy service is named, and asked again after its wait', async () => {
  const page = await open(`${url}#/locks`, { expected: refused(503) })
  await page.getByRole('button', { name: 'Keep the service busy' }).click()
  await page.getByRole('button', { name: 'Find locks' }).click()
  await page.getByRole('heading', { name: 'The service is busy' }).waitFor({ timeout: 15_000 })
  const alert = (await page.getByRole('alert').textContent()) ?? ''
  expect(alert).toContain('Nothing was charged.')
  expect(alert).toContain('two of these calls at a time')
  await page.getByRole('button', { name: 'Keep the service busy' }).click()
  const again = page.getByRole('button', { name: /^Try again 2,000 credits/ })
  await again.waitFor({ timeout: 10_000 })
  await expect.poll(() => again.getAttribute('aria-disabled')).toBe('false')
  await again.click()
  await page.locator('time[datetime]').first().waitFor()
  expect((await bought(page)).filter(({ operation }) => operation === 'locks.get')).toHaveLength(1)
})

test('a service that fails is reported, and another attempt gets the data', async () => {
  const page = await open(url, { expected: /Failed to load resource/ })
  await settled(page)
  await page.evaluate(() => globalThis.demo?.fake.fault({ operation: 'nft.stats', status: 500, times: 9 }))
  await openView(page, 'NFT floors')
  await page.getByRole('heading', { name: 'That did not work' }).waitFor({ timeout: 15_000 })
  expect(await page.getByRole('alert').textContent()).toContain('Nothing was charged.')
  expect(await spent(page)).toBe(200)
  await page.evaluate(() => globalThis.demo?.fake.faults().forEach((fault) => void fault.remove()))
  await page.getByRole('button', { name: /^Try again 25 credits/ }).click()
  await page.locator('.nft').first().waitFor()
  await expect.poll(() => spent(page)).toBe(225)
})

test('a service busy with light calls says nothing of two at a time; a page out of credits, that its operator has to act', async () => {
  const page = await open(url, { expected: /status of 50[23]/ })
  await settled(page)
  await page.evaluate(() => {
    const busy = { status: 503, code: 'server_busy', retryAfter: '1' }
    globalThis.demo?.fake.fault({ operation: 'pool.list', ...busy, times: 9 })
    globalThis.demo?.fake.fault({ operation: 'presale.list', status: 402, times: 9 })
  })
  await openView(page, 'Pools')
  await page.getByRole('heading', { name: 'The service is busy' }).waitFor({ timeout: 15_000 })
  expect(await page.getByRole('alert').textContent()).not.toContain('two of these calls')
  await openView(page, 'Presales')
  await page.getByRole('heading', { name: 'This page is out of credits' }).waitFor()
})

test('prices that no longer arrive are marked, and the page says why until they do', async () => {
  const page = await open(url, { expected: /Failed to load resource/ })
  await page.locator(PRICE).first().waitFor()
  await page.getByText('Live', { exact: true }).waitFor()
  await page.evaluate(() => {
    for (const operation of ['prices.batch', 'token.price'] as const)
      globalThis.demo?.fake.fault({ operation, status: 500, times: 1_000 })
  })
  await page.getByText('The service does not answer').waitFor({ timeout: 20_000 })
  await expect.poll(() => page.locator(`${ROWS}.stale`).count(), { timeout: 20_000 }).toBeGreaterThan(10)
  await page.evaluate(() => globalThis.demo?.fake.faults().forEach((fault) => void fault.remove()))
  await page.getByText('Live', { exact: true }).waitFor({ timeout: 60_000 })
  await expect.poll(() => page.locator(`${ROWS}.stale`).count(), { timeout: 20_000 }).toBe(0)
})
