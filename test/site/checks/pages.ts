import { type Check, MAX_PROBLEMS, type Surroundings } from '../support/check.ts'

/** A small phone. */
const PHONE = { width: 360, height: 740 }
const WIDE = { width: 1280, height: 900 }

/** Lays out every page of the site, as wide as a small phone and as a desktop. */
export async function checkPages({ browser, site }: Surroundings): Promise<Check[]> {
  const page = await browser.newPage({ viewport: PHONE })
  await page.goto(site.url)
  const onPhone = await page.evaluate(layOut, site.pages)
  await page.setViewportSize(WIDE)
  const onDesktop = await page.evaluate(layOut, site.pages)
  await page.close()

  const wide = onPhone.filter(({ width }) => width > PHONE.width)
  const cut = onPhone.flatMap(({ path, tables }) => tables.map((text) => `${path}: ${text}`))
  const untitled = onPhone.filter(({ headings }) => headings !== 1)
  const scrolling = onDesktop.flatMap(({ path, code }) => code.map((text) => `${path}: ${text}`))
  return [
    {
      name: `${site.pages.length} pages fit in ${PHONE.width} px`,
      problems: wide.map(({ path, width }) => `${path} is ${width} px wide`).slice(0, MAX_PROBLEMS),
    },
    { name: `tables of ${site.pages.length} pages fit in ${PHONE.width} px`, problems: cut.slice(0, MAX_PROBLEMS) },
    { name: `code of ${site.pages.length} pages fits in ${WIDE.width} px`, problems: scrolling.slice(0, MAX_PROBLEMS) },
    {
      name: `${site.pages.length} pages have one title`,
      problems: untitled.map(({ path, headings }) => `${path} has ${headings}`).slice(0, MAX_PROBLEMS),
    },
  ]
}

/**
 * Runs in a page of the site, which has the styles of all, and shows the others there, one after another: to open each takes ten times as
 * long, because a script draws the same navigation on each.
 */
async function layOut(paths: readonly string[]) {
  const parser = new DOMParser()
  const seen = []
  for (const path of paths) {
    const parsed = parser.parseFromString(await (await fetch(`/${path}`)).text(), 'text/html')
    document.body.replaceChildren(...parsed.body.childNodes)
    // What can be scrolled sideways.
    const [code = [], tables = []] = ['pre, .tsd-signature', 'table'].map((selector) =>
      [...document.querySelectorAll(`[role=main] :is(${selector})`)]
        .filter((box) => box.scrollWidth > box.clientWidth)
        .map((box) => `${box.scrollWidth} > ${box.clientWidth} ${box.textContent?.slice(0, 60)}`),
    )
    seen.push({
      path,
      width: document.documentElement.scrollWidth,
      headings: document.querySelectorAll('h1').length,
      code,
      tables,
    })
  }
  return seen
}
