import { collectProblems } from '../support/browser.ts'
import type { Check, Surroundings } from '../support/check.ts'
import { MAX_PROBLEMS } from '../support/check.ts'
import { shareAmongTabs } from '../support/tabs.ts'

/** A small phone. */
const PHONE = { width: 360, height: 740 }
const WIDE = { width: 1280, height: 900 }

/** Opens every page of the site, as wide as a small phone, and looks at it once more on a desktop. */
export async function checkPages({ browser, site }: Surroundings): Promise<Check[]> {
  const context = await browser.newContext({ viewport: PHONE })
  const problems = collectProblems(context)
  const wide: string[] = []
  const untitled: string[] = []
  const scrolling: string[] = []
  await shareAmongTabs(site.pages, async (next) => {
    const page = await context.newPage()
    for (let path = next(); path !== undefined; path = next()) {
      await page.setViewportSize(PHONE)
      await page.goto(site.url + path)
      const { width, headings } = await page.evaluate(() => ({
        width: document.documentElement.scrollWidth,
        headings: document.querySelectorAll('h1').length,
      }))
      if (width > PHONE.width) wide.push(`${path} is ${width} px wide`)
      if (headings !== 1) untitled.push(`${path} has ${headings} headings of the first level`)
      await page.setViewportSize(WIDE)
      const boxes = await page.evaluate(readScrollingCode)
      scrolling.push(...boxes.map((text) => `${path}: ${text}`))
    }
    await page.close()
  })
  await context.close()
  return [
    { name: `${site.pages.length} pages load without an error`, problems: problems.slice(0, MAX_PROBLEMS) },
    { name: `${site.pages.length} pages fit in ${PHONE.width} px`, problems: wide.slice(0, MAX_PROBLEMS) },
    { name: `code of ${site.pages.length} pages fits in ${WIDE.width} px`, problems: scrolling.slice(0, MAX_PROBLEMS) },
    { name: `${site.pages.length} pages have one title`, problems: untitled.slice(0, MAX_PROBLEMS) },
  ]
}

/** Runs in the page: code that can be scrolled sideways. */
function readScrollingCode(): string[] {
  return [...document.querySelectorAll('[role=main] :is(pre, .tsd-signature)')]
    .filter((box) => box.scrollWidth > box.clientWidth)
    .map((box) => `${box.scrollWidth} > ${box.clientWidth} ${box.textContent?.slice(0, 60)}`)
}
