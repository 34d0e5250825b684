import { join } from 'node:path'
import { build } from 'esbuild'
import { check } from '../scenario/check.ts'
import { exec, tail } from '../support/exec.ts'
import { type InstalledPackage, MATRIX, type Project } from '../support/project.ts'
import { type Check, type Found, versionOf } from '../support/result.ts'
import { listenAnywhere, versionOfFront, withFront } from './front-process.ts'
import { type Front, fronts as listed } from './fronts.ts'
import type { PageReport } from './page.ts'
import { type PageFront, pageFronts } from './page-fronts.ts'
import { COST, FAULTS, type FaultName, LIMIT, type Report, type Trial } from './trials.ts'

/** Puts each front between the client and a service that charges and then breaks. */
export const fronts = listed.map(
  (front): Check => ({
    name: `fronts: ${front.name}`,
    run: (installed) => tryFront(front, installed.project('fronts')),
  }),
)

/** Puts each front of the guide, with its configuration, between a page and a proxy. They wait most of the time. */
export const pagesBehindFronts: readonly Check[] = [
  ...pageFronts.map((front) => ({
    name: `fronts: a page behind ${front.name}`,
    run: (installed: InstalledPackage) => showPage(front, installed.project('fronts')),
  })),
  {
    name: 'fronts: a page behind Express with compression()',
    async run(installed) {
      const version = versionOf('express')
      const project = installed.project('fronts-express')
      for (const name of ['express', 'compression']) project.link(name)
      const program = await bundle(project, 'page-process', 'page-express')
      const report = await play(project, [program, 'express', String(await freePort())], version)
      return { version, detail: detailOf(report) }
    },
  },
]

async function showPage(front: PageFront, project: Project): Promise<Found> {
  const version = await versionOfFront(front)
  const program = await bundle(project, 'page-process', `page-${front.name}`)
  const report = await withFront(front, ({ port, upstream }) =>
    play(project, [program, String(port), String(upstream)], version),
  )
  check('X-Forwarded-Proto', report.forwardedProto, 'http')
  check('X-Forwarded-For', report.forwardedFor, front.forwardedFor ?? '127.0.0.1')
  return { version, detail: detailOf(report) }
}

async function play(project: Project, args: readonly string[], version: string): Promise<PageReport> {
  const { code, stdout, stderr } = await exec(process.execPath, args, { cwd: project.folder, limitMs: 400_000 })
  if (code !== 0 || stderr !== '') throw new Error(`${version}: exited with ${code}: ${tail(stdout + stderr, 30)}`)
  return JSON.parse(stdout)
}

const detailOf = ({ slowestMs, heldMs, noticedMs }: PageReport) =>
  `prices ${slowestMs} ms later at most; one stream for ${Math.round(heldMs / 1_000)} s; who left was noticed after ${noticedMs} ms`

async function freePort(): Promise<number> {
  const { server, port } = await listenAnywhere()
  server.close()
  return port
}

async function tryFront(front: Front, project: Project): Promise<Found> {
  const version = await versionOfFront(front)
  const program = await bundle(project, 'process', front.name)
  const { trials, answers } = await withFront(front, async ({ port, upstream }): Promise<Report> => {
    const args = [program, String(port), String(upstream), JSON.stringify(front.plays ?? {})]
    const { code, stdout, stderr } = await exec(process.execPath, args, { cwd: project.folder, limitMs: 60_000 })
    if (code !== 0 || stderr !== '') throw new Error(`${version}: exited with ${code}: ${tail(stdout + stderr, 30)}`)
    return JSON.parse(stdout)
  })
  for (const [name, { real, played }] of Object.entries(answers)) check(`the fake's ${name}`, played, real)
  const wrong = trials.flatMap((trial) =>
    mistakesOf(trial).map((mistake) => `${trial.fault}, ${trial.client}: ${mistake}`),
  )
  if (wrong.length > 0) throw new Error(`${version}: ${wrong.join('; ')}`)
  const again = sentAgain(trials)
  check('requests sent again', again, front.sendsAgain ?? {})
  const all = Object.entries(again).map(([fault, count]) => `${fault} ${count}`)
  return { version, detail: `${trials.length} calls; sent again: ${all.join(', ') || 'none'}` }
}

const IS_CHARGED: Record<FaultName, boolean> = {
  'reset once': true,
  'reset each time': true,
  silent: true,
  'cut short': true,
  busy: false,
  failing: false,
  'no service': false,
}

/** What the client counted too low, or took for something else. */
function mistakesOf({ fault, client, outcome, sent, received, charged, spent, uncertain }: Trial): string[] {
  // What the front sent again shows in the balance of the key only.
  const unseen = client === 'exclusiveKey' ? 0 : Math.max(0, received - sent) * COST
  const mistakes: string[] = []
  if (charged > spent + uncertain + unseen)
    mistakes.push(`${charged} charged (${unseen} of it sent again), ${spent} spent, ${uncertain} uncertain`)
  if (client !== 'exclusiveKey' && spent + uncertain > LIMIT) mistakes.push(`${spent + uncertain} of ${LIMIT} counted`)
  if (charged > 0 !== IS_CHARGED[fault]) mistakes.push(`${charged} charged`)
  // What the service says itself passes every front as it is, and costs nothing.
  const own = { busy: 'server_busy, none', failing: 'internal_error, none' }[fault as string]
  if (own !== undefined && (outcome !== own || spent + uncertain > 0))
    mistakes.push(`${outcome}, ${uncertain} uncertain`)
  return mistakes
}

/** Requests that a front sent more often than it received them, by fault; those of all clients are equal. */
function sentAgain(trials: readonly Trial[]): Partial<Record<FaultName, number>> {
  const counts: Partial<Record<FaultName, number>> = {}
  for (const fault of Object.keys(FAULTS) as FaultName[]) {
    const all = trials
      .filter((trial) => trial.fault === fault)
      .map(({ sent, received }) => Math.max(0, received - sent))
    const [count = 0] = all
    check(`${fault}: sent again for each client`, new Set(all).size, 1)
    if (count > 0) counts[fault] = count
  }
  return counts
}

/** A file for each front, because some are tried at the same time. */
async function bundle(project: Project, entry: string, name: string): Promise<string> {
  const outfile = join(project.folder, `${name.replaceAll(/\W+/g, '-')}.mjs`)
  await build({
    entryPoints: [join(MATRIX, `fronts/${entry}.ts`)],
    tsconfigRaw: {},
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'es2022',
    outfile,
    logLevel: 'silent',
  })
  return outfile
}
