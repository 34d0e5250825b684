import type { Page } from 'playwright-core'
import { GUIDES, SITE } from '../../../.github/site/contents.ts'
import { collectProblems } from '../support/browser.ts'
import { type Check, MAX_PROBLEMS, type Surroundings } from '../support/check.ts'

const WIDE = { width: 1280, height: 900 }

/** What a reader meets: the first code, the order of guides, the lists beside the text, and the preview of a link. */
export async function checkReading({ browser, site }: Surroundings): Promise<Check[]> {
  const context = await browser.newContext({ viewport: WIDE })
  const errors = collectProblems(context)
  const page = await context.newPage()
  await page.goto(site.url)
  const first = await page.locator('[role=main] pre').first()
  const firstCode = ((await first.textContent()) ?? '').replace(/Copy$/, '')
  const isSeen = ((await first.boundingBox())?.y ?? Number.POSITIVE_INFINITY) < WIDE.height
  const colours = await page.locator('[role=main] pre:has(code.ts)').first().evaluate(readColours)
  const checks: Check[] = [
    {
      name: 'the first code of the front page installs the package, and is seen at once',
      problems: firstCode.trim() === 'npm install etn-market' && isSeen ? [] : [`it is "${firstCode}"`],
    },
    {
      name: 'the first code in TypeScript of the front page is coloured',
      problems: colours.length > 3 ? [] : [`it has the colours ${colours.join(', ')}`],
    },
    { name: 'the code of a guide has the names of its files', problems: await readFileNames(page, site.url) },
    { name: 'guides lead to each other in their order', problems: await followGuides(page, site.url) },
    {
      name: 'the navigation is indented level by level, and cuts no name',
      problems: await readNavigation(page, site.url),
    },
  ]
  const problems = await page.evaluate(readDescriptions, { paths: site.pages, base: SITE })
  await context.close()
  const name = `${site.pages.length} pages say what they are about, and have a preview`
  return [
    ...checks,
    { name, problems: problems.slice(0, MAX_PROBLEMS) },
    { name: 'no guide raises an error', problems: errors.slice(0, MAX_PROBLEMS) },
  ]
}

/** Runs in the page. */
const readColours = (code: Element) => [
  ...new Set([...code.querySelectorAll('span')].map((part) => getComputedStyle(part).color)),
]

async function readFileNames(page: Page, url: string): Promise<string[]> {
  await page.goto(`${url}guides/prices-in-a-web-page.html`)
  const names = await page.locator('figure figcaption').allTextContents()
  const expected = ['market.ts', 'vite.config.ts', 'page.ts', 'index.html', 'market-proxy.ts']
  return String(names) === String(expected) ? [] : [`they are ${names.join(', ')}`]
}

/** From the first guide to the last one. Each leads back, too. */
async function followGuides(page: Page, url: string): Promise<string[]> {
  await page.goto(`${url}guides/getting-started.html`)
  const opened = [page.url()]
  const problems: string[] = []
  while (opened.length <= GUIDES.length) {
    const [next, previous] = [page.locator('a[rel=next]'), page.locator('a[rel=prev]')]
    const back =
      (await previous.count()) === 0 ? undefined : await previous.evaluate((link: HTMLAnchorElement) => link.href)
    if (back !== opened.at(-2)) problems.push(`${page.url()} leads back to ${back}`)
    if ((await next.count()) === 0) break
    const href = await next.evaluate((link: HTMLAnchorElement) => link.href)
    await next.click()
    await page.waitForURL(href)
    opened.push(page.url())
  }
  return new Set(opened).size === GUIDES.length ? problems : [...problems, `they are ${opened.join(', ')}`]
}

/** Opens every part of the navigation. */
async function readNavigation(page: Page, url: string): Promise<string[]> {
  await page.goto(`${url}reference/etn-market/ClientOptions.html`)
  await page.waitForSelector('#tsd-nav-container a[href*="reference/"]', { state: 'attached' })
  const { right, names } = await page.evaluate(readNames)
  if (names.length < 100) return [`there are ${names.length} names`]
  const problems = names.flatMap(({ text, box, parent }) => {
    const above = names.find(({ id }) => id === parent)
    if (box.right > right + 1) return [`${text} is cut`]
    return above && box.left <= above.box.left ? [`${text} begins left of ${above.text}`] : []
  })
  return problems.slice(0, MAX_PROBLEMS)
}

/** Runs in the page: where the letters of each name are, beside its icon and its arrow, and whose child it is. */
function readNames() {
  for (const part of document.querySelectorAll<HTMLDetailsElement>('#tsd-nav-container details')) part.open = true
  const menu = document.querySelector('.site-menu')
  const items = [...document.querySelectorAll('#tsd-nav-container li')]
  const names = items.map((item, id) => {
    const above = item.parentElement?.closest('li')
    const name = item.querySelector(':scope > a, :scope > details > summary > span')
    const range = document.createRange()
    range.selectNodeContents(name ?? item)
    const boxes = [...range.getClientRects()].filter(({ width }) => width > 0)
    return {
      id,
      parent: above ? items.indexOf(above) : -1,
      text: name?.textContent ?? 'a name',
      box: { left: Math.min(...boxes.map(({ left }) => left)), right: Math.max(...boxes.map(({ right }) => right)) },
    }
  })
  return { right: (menu?.getBoundingClientRect().left ?? 0) + (menu?.clientWidth ?? 0), names }
}

/** Runs in the page: its parser is that of a reader. */
async function readDescriptions({ paths, base }: { paths: readonly string[]; base: string }): Promise<string[]> {
  const parser = new DOMParser()
  const problems = await Promise.all(
    paths.map(async (path) => {
      const parsed = parser.parseFromString(await (await fetch(`/${path}`)).text(), 'text/html')
      const card = Object.fromEntries(
        [...parsed.querySelectorAll('meta')].map((meta) => [
          meta.getAttribute('property') ?? meta.name,
          meta.getAttribute('content') ?? '',
        ]),
      )
      const { description = '', 'og:image': image = '' } = card
      const isImage = image.startsWith(base) && (await fetch(`/${image.slice(base.length)}`, { method: 'HEAD' })).ok
      const url = path === 'index.html' ? base : base + path
      const isRight =
        description !== '' &&
        !description.startsWith('Documentation for') &&
        card['og:description'] === description &&
        card['og:title'] === parsed.title &&
        card['og:url'] === url &&
        isImage
      return isRight ? [] : [`${path}: "${description}" ${card['og:title']} ${card['og:url']} ${image}`]
    }),
  )
  return problems.flat()
}
