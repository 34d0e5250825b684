import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { format } from 'node:util'
import { useFakeService } from 'etn-market/fake'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { GUIDES, REPOSITORY } from '../../.github/site/contents.ts'
import { FRESHNESS_MS } from '../../src/generated/freshness.ts'
import { examples, writeExample } from '../fake/tsdoc-examples.ts'
import { anchorOf, compile, ROOT } from '../package/code-blocks.ts'

const README = 'README.md'
const DOCUMENTS = [README, ...GUIDES]
/** `test/fake/guide.test.ts` runs the blocks of this one, with several runners. */
const RUN_ELSEWHERE = 'src/fake/GUIDE.md'
/** `test/redis/guide.test.ts` runs these. */
const NEEDS_REDIS = /from '(redis|ioredis|iovalkey)'/

interface Block {
  readonly guide: string
  /** The file of the repository that the block shows. */
  readonly shows: string | undefined
  readonly code: string
  readonly name: string
}

const textOf = (guide: string) => readFileSync(join(ROOT, guide), 'utf8')

/** A block is a module of its own, or shows a file: `ts file=examples/recipes/proxy.ts`. */
function readBlocks(guide: string): Block[] {
  const text = textOf(guide)
  return [...text.matchAll(/^```(tsx?)(?: file=(\S+))?\n(.*?)^```$/gms)].map(
    ({ index, 1: language = '', 2: shows, 3: code = '' }) => {
      const line = text.slice(0, index).split('\n').length + 1
      return { guide, shows, code, name: `${guide.replaceAll('/', '-')}-line-${line}.${language}` }
    },
  )
}

const blocks = DOCUMENTS.flatMap(readBlocks)
const modules = blocks.filter(({ shows }) => shows === undefined)

