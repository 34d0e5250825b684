import AxeBuilder from '@axe-core/playwright'
import type { Page } from 'playwright-core'
import type { Check, Surroundings } from '../support/check.ts'
import { shareAmongTabs } from '../support/tabs.ts'

/** One page of each kind. */
const KINDS = {
  'the front page': 'index.html',
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
const DARK_PAGES: readonly string[] = [
  KINDS['the front page'],
  'guides/prices-in-a-web-page.html',
  KINDS['an interface'],
]

const WIDE = { width: 1280, height: 900 }
const PHONE = { width: 360, height: 740 }

/** One look at a page. */
interface Visit {
  readonly name: string
  readonly path: string
  readonly colorScheme?: 'dark'
  readonly viewport?: typeof PHONE
  /** Brings the page into the state to look at. */
  prepare?(page: Page): Promise<void>
}

/** axe on a page of each kind, on every guide, and for the colours on some in dark; on the search; and on a small phone with its menu open. */
export async function checkAccessibility({ browser, site }: Surroundings): Promise<Check[]> {
  const guides = site.pages.filter((path) => path.startsWith('guides/'))
  const visits: readonly Visit[] = [
    ...Object.entries(KINDS).map(([kind, path]) => ({ name: `${kind}: ${path}`, path })),
    ...guides.map((path) => ({ name: `a guide: ${path}`, path })),
    { name: 'the search', path: '', prepare: search },
    ...DARK_PAGES.map((path): Visit => ({ name: `dark: ${path}`, path, colorScheme: 'dark' })),
    { name: 'dark: the search', path: '', colorScheme: 'dark', prepare: search },
    { name: 'the front page on a phone', path: '', viewport: PHONE },
    { name: 'the menu of a phone', path: '', viewport: PHONE, prepare: openMenu },
  ]
  const checks: Check[] = []
  await shareAmongTabs([...visits.entries()], async (next) => {
    for (let visit = next(); visit !== undefined; visit = next()) {
      const [index, { name, path, colorScheme = 'light', viewport = WIDE, prepare }] = visit
      const context = await browser.newContext({ viewport, colorScheme, reducedMotion: 'reduce' })
      const page = await context.newPage()
      const response = await page.goto(site.url + path)
      await prepare?.(page)
      const problems = response?.ok() ? await violations(page, colorScheme) : [`there is no ${path}`]
      checks[index] = { name: `axe: ${name}`, problems }
      await context.close()
    }
  })
  return checks
}

async function search(page: Page): Promise<void> {
  await page.locator('#tsd-search-trigger').click()
  await page.locator('#tsd-search-input').fill('budget')
  await page.locator('#tsd-search-results [data-href]').first().waitFor()
}

async function openMenu(page: Page): Promise<void> {
  await page.locator('[data-toggle="menu"]').first().click()
}

async function violations(page: Page, colorScheme: 'light' | 'dark'): Promise<string[]> {
  await page.waitForSelector('#tsd-nav-container li > a', { state: 'attached' })
  const axe = new AxeBuilder({ page }).setLegacyMode()
  const { violations } = await (colorScheme === 'dark' ? axe.withRules('color-contrast') : axe).analyze()
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.slice(0, 3).map(({ target, html }) => `${id}: ${help}: ${target.join(' ')} ${html.slice(0, 120)}`),
  )
}
