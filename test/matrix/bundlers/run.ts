import { join, relative } from 'node:path'
import { bundleScenario } from '../runtimes/bundle.ts'
import { visit } from '../runtimes/chromium.ts'
import { check } from '../scenario/check.ts'
import { faults, keys } from '../scenario/keys.ts'
import type { Project } from '../support/project.ts'
import { attempt, type Result } from '../support/result.ts'
import { type Service, startService } from '../support/service.ts'
import { type Bundler, bundlers, scriptsIn, writePage } from './bundlers.ts'
import { gzipped, nodeUses, partsIn } from './inspect.ts'

const ESTIMATE = `import { estimateCost } from 'etn-market'\nglobalThis.cost = estimateCost('token.list', { limit: 20 })\n`

const kB = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`

/** Builds two pages with each bundler: the client, which runs the scenario in Chromium, and `estimateCost` alone. */
export async function runBundlers(
  createProject: (name: string) => Project,
  isWanted: (name: string) => boolean,
  addResult: (result: Result) => void,
): Promise<void> {
  const wanted = bundlers.filter(({ name }) => isWanted(name))
  if (wanted.length === 0) return
  const project = createProject('bundlers')
  const service = await startService(project, {
    keys: Object.fromEntries(Object.values(keys).map((key) => [key, 1e6])),
  })
  const page = await bundleScenario(project, 'page', 'page.mjs')
  const estimate = project.write('estimate.mjs', ESTIMATE)
  try {
    for (const bundler of wanted) {
      addResult(await attempt(`${bundler.name}, a page`, () => buildPage(bundler, page, project, service)))
      addResult(await attempt(`${bundler.name}, estimateCost alone`, () => buildEstimate(bundler, estimate, project)))
    }
  } finally {
    await service.close()
  }
}

async function buildPage({ name, version, build }: Bundler, entry: string, project: Project, service: Service) {
  const outdir = join(project.folder, `page-${name}`)
  await build(entry, outdir)
  const scripts = await withoutNode(outdir)
  writePage(outdir)
  await service.reset(faults)
  const report = await visit(project, relative(project.folder, join(outdir, 'index.html')), service.baseUrl)
  if (report.failure !== undefined) throw new Error(report.failure)
  const detail = `${kB(gzipped(scripts))} gzipped in ${scripts.length} files, nothing from Node; ${report.credits} credits in ${report.ms} ms`
  return { version, detail }
}

async function buildEstimate({ name, version, build }: Bundler, entry: string, project: Project) {
  const outdir = join(project.folder, `estimate-${name}`)
  await build(entry, outdir)
  const scripts = await withoutNode(outdir)
  const page = join(outdir, 'page.js')
  const others = scripts.filter((script) => script !== page)
  check('other parts in the page', partsIn(page, others), [])
  return { version, detail: `${kB(gzipped([page]))} gzipped, no client, no zod` }
}

async function withoutNode(outdir: string): Promise<string[]> {
  const scripts = scriptsIn(outdir)
  for (const script of scripts) check(`Node names in ${relative(outdir, script)}`, await nodeUses(script), [])
  return scripts
}
