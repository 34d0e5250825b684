import type { Page } from 'playwright-core'
import { collectProblems } from '../support/browser.ts'
import type { Check, Surroundings } from '../support/check.ts'

/** Words that readers look for, where the first result leads, and what its excerpt or its title has. */
const QUERIES = [
  { words: 'nextjs', leadsTo: /guides\/recipes.*#next$/, shows: /next/i },
  { words: 'next.js', leadsTo: /guides\/recipes.*#next$/, shows: /next/i },
  { words: 'vite', leadsTo: /guides\/recipes.*#vite$/, shows: /vite/i },
  { words: 'express', leadsTo: /guides\/recipes.*#express-and-nodehttp$/, shows: /express/i },
  { words: 'set a budget', leadsTo: /guides\/costs-and-budgets\.html#set-a-budget$/, shows: /budget/ },
  { words: 'createClient', leadsTo: /reference\/etn-market\/createClient\.html$/, shows: /client/i },
  { words: 'etn-market/msw', leadsTo: /reference\/etn-market\/msw\.html$/, shows: /msw/ },
] as const

/** Looks for words as a reader does, and follows what is found. */
export async function checkSearch({ browser, site }: Surroundings): Promise<Check[]> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
  const problems = collectProblems(context)
  const page = await context.newPage()
  for (const { words, leadsTo, shows } of QUERIES) {
    await page.goto(site.url)
    await type(page, words)
    const first = page.locator('#tsd-search-results li').first()
    await first.waitFor()
    const [title = '', text = ''] = await Promise.all(
      ['.result-title', '.result-text'].map((part) => first.locator(part).textContent()),
    ).then((parts) => parts.map((part) => part ?? ''))
    if (text.length < 10 || !shows.test(title + text)) problems.push(`${words}: the excerpt is "${text}"`)
    // By keyboard: the first result is chosen by the arrow.
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL(/guides|reference/)
    if (!leadsTo.test(page.url())) problems.push(`${words} leads to ${page.url()}`)
    const top = await page.evaluate(() => document.querySelector(':target')?.getBoundingClientRect().top ?? 0)
    if (top < 0 || top > 900) problems.push(`${words}: the heading is at ${top} px`)
  }

  await type(page, 'budget')
  const links = page.locator('#tsd-search-results [data-href]')
  await links.first().waitFor()
  const found = await links.evaluateAll((all: HTMLElement[]) => all.map((each) => each.dataset.href ?? ''))
  for (const pattern of [/reference\/.*[bB]udget\.html$/, /guides\/.*#/])
    if (!found.some((link) => pattern.test(link)))
      problems.push(`budget finds nothing like ${pattern}: ${found.join(' ')}`)
  // By mouse, to a heading of the page that is open: the dialog goes.
  await page.goto(`${site.url}guides/costs-and-budgets.html`)
  await type(page, 'keep a budget over restarts')
  await links.first().click()
  await page.waitForURL(/#keep-a-budget-over-restarts$/)
  await page.locator('#tsd-search').waitFor({ state: 'hidden' })
  await type(page, 'qwertzuiop')
  await page.getByText('Nothing is found for “qwertzuiop”').waitFor()
  await context.close()
  const words = QUERIES.map((query) => query.words).join(', ')
  return [{ name: `the search finds ${words} and leads to their headings`, problems }]
}

async function type(page: Page, words: string): Promise<void> {
  await page.locator('#tsd-search-trigger').click()
  await page.locator('#tsd-search-input').fill(words)
}
