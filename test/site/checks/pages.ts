import { collectProblems } from '../support/browser.ts'
import type { Check, Surroundings } from '../support/check.ts'
import { MAX_PROBLEMS } from '../support/check.ts'
import { shareAmongTabs } from '../support/tabs.ts'

/** A small phone. */
const WIDTH = 360

/** Opens every page of the site, as wide as a small phone. */
export async function checkPages({ browser, site }: Surroundings): Promise<Check[]> {
  const context = await browser.newContext({ viewport: { width: WIDTH, height: 740 } })
  const problems = collectProblems(context)
  const wide: string[] = []
  const untitled: string[] = []
  await shareAmongTabs(site.pages, async (next) => {
    const page = await context.newPage()
    for (let path = next(); path !== undefined; path = next()) {
      await page.goto(site.url + path)
      const { width, headings } = await page.evaluate(() => ({
        width: document.documentElement.scrollWidth,
        headings: document.querySelectorAll('h1').length,
      }))
      if (width > WIDTH) wide.push(`${path} is ${width} px wide`)
      if (headings !== 1) untitled.push(`${path} has ${headings} headings of the first level`)
    }
    await page.close()
  })
  await context.close()
  return [
    { name: `${site.pages.length} pages load without an error`, problems: problems.slice(0, MAX_PROBLEMS) },
    { name: `${site.pages.length} pages fit in ${WIDTH} px`, problems: wide.slice(0, MAX_PROBLEMS) },
    { name: `${site.pages.length} pages have one title`, problems: untitled.slice(0, MAX_PROBLEMS) },
  ]
}
