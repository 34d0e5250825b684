import { join, relative } from 'node:path'
import { chromium } from '../runtimes/browsers.ts'
import { visit } from '../runtimes/pages.ts'
import { bundleScenario } from '../runtimes/runtime.ts'
import { check } from '../scenario/check.ts'
import { faults, keys } from '../scenario/scenario.ts'
import { execOrThrow } from '../support/exec.ts'
import { MATRIX, type Project } from '../support/project.ts'
import type { Check } from '../support/result.ts'
import { startService } from '../support/service.ts'
import { bundlers as all, type Bundler, scriptsIn, writePage } from './bundlers.ts'
import { gzipped, nodeUses, partsIn } from './inspect.ts'

/** From the main entry, and from one that `exports` of the package leads to. */
const SMALL = `import { estimateCost } from 'etn-market'
import { formatPrice } from 'etn-market/format'
globalThis.texts = [estimateCost('token.list', { limit: 20 }).max, formatPrice('0.5')]
`

const kB = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`

/** Builds two pages with each bundler: the client, which runs the scenario in Chromium, and two functions alone. */
export const bundlers = all.flatMap((bundler): Check[] => [
  { name: `${bundler.name}, a page`, run: (installed) => buildPage(bundler, installed.project('bundlers')) },
  {
    name: `${bundler.name}, estimateCost and formatPrice alone`,
    run: (installed) => buildSmall(bundler, installed.project('bundlers')),
  },
])

async function buildPage({ name, version }: Bundler, project: Project) {
  const outdir = join(project.folder, `page-${name}`)
  await build(name, await bundleScenario(project, 'page', 'page.mjs'), outdir)
  const scripts = await withoutNode(outdir)
  writePage(outdir)
  const service = await startService(project, {
    keys: Object.fromEntries(Object.values(keys).map((key) => [key, 1e6])),
  })
  await service.reset(faults)
  const page = relative(project.folder, join(outdir, 'index.html'))
  const report = await visit(project, page, service.baseUrl, chromium).finally(service.close)
  if (report.failure !== undefined) throw new Error(report.failure)
  const detail = `${kB(gzipped(scripts))} gzipped in ${scripts.length} files, nothing from Node; ${report.credits} credits in ${report.ms} ms`
  return { version, detail }
}

async function buildSmall({ name, version }: Bundler, project: Project) {
  const outdir = join(project.folder, `small-${name}`)
  await build(name, project.write('small.mjs', SMALL), outdir)
  const scripts = await withoutNode(outdir)
  const page = join(outdir, 'page.js')
  const others = scripts.filter((script) => script !== page)
  check('other parts in the page', partsIn(page, others), [])
  return { version, detail: `${kB(gzipped([page]))} gzipped, no client, no zod` }
}

const build = (name: string, entry: string, outdir: string) =>
  execOrThrow(process.execPath, ['--import', 'tsx', join(MATRIX, 'bundlers/build.ts'), name, entry, outdir])

async function withoutNode(outdir: string): Promise<string[]> {
  const scripts = scriptsIn(outdir)
  for (const script of scripts) check(`Node names in ${relative(outdir, script)}`, await nodeUses(script), [])
  return scripts
}
