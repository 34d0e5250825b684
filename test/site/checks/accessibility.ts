import axeCore from 'axe-core'
import type { Page } from 'playwright-core'
import { collectProblems } from '../support/browser.ts'
import { type Check, MAX_PROBLEMS, type Surroundings } from '../support/check.ts'

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

declare global {
  /** In the page, once it is loaded there. */
  var axe: typeof import('axe-core') | undefined
}

/**
 * Opens a page of each kind, which must report no error, and runs axe on it; then on every guide, for the colours on some in dark, on the
 * search, and on a small phone with its menu open. The navigation, which is the same on each page, is looked at once.
 */
export async function checkAccessibility({ browser, site }: Surroundings): Promise<Check[]> {
  const context = await browser.newContext({ viewport: WIDE, colorScheme: 'light', reducedMotion: 'reduce' })
  const errors = collectProblems(context)
  const page = await context.newPage()
  const checks: Check[] = []
  const look = async (name: string, rules?: readonly string[]) =>
    checks.push({ name: `axe: ${name}`, problems: await violations(page, rules) })
  const lookAtPage = async (name: string, path: string) => {
    await page.evaluate(leaveOut, { colours: !COLOURS.includes(path) })
    await look(`${name}: ${path}`)
    if (!COLOURS.includes(path)) return
    await page.emulateMedia({ colorScheme: 'dark' })
    await look(`dark: ${path}`, ['color-contrast'])
    await page.emulateMedia({ colorScheme: 'light' })
  }

  for (const [kind, path] of Object.entries(KINDS)) {
    await open(page, site.url + path)
    await lookAtPage(kind, path)
  }
  const guides = site.pages.filter((path) => path.startsWith('guides/'))
  await open(page, site.url + guides[0])
  for (const path of guides) {
    await page.evaluate(showPage, path)
    await lookAtPage('a guide', path)
  }

  await open(page, site.url)
  await look('the front page with its navigation')
  await page.locator('#tsd-search-trigger').click()
  await page.locator('#tsd-search-input').fill('budget')
  await page.locator('#tsd-search-results [data-href]').first().waitFor()
  await page.evaluate(leaveOut, { colours: true })
  await look('the search')
  await page.emulateMedia({ colorScheme: 'dark' })
  await look('dark: the search', ['color-contrast'])

  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize(PHONE)
  await open(page, site.url)
  await page.locator('[data-toggle="menu"]').first().click()
  await look('the front page on a phone, with its menu')
  await context.close()
  return [...checks, { name: 'a page of each kind raises no error', problems: errors.slice(0, MAX_PROBLEMS) }]
}

async function open(page: Page, url: string): Promise<void> {
  await page.goto(url)
  await page.waitForSelector('#tsd-nav-container li > a', { state: 'attached' })
  await page.evaluate(axeCore.source)
}

async function violations(page: Page, rules?: readonly string[]): Promise<string[]> {
  const found = await page.evaluate(async (values) => {
    // Within one frame the page learns its new sizes and makes what scrolls reachable by the keyboard. The second one begins after that.
    for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame)
    // A colour on its way to another one has a contrast of its own.
    await Promise.allSettled(
      document.getAnimations().flatMap((each) => (each instanceof CSSTransition ? [each.finished] : [])),
    )
    const options = { resultTypes: ['violations' as const], ...(values && { runOnly: [...values] }) }
    return (await globalThis.axe?.run(options))?.violations ?? []
  }, rules)
  return found.flatMap(({ id, help, nodes }) =>
    nodes.slice(0, 3).map(({ target, html }) => `${id}: ${help}: ${target.join(' ')} ${html.slice(0, 120)}`),
  )
}

/** Runs in a page of the same folder, and shows another one there: to open it takes ten times as long. */
async function showPage(path: string): Promise<void> {
  const text = await (await fetch(`/${path}`)).text()
  const parsed = new DOMParser().parseFromString(text, 'text/html')
  document.title = parsed.title
  document.body.replaceChildren(...parsed.body.childNodes)
}

/** Runs in the page: axe takes as long as there are elements, and most are those of the navigation and the coloured parts of code. */
function leaveOut({ colours }: { colours: boolean }): void {
  document.querySelector('#tsd-nav-container')?.replaceChildren()
  if (colours) for (const code of document.querySelectorAll('pre code')) code.textContent = String(code.textContent)
}
