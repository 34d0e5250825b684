import AxeBuilder from '@axe-core/playwright'
import type { Page } from 'playwright-core'
import { collectProblems } from '../support/browser.ts'
import { type Check, MAX_PROBLEMS, type Surroundings } from '../support/check.ts'
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
const COLOURS: readonly string[] = [KINDS['the front page'], 'guides/prices-in-a-web-page.html', KINDS['an interface']]

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
  /** Whether axe looks at the navigation, too, which is the same on each page. */
  hasNavigation?: boolean
}

/**
 * Opens a page of each kind and every guide, which must report no error, and runs axe on them; for the colours on some in dark; on the search;
 * and on a small phone with its menu open.
 */
export async function checkAccessibility({ browser, site }: Surroundings): Promise<Check[]> {
  const guides = site.pages.filter((path) => path.startsWith('guides/'))
  const visits: readonly Visit[] = [
    ...Object.entries(KINDS).map(([kind, path]) => ({ name: `${kind}: ${path}`, path })),
    ...guides.map((path) => ({ name: `a guide: ${path}`, path })),
    { name: 'the front page with its navigation', path: '', hasNavigation: true },
    { name: 'the search', path: '', prepare: search },
    ...COLOURS.map((path): Visit => ({ name: `dark: ${path}`, path, colorScheme: 'dark' })),
    { name: 'dark: the search', path: '', colorScheme: 'dark', prepare: search },
    { name: 'the front page on a phone', path: '', viewport: PHONE },
    { name: 'the menu of a phone', path: '', viewport: PHONE, prepare: openMenu, hasNavigation: true },
  ]
  const checks: Check[] = []
  const errors: string[] = []
  await shareAmongTabs([...visits.entries()], async (next) => {
    for (let visit = next(); visit !== undefined; visit = next()) {
      const [index, look] = visit
      const { name, path, colorScheme = 'light', viewport = WIDE, prepare } = look
      const context = await browser.newContext({ viewport, colorScheme, reducedMotion: 'reduce' })
      const reported = collectProblems(context)
      const page = await context.newPage()
      const response = await page.goto(site.url + path)
      await prepare?.(page)
      const problems = response?.ok() ? await violations(page, look) : [`there is no ${path}`]
      checks[index] = { name: `axe: ${name}`, problems }
      await context.close()
      errors.push(...reported)
    }
  })
  return [...checks, { name: `${visits.length} visits raise no error`, problems: errors.slice(0, MAX_PROBLEMS) }]
}

async function search(page: Page): Promise<void> {
  await page.locator('#tsd-search-trigger').click()
  await page.locator('#tsd-search-input').fill('budget')
  await page.locator('#tsd-search-results [data-href]').first().waitFor()
}

async function openMenu(page: Page): Promise<void> {
  await page.locator('[data-toggle="menu"]').first().click()
}

async function violations(page: Page, { path, colorScheme, prepare, hasNavigation = false }: Visit): Promise<string[]> {
  await page.waitForSelector('#tsd-nav-container li > a', { state: 'attached' })
  await page.evaluate(leaveOut, {
    navigation: !hasNavigation,
    colours: prepare === undefined && !COLOURS.includes(path),
  })
  const axe = new AxeBuilder({ page }).setLegacyMode()
  if (colorScheme === 'dark') axe.withRules('color-contrast')
  const { violations } = await axe.analyze()
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.slice(0, 3).map(({ target, html }) => `${id}: ${help}: ${target.join(' ')} ${html.slice(0, 120)}`),
  )
}

/** Runs in the page: axe takes as long as there are elements, and most are those of the navigation and the coloured parts of code. */
function leaveOut({ navigation, colours }: { navigation: boolean; colours: boolean }): void {
  if (navigation) document.querySelector('#tsd-nav-container')?.replaceChildren()
  if (colours) for (const code of document.querySelectorAll('pre code')) code.textContent = String(code.textContent)
}