mkdirSync(join(ROOT, 'coverage'), { recursive: true })
const folder = mkdtempSync(join(ROOT, 'coverage/guides-'))
for (const { name, code } of modules) writeFileSync(join(folder, name), `${code}\nexport {}\n`)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('every block of TypeScript is found', () => {
  const fences = DOCUMENTS.flatMap((guide) => textOf(guide).match(/^```tsx?\b/gm) ?? [])
  expect(blocks).toHaveLength(fences.length)
  expect(blocks.length).toBeGreaterThan(40)
})

test('the blocks and the examples in the documentation of the fake compile, imports included', {
  timeout: 120_000,
}, () => {
  for (const example of examples) writeExample(folder, example)
  // Without paths, the names of the package lead to its published types.
  const { stdout, status } = compile(folder, { paths: {} }, ['*.ts', '*.tsx'])
  expect({ stdout, status }).toEqual({ stdout: '', status: 0 })
})

test('a block that shows a file is equal to it', () => {
  const files = blocks.filter(({ shows }) => shows !== undefined)
  expect(files.length).toBeGreaterThan(8)
  for (const { shows = '', code, name } of files) expect(textOf(shows), name).toBe(code)
})

/** What a block says that it prints: a comment behind `console.log(…)`, or one that stands alone after the statement that prints. */
function outputsOf(code: string): string[] {
  const lines = code.split('\n')
  return lines.flatMap((line, index) => {
    const [, behind] = /^\s*(?:if \(.*\) )?console\.log\(.*\) \/\/ (.*)$/.exec(line) ?? []
    if (behind !== undefined) return [behind]
    const [, alone] = /^\/\/ (.*)$/.exec(line) ?? []
    const before = lines.slice(0, index).join('\n').trimEnd()
    const prints = /console\.log\([^\n]*\)\n?\}?(?:\n\/\/ [^\n]*)*$/.test(before)
    return alone !== undefined && prints ? [alone] : []
  })
}

describe('on the fake service', () => {
  const runnable = modules.filter(({ guide, code }) => guide !== RUN_ELSEWHERE && !NEEDS_REDIS.test(code))
  const before = process.cwd()
  // Where blocks keep their files.
  beforeAll(() => process.chdir(folder))
  afterAll(() => process.chdir(before))

  test.each(runnable)('$name runs, and prints what its comments say', async ({ name, code, guide }) => {
    const fake = await useFakeService({ after: onTestFinished })
    const printed: string[] = []
    const log = vi.spyOn(console, 'log').mockImplementation((...values) => void printed.push(format(...values)))
    onTestFinished(() => log.mockRestore())
    await import(join(folder, name))
    const promised = outputsOf(code)
    expect(printed).toEqual(expect.arrayContaining(promised))
    if (guide === README) fake.expectRequests({ 'token.price': 1, 'token.list': 1 })
  })
})

/** Whether a link within the repository leads nowhere. */
function isBroken(path: string, anchor: string | undefined): boolean {
  const file = join(ROOT, path)
  if (!existsSync(file)) return true
  const headings = anchor === undefined ? [] : readFileSync(file, 'utf8').match(/^#+ .*$/gm)
  return anchor !== undefined && !headings?.some((line) => anchorOf(line.replace(/^#+ /, '')) === anchor)
}

/** Whether an absolute link into the repository leads nowhere, or has the wrong kind of address. */
function isBrokenInRepository(target: string): boolean {
  const [, kind, path = '', anchor] =
    /^\/(blob|tree|raw)\/main\/([^#]+)#?(.+)?$/.exec(target.replace(REPOSITORY, '')) ?? []
  return isBroken(path, anchor) || statSync(join(ROOT, path)).isDirectory() !== (kind === 'tree')
}

// `test/package/published.test.ts` says that these files are packed.
test.each(GUIDES)('the links and pictures of %s lead somewhere, also in the package', (guide) => {
  const links = [...textOf(guide).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target)
  const broken = links.filter((link) => {
    if (link.startsWith(`${REPOSITORY}/`)) return isBrokenInRepository(link)
    if (/^https?:/.test(link)) return false
    const [path = '', anchor] = link.split('#')
    const file = path === '' ? guide : join(dirname(guide), path)
    return ![...DOCUMENTS, 'CHANGELOG.md', 'LICENSE'].includes(file) || isBroken(file, anchor)
  })
  expect(links.length).toBeGreaterThan(0)
  expect(broken).toEqual([])
})

test('the README has at most 120 lines, and its links and pictures are absolute, for the registry, and lead somewhere', () => {
  const readme = textOf(README)
  expect(readme.split('\n').length).toBeLessThanOrEqual(120)
  const targets = [...readme.matchAll(/\]\(([^)]+)\)|(?:src|srcset)="([^"]+)"/g)].map(
    ([, link, picture]) => link ?? picture ?? '',
  )
  expect(targets.filter((target) => !/^(https:|#)/.test(target))).toEqual([])
  const own = targets.filter((target) => target.startsWith('#') || target.startsWith(`${REPOSITORY}/`))
  const inRepository = own.filter((target) => !target.includes('/actions'))
  const broken = inRepository.filter((target) =>
    target.startsWith('#') ? isBroken(README, target.slice(1)) : isBrokenInRepository(target),
  )
  expect(inRepository.length).toBeGreaterThan(20)
  expect(broken).toEqual([])
})

test.each(DOCUMENTS)('no paragraph of %s has more than four sentences', (path) => {
  const prose = textOf(path)
    .replace(/^```.*?^```$/gms, '')
    .split(/\n\n+/)
    .filter((text) => /^[A-Z`*]/.test(text))
  expect(prose.length).toBeGreaterThan(2)
  expect(prose.filter((text) => (text.match(/[.?!](\s|$)/g) ?? []).length > 4)).toEqual([])
})

