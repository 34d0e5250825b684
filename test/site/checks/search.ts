import { collectProblems } from '../support/browser.ts'
import type { Check, Surroundings } from '../support/check.ts'

/** Looks for "budget" as a reader does. */
export async function checkSearch({ browser, site }: Surroundings): Promise<Check[]> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
  const problems = collectProblems(context)
  const page = await context.newPage()
  await page.goto(site.url)
  await page.locator('#tsd-search-trigger').click()
  await page.locator('#tsd-search-input').fill('budget')
  const results = page.locator('#tsd-search-results li a[data-href]')
  await results.first().waitFor()
  const found = await results.evaluateAll((all: HTMLElement[]) => all.map((each) => each.dataset.href ?? ''))
  const isFound = (pattern: RegExp) => found.some((link) => pattern.test(link))
  if (!isFound(/reference\/.*[bB]udget\.html$/)) problems.push(`no name is found: ${found.join(' ')}`)
  if (!isFound(/guides\//)) problems.push(`no guide is found: ${found.join(' ')}`)
  // By keyboard and by mouse: the first result is chosen by the arrow.
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.waitForURL(/guides|reference/)
  await page.locator('#tsd-search-trigger').click()
  await page.locator('#tsd-search-input').fill('createClient')
  await results.first().click()
  await page.waitForURL(/createClient\.html/)
  await context.close()
  return [{ name: 'the search finds "budget" in the reference and in the guides', problems }]
}
