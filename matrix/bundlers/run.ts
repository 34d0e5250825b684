import { join, relative } from 'node:path'
import { check } from '../journey/check.ts'
import { faults, keys } from '../journey/keys.ts'
import { bundleJourney } from '../runtimes/bundle.ts'
import { visit } from '../runtimes/chromium.ts'
import type { Project } from '../support/project.ts'
import { attempt, type Result } from '../support/result.ts'
import { type Service, startService } from '../support/service.ts'
import { type Bundler, bundlers, scriptsIn, writePage } from './bundlers.ts'
import { gzipped, nodeTraces, partsIn } from './inspect.ts'

const ESTIMATE = `import { estimateCost } from 'etn-market'\nglobalThis.cost = estimateCost('token.list', { limit: 20 })\n`

const kB = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`

/** A page with the client, and one with the estimator alone, built by each bundler; the former makes the journey in Chromium. */
export async function runBundlers(
  project: Project,
  wanted: (name: string) => boolean,
  tell: (result: Result) => void,
): Promise<void> {
  const chosen = bundlers.filter(({ name }) => wanted(name))
  if (chosen.length === 0) return
  const service = await startService(project, {
    keys: Object.fromEntries(Object.values(keys).map((key) => [key, 1e6])),
  })
  const page = await bundleJourney(project, 'page', 'page.mjs')
  const estimate = project.write('estimate.mjs', ESTIMATE)
  try {
    for (const bundler of chosen) {
      tell(await attempt(`${bundler.name}, a page`, () => buildPage(bundler, page, project, service)))
      tell(await attempt(`${bundler.name}, estimateCost alone`, () => buildEstimate(bundler, estimate, project)))
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
  await service.begin(faults)
  const report = await visit(project, relative(project.folder, join(outdir, 'index.html')), service.baseUrl)
  if (report.failure !== undefined) throw new Error(report.failure)
  const detail = `${kB(gzipped(scripts))} gzipped in ${scripts.length} files, nothing of Node; ${report.credits} credits in ${report.ms} ms`
  return { version, detail }
}

async function buildEstimate({ name, version, build }: Bundler, entry: string, project: Project) {
  const outdir = join(project.folder, `estimate-${name}`)
  await build(entry, outdir)
  const scripts = await withoutNode(outdir)
  const page = join(outdir, 'page.js')
  const others = scripts.filter((script) => script !== page)
  check('what came along', partsIn(page, others), [])
  return { version, detail: `${kB(gzipped([page]))} gzipped, no client, no zod` }
}

async function withoutNode(outdir: string): Promise<string[]> {
  const scripts = scriptsIn(outdir)
  for (const script of scripts) check(`traces of Node in ${relative(outdir, script)}`, await nodeTraces(script), [])
  return scripts
}
