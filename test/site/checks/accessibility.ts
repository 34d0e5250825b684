import AxeBuilder from '@axe-core/playwright'
import type { Page } from 'playwright-core'
import type { Check, Surroundings } from '../support/check.ts'

/** One page of each kind. */
const KINDS = {
  'the front page': 'index.html',
  'a guide': 'guides/',
  'the list of entries': 'modules.html',
  'the main entry': 'reference/etn-market.html',
  'a small entry': 'reference/etn-market/format.html',
  'a function': 'reference/etn-market/createClient.html',
  'a class': 'reference/etn-market/RateLimitError.html',
  'an interface': 'reference/etn-market/ClientOptions.html',
  'a type': 'reference/etn-market/ClientEvent.html',
  'a variable': 'reference/etn-market/operations.html',
} as const

/** Those whose colours differ most: text, code, signatures. */
const DARK_KINDS: readonly string[] = ['the front page', 'a guide', 'an interface']

/** axe on a page of each kind, and for the colours on some in dark; on the search; and on a small phone with its menu open. */
export async function checkAccessibility({ browser, site }: Surroundings): Promise<Check[]> {
  const checks: Check[] = []
  for (const colorScheme of ['light', 'dark'] as const) {
    const context = await browser.newContext({
      viewport: { width: 1280, height: 900 },
      colorScheme,
      reducedMotion: 'reduce',
    })
    const page = await context.newPage()
    for (const [kind, start] of Object.entries(KINDS)) {
      if (colorScheme === 'dark' && !DARK_KINDS.includes(kind)) continue
      const path = site.pages.find((each) => each.startsWith(start))
      if (path === undefined) {
        checks.push({ name: `axe: ${kind}`, problems: [`there is no ${start}`] })
        continue
      }
      await page.goto(site.url + path)
      checks.push({ name: `axe: ${kind}, ${colorScheme}: ${path}`, problems: await violations(page, colorScheme) })
    }
    await page.goto(site.url)
    await page.locator('#tsd-search-trigger').click()
    await page.locator('#tsd-search-input').fill('budget')
    await page.locator('#tsd-search-results li a[data-href]').first().waitFor()
    checks.push({ name: `axe: the search, ${colorScheme}`, problems: await violations(page, colorScheme) })
    await context.close()
  }
  const phone = await browser.newContext({ viewport: { width: 360, height: 740 }, reducedMotion: 'reduce' })
  const page = await phone.newPage()
  await page.goto(site.url)
  checks.push({ name: 'axe: the front page on a phone', problems: await violations(page) })
  await page.locator('[data-toggle="menu"]').first().click()
  checks.push({ name: 'axe: the menu of a phone', problems: await violations(page) })
  await phone.close()
  return checks
}

async function violations(page: Page, colorScheme: 'light' | 'dark' = 'light'): Promise<string[]> {
  await page.waitForSelector('#tsd-nav-container li > a', { state: 'attached' })
  const axe = new AxeBuilder({ page }).setLegacyMode()
  const { violations } = await (colorScheme === 'dark' ? axe.withRules('color-contrast') : axe).analyze()
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.slice(0, 3).map(({ target, html }) => `${id}: ${help}: ${target.join(' ')} ${html.slice(0, 120)}`),
  )
}
