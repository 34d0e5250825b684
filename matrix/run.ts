/**
 * Packs the package, installs the tarball elsewhere and uses it everywhere it says it runs.
 * `--write` puts the figures into the README; `--only=TEXT` takes only what has that text in its name.
 */
import { runSuites } from './browser/run.ts'
import { runBundlers } from './bundlers/run.ts'
import { runConsumers } from './consumers/run.ts'
import { runRuntimes } from './runtimes/run.ts'
import { publish } from './support/project.ts'
import { lineOf, type Result } from './support/result.ts'
import { writeTable } from './support/table.ts'

const only =
  process.argv
    .find((arg) => arg.startsWith('--only='))
    ?.slice(7)
    .toLowerCase() ?? ''
const wanted = (name: string) => name.toLowerCase().includes(only)
const print = (line: string) => process.stdout.write(`${line}\n`)

const results: Result[] = []
const tell = (result: Result) => {
  // In CI everything can be had: what cannot is a failure, never a silent pass.
  const strict = process.env.CI === 'true' && result.outcome === 'not run'
  const told: Result = strict ? { ...result, outcome: 'failed' } : result
  results.push(told)
  print(lineOf(told))
}

const startedAt = Date.now()
const published = await publish()
try {
  await runRuntimes(published.project('runtimes'), wanted, tell)
  await runSuites(published.project, wanted, tell)
  await runConsumers(published.project, wanted, tell)
  await runBundlers(published.project('bundlers'), wanted, tell)
} finally {
  published.remove()
}

const count = (outcome: Result['outcome']) => results.filter((result) => result.outcome === outcome).length
print(`\n${Math.round((Date.now() - startedAt) / 1000)} s`)
print(`${count('ok')} passed, ${count('failed')} failed, ${count('not run')} skipped`)
if (process.argv.includes('--write') && only === '' && count('ok') === results.length) writeTable(results)
if (count('failed') > 0 || results.length === 0) process.exitCode = 1
