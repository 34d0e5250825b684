import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { type InstalledPackage, MATRIX, MODULES } from './project.ts'

/** Something that is tried with the installed package. */
export interface Check {
  /** The runtime or tool: `Node 22, require`. */
  readonly name: string
  run(installed: InstalledPackage): Promise<Found>
}

/** One line of the matrix. */
export interface Result {
  readonly name: string
  readonly outcome: 'ok' | 'failed' | 'not run'
  readonly version?: string
  /** How long the check took. */
  readonly ms: number
  /** Figures, or the reason why the check failed or did not run. */
  readonly detail: string
  /** Cells of the README's table, if the check has a row there. */
  readonly cells?: readonly string[]
}

/** What a check returns that has not failed. */
export type Found = Pick<Result, 'version' | 'detail' | 'cells'>

/** Thrown when a runtime or tool is not installed: "not run", and a failure in CI. */
export class NotInstalledError extends Error {}

/** The version of a package of the matrix. @throws NotInstalledError */
export const versionOf = (name: string): string => versionIn('test/matrix', MODULES, name)

/** The version of a package in the modules of a folder. @throws NotInstalledError */
export function versionIn(folder: string, modules: string, name: string): string {
  try {
    return (createRequire(import.meta.url)(join(modules, name, 'package.json')) as { version: string }).version
  } catch {
    throw new NotInstalledError(`not installed: npm ci --prefix ${folder}`)
  }
}

/** Runs one check and returns its result. */
export async function attempt({ name, run }: Check, installed: InstalledPackage): Promise<Result> {
  const startedAt = performance.now()
  const ms = () => performance.now() - startedAt
  try {
    return { name, outcome: 'ok', ...(await run(installed)), ms: ms() }
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error)
    return { name, outcome: error instanceof NotInstalledError ? 'not run' : 'failed', detail, ms: ms() }
  }
}

export function lineOf({ name, outcome, version = '', ms, detail }: Result): string {
  const seconds = `${(ms / 1_000).toFixed(1)} s`.padStart(7)
  return `${outcome.padEnd(8)} ${seconds}  ${name.padEnd(44)} ${version.padEnd(16)} ${detail}`
}

const [START, END] = ['<!-- results:start -->', '<!-- results:end -->']
const HEAD = [
  '| Runtime | Version | Credits | Uncertain | Requests | Resent | ms | Exit, ms |',
  '|---|---|---:|---:|---:|---:|---:|---:|',
]

/** Replaces the table in `test/matrix/README.md`. */
export function writeTable(results: readonly Result[]): void {
  const rows = results.filter(({ cells }) => cells !== undefined).map(({ cells }) => `| ${cells?.join(' | ')} |`)
  const path = join(MATRIX, 'README.md')
  const readme = readFileSync(path, 'utf8')
  const [from, to] = [readme.indexOf(START), readme.indexOf(END)]
  if (from === -1 || to < from) throw new Error(`${path} has no ${START} … ${END}.`)
  const table = [START, '', ...HEAD, ...rows, '', ''].join('\n')
  writeFileSync(path, readme.slice(0, from) + table + readme.slice(to))
}
