import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { exec, tail } from './exec.ts'
import { MATRIX, type Project } from './project.ts'

export interface VitestRun {
  /** The Node that runs it. */
  readonly node: string
  /** What is tested with. */
  readonly version: string
  readonly env: Record<string, string>
}

/** Puts tests into a user's project as scripts, with their configuration. */
export async function bundleTests(project: Project, paths: readonly string[]): Promise<void> {
  await build({
    entryPoints: paths.map((path) => join(MATRIX, path)),
    outdir: project.folder,
    entryNames: '[name]',
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'neutral',
    jsx: 'automatic',
    tsconfigRaw: {},
    logLevel: 'silent',
  })
  copyFileSync(join(MATRIX, 'browser/vitest.config.ts'), join(project.folder, 'vitest.config.ts'))
}

/** Runs vitest in a project. @throws with what failed */
export async function runVitest(project: Project, { node, version, env }: VitestRun) {
  const bin = join(project.folder, 'node_modules/vitest/vitest.mjs')
  const args = [bin, 'run', '--root', project.folder, '--reporter=json']
  const { code, stdout, stderr } = await exec(node, args, { cwd: project.folder, env })
  const report = /\{"numTotalTestSuites".*\}/.exec(stdout)?.[0]
  const { numPassedTests = 0, testResults = [] } = report === undefined ? {} : (JSON.parse(report) as JsonReport)
  if (code !== 0 || numPassedTests === 0) throw new Error(`${version}: ${problems(testResults)}\n${tail(stderr, 30)}`)
  return { version, detail: `${numPassedTests} tests` }
}

interface JsonReport {
  numPassedTests: number
  testResults: { message: string; assertionResults: { title: string; failureMessages: string[] }[] }[]
}

const problems = (results: JsonReport['testResults']): string =>
  results
    .flatMap(({ message, assertionResults }) => [
      message,
      ...assertionResults.flatMap(({ title, failureMessages }) => failureMessages.map((text) => `${title}: ${text}`)),
    ])
    .filter((text) => text !== '')
    .join('\n')
