import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { MARKET_PAGE, REPOSITORY, SITE } from '../../../.github/site/contents.ts'
import { type Check, MAX_PROBLEMS, type Surroundings } from '../support/check.ts'
import { DOCS, ROOT } from '../support/serve.ts'

interface PageLinks {
  readonly ids: readonly string[]
  /** Values of `href` and `src`. */
  readonly links: readonly string[]
}

/** Follows every link of every page: to pages and their anchors, to files of the site, and to files of the repository. */
export async function checkLinks({ browser, site }: Surroundings): Promise<Check[]> {
  const page = await browser.newPage()
  await page.goto(site.url)
  const inFiles = await page.evaluate(readPages, site.pages)
  // The navigation is made by a script, the same for all pages.
  await page.waitForSelector('#tsd-nav-container a[href*="reference/"]', { state: 'attached' })
  const inNavigation = await page.$$eval('#tsd-nav-container a', (all) =>
    all.map((each) => each.getAttribute('href') ?? ''),
  )
  await page.close()

  const anchors = new Map(inFiles.map(({ ids }, index) => [site.pages[index] ?? '', new Set(ids)]))
  for (const path of site.files.filter((each) => each.endsWith('.svg'))) {
    const ids = [...readFileSync(join(DOCS, path), 'utf8').matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id)
    anchors.set(path, new Set(ids))
  }
  const files = new Set(site.files)
  const problemWith = (link: string, from: string): string | undefined => {
    const url = new URL(link, SITE + from)
    if (url.href.startsWith(MARKET_PAGE)) return undefined
    if (url.href.startsWith(`${REPOSITORY}/`)) return problemInRepository(url)
    if (!url.href.startsWith(SITE)) return url.protocol === 'https:' ? undefined : 'is not https'
    const path = decodeURIComponent(url.href.slice(SITE.length).replace(/[#?].*$/, '')) || 'index.html'
    if (!files.has(path)) return 'leads nowhere'
    const anchor = decodeURIComponent(url.hash.slice(1))
    const hasAnchor = anchor === '' || anchors.get(path)?.has(anchor)
    return hasAnchor ? undefined : 'has no such anchor'
  }
  const problemsOf = (from: string, links: readonly string[]) =>
    [...new Set(links)].flatMap((link) => {
      const problem = problemWith(link, from)
      return problem === undefined ? [] : [`${from}: ${link} ${problem}`]
    })

  const problems = inFiles.flatMap(({ links }, index) => problemsOf(site.pages[index] ?? '', links))
  const texts = site.files.filter((path) => /\.(md|txt)$/.test(path))
  const inTexts = texts.map((path) => [path, linksOfMarkdown(readFileSync(join(DOCS, path), 'utf8'))] as const)
  // An anchor of a Markdown file is a heading, which the page of the same name has. `llms-full.txt` is several files.
  const toPage = (path: string, link: string) =>
    link.startsWith('#')
      ? `${SITE}${path.replace(/\.(md|txt)$/, '.html')}${link}`
      : link.replace(/^(?!https:)(.*)\.md#/, '$1.html#')
  const textProblems = inTexts.flatMap(([path, links]) => {
    const own = path === 'llms-full.txt' ? links.filter((link) => !link.startsWith('#')) : links
    return problemsOf(
      path,
      own.map((link) => toPage(path, link)),
    )
  })
  const total = inFiles.reduce((sum, { links }) => sum + links.length, 0)
  return [
    { name: `${total} links of ${site.pages.length} pages lead somewhere`, problems: problems.slice(0, MAX_PROBLEMS) },
    {
      name: `${inNavigation.length} links of the navigation lead somewhere`,
      problems: inNavigation.length > 100 ? problemsOf('index.html', inNavigation) : ['there are too few'],
    },
    {
      name: `the links of llms.txt and of ${texts.length - 1} other texts lead somewhere`,
      problems: texts.includes('llms.txt') ? textProblems.slice(0, MAX_PROBLEMS) : ['there is no llms.txt'],
    },
  ]
}

/** Runs in the page: its parser is that of a reader. */
async function readPages(paths: readonly string[]): Promise<PageLinks[]> {
  const parser = new DOMParser()
  return Promise.all(
    paths.map(async (path) => {
      const parsed = parser.parseFromString(await (await fetch(`/${path}`)).text(), 'text/html')
      const ids = [...parsed.querySelectorAll('[id]')].map(({ id }) => id)
      const links = [...parsed.querySelectorAll('[href], [src], [srcset]')].flatMap((each) =>
        ['href', 'src', 'srcset'].map((name) => each.getAttribute(name)),
      )
      return { ids, links: links.filter((link) => link !== null) }
    }),
  )
}

function problemInRepository(url: URL): string | undefined {
  const [, path] = /\/(?:blob|tree)\/[^/]+\/([^#]+)/.exec(url.href) ?? []
  if (path === undefined) return undefined
  if (!existsSync(join(ROOT, path))) return 'is not in the repository'
  const [, number] = /^#L(\d+)$/.exec(url.hash) ?? []
  const lines = number === undefined ? 0 : readFileSync(join(ROOT, path), 'utf8').split('\n').length
  return Number(number ?? 0) > lines ? 'has no such line' : undefined
}

/** Code is left out: it may look like a link. */
function linksOfMarkdown(text: string): string[] {
  const prose = text.replace(/^```.*?^```$/gms, '').replace(/`[^`\n]*`/g, '')
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)
}