test('the guide of the proxy says how long each answer is kept', () => {
  const rows = textOf('src/proxy/GUIDE.md').matchAll(/^\| (\d+) (s|min|day) \| (`.*`) \|$/gm)
  const unitMs = { s: 1_000, min: 60_000, day: 86_400_000 }
  const kept = [...rows].flatMap(([, count, unit, names = '']) =>
    names.split(', ').map((name) => [name.replaceAll('`', ''), Number(count) * unitMs[unit as keyof typeof unitMs]]),
  )
  expect(Object.fromEntries([...kept, ['account.me', 0]])).toEqual(FRESHNESS_MS)
})

/** What stands in backticks in a guide. */
const namesIn = (guide: string) =>
  (textOf(guide).match(/`[^`\n]+`/g) ?? []).flatMap((code) => code.match(/[\w.]+/g) ?? [])

const readSource = () =>
  readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !/^(cli|contract|fake|generated)\b/.test(path))
    .map((path) => textOf(`src/${path}`))
    .join('\n')

/** The names of the fields of an interface or a class, or of an object in another type, wherever it is. */
function fieldsOf(source: string, name: string): string[] {
  const declaration = new RegExp(`^export (interface|type|class) ${name}\\b(.*?)^(?:\\}|$)`, 'ms')
  const [, kind, body = ''] = declaration.exec(source) ?? []
  const field = kind !== 'type' ? /^ {2}(?:readonly )?(\w+)\??:/gm : /^ {2,6}(?:readonly )?(\w+)\??:/gm
  return [...body.matchAll(field)].map(([, found = '']) => found)
}

test.each([
  ['src/GUIDE.md', ['ClientOptions', 'CallOptions']],
  ['src/credits/GUIDE.md', ['CreditLimit', 'BudgetOptions', 'BudgetTotals', 'CreditsReport', 'CostEstimate']],
  ['src/request/GUIDE.md', ['EtnMarketError']],
  ['src/sweep/GUIDE.md', ['SweepOptions', 'SweepProgress', 'SweepSuccess']],
  [
    'src/feed/GUIDE.md',
    ['FeedOptions', 'FeedStreamOptions', 'FeedStatus', 'WatchOptions', 'AlertOptions', 'FeedPrice'],
  ],
  ['src/candles/GUIDE.md', ['CandleWatchOptions']],
  ['src/trades/GUIDE.md', ['TradesOptions']],
  ['src/portfolio/GUIDE.md', ['PortfolioOptions', 'Portfolio', 'PortfolioPosition']],
  ['src/proxy/GUIDE.md', ['ProxyCallOptions', 'AllowedOperation', 'ProxyStreamOptions', 'VisitorLimits']],
  ['src/proxy/GUIDE.md', ['PriceStreamOptions', 'CreditMeterState', 'CreditMeterOptions', 'EtnQuerySettings']],
  ['src/redis/GUIDE.md', ['RedisFleetOptions', 'FleetStatus']],
])('%s names every field of %s', (guide, interfaces) => {
  const source = readSource()
  const fields = interfaces.flatMap((name) => {
    const found = fieldsOf(source, name)
    expect(found.length, name).toBeGreaterThan(0)
    return found
  })
  const named = namesIn(guide)
  expect(fields.filter((field) => !named.includes(field))).toEqual([])
})

test.each([
  ['src/request/GUIDE.md', 'src/client/events.ts', 17],
  ['src/feed/GUIDE.md', 'src/feed/events.ts', 12],
])('%s names every event of %s', (guide, file, count) => {
  const lines = textOf(file).match(/^ {2}type: .*$/gm) ?? []
  const types = lines.flatMap((line) => [...line.matchAll(/'([^']+)'/g)].map(([, type = '']) => type))
  expect(types.length).toBeGreaterThanOrEqual(count)
  const named = namesIn(guide)
  expect(types.filter((type) => !named.includes(type))).toEqual([])
})

test('the guide of errors names every class of error', async () => {
  const classes = Object.keys(await import('etn-market')).filter((name) => /^[A-Z].*Error$/.test(name))
  expect(classes.length).toBeGreaterThan(15)
  const named = namesIn('src/request/GUIDE.md')
  expect(classes.filter((name) => !named.includes(name))).toEqual([])
})
