/**
 * Packs the package, installs the tarball in another folder and uses it on every supported runtime, compiler and bundler.
 *
 * - `--only=TEXT` runs only the checks whose names contain the text.
 * - `--write` puts the figures of a complete run into `test/matrix/README.md`.
 */
import { runControlPage } from './browser/control-page.ts'
import { runReact } from './browser/react.ts'
import { runSuites } from './browser/run.ts'
import { runBundlers } from './bundlers/run.ts'
import { runConsumers } from './consumers/run.ts'
import { runDependencies } from './dependencies/run.ts'
import { runExamples } from './examples/run.ts'
import { runManagers } from './managers/run.ts'
import { runProxies } from './proxy/run.ts'
import { runRuntimes } from './runtimes/run.ts'
import { packAndInstall } from './support/project.ts'
import { lineOf, type Result } from './support/result.ts'
import { writeTable } from './support/table.ts'

const only =
  process.argv
    .find((arg) => arg.startsWith('--only='))
    ?.slice(7)
    .toLowerCase() ?? ''
const isWanted = (name: string) => name.toLowerCase().includes(only)
const print = (line: string) => process.stdout.write(`${line}\n`)

const results: Result[] = []
const addResult = (result: Result) => {
  // CI installs everything, so a check that cannot run there is a failure.
  const isFailure = process.env.CI === 'true' && result.outcome === 'not run'
  const counted: Result = isFailure ? { ...result, outcome: 'failed' } : result
  results.push(counted)
  print(lineOf(counted))
}

/** These lists run side by side, because most checks wait. They take about as long as each other. */
const SIDE_BY_SIDE = [
  [runRuntimes, runSuites, runExamples, runReact, runControlPage],
  [runProxies, runBundlers],
  [runDependencies, runConsumers],
]

const startedAt = Date.now()
const installed = await packAndInstall()
const managers: typeof runConsumers = (createProject, ...rest) => runManagers(createProject, installed.tarball, ...rest)
const runInTurn = async (sections: (typeof SIDE_BY_SIDE)[number]) => {
  for (const run of sections) await run(installed.createProject, isWanted, addResult)
}
const ended = await Promise.allSettled([...SIDE_BY_SIDE, [managers]].map(runInTurn))
installed.remove()
const [broken] = ended.filter((end) => end.status === 'rejected')
if (broken !== undefined) throw broken.reason

const count = (outcome: Result['outcome']) => results.filter((result) => result.outcome === outcome).length
print(`\n${Math.round((Date.now() - startedAt) / 1000)} s`)
print(`${count('ok')} passed, ${count('failed')} failed, ${count('not run')} skipped`)
if (process.argv.includes('--write') && only === '' && count('ok') === results.length) writeTable(results)
if (count('failed') > 0 || results.length === 0) process.exitCode = 1
