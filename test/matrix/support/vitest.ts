import { createRequire } from 'node:module'
import { join } from 'node:path'
import { exec, tail } from './exec.ts'
import { MODULES, type Project } from './project.ts'
import { NotInstalledError } from './result.ts'

export interface VitestRun {
  /** The Node that runs it. */
  readonly node: string
  /** The file of its configuration in the project. */
  readonly config: string
  /** What is tested with. */
  readonly version: string
  readonly env: Record<string, string>
}

/** Runs vitest in a project. @throws with what failed */
export async function runVitest(project: Project, { node, config, version, env }: VitestRun) {
  const bin = join(project.folder, 'node_modules/vitest/vitest.mjs')
  const args = [bin, 'run', '--root', project.folder, '--config', join(project.folder, config), '--reporter=json']
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

/** The version of a package of the matrix. */
export function versionOf(name: string): string {
  try {
    return (createRequire(import.meta.url)(join(MODULES, name, 'package.json')) as { version: string }).version
  } catch {
    throw new NotInstalledError('not installed: npm ci --prefix test/matrix')
  }
}
