/**
 * Packs the package, installs the tarball in another folder and uses it on every supported runtime, compiler and bundler.
 *
 * - `--only=TEXT` runs only the checks whose names contain the text.
 * - `--write` puts the figures of a complete run into `test/matrix/README.md`.
 */
import { controlPage } from './browser/control-page.ts'
import { suites } from './browser/run.ts'
import { serviceWorker } from './browser/service-worker/run.ts'
import { bundlers } from './bundlers/run.ts'
import { candleChecks } from './candles/run.ts'
import { consumers } from './consumers/run.ts'
import { exampleWorker } from './examples/worker.ts'
import { fronts, pagesBehindFronts } from './fronts/run.ts'
import { generatedClients } from './generators/run.ts'
import { managers } from './managers/run.ts'
import { apps } from './native/run.ts'
import { proxies } from './proxy/run.ts'
import { testRunners } from './runners/run.ts'
import { forwardProxies } from './runtimes/forward-proxies.ts'
import { keptConnections } from './runtimes/kept-connections.ts'
import { runtimes } from './runtimes/run.ts'
import { packAndInstall } from './support/project.ts'
import { attempt, type Check, lineOf, type Result, writeTable } from './support/result.ts'

const only =
  process.argv
    .find((arg) => arg.startsWith('--only='))
    ?.slice(7)
    .toLowerCase() ?? ''
const print = (line: string) => process.stdout.write(`${line}\n`)

/** More failures than these are no matter of timing. */
const MAX_RETRIED = 3

/** These lists run side by side, because most checks wait. They take about as long as each other. */
const SIDE_BY_SIDE = [
  [
    ...runtimes,
    ...apps,
    ...keptConnections,
    ...forwardProxies,
    ...suites,
    exampleWorker,
    controlPage,
    serviceWorker,
    ...managers,
  ],
  [...proxies, ...bundlers, ...candleChecks, serviceWorker, ...generatedClients],
  [...testRunners, ...consumers],
  ...[0, 1, 2].map((list) => fronts.filter((_, i) => i % 3 === list)),
  // Each holds a connection for three minutes.
  ...pagesBehindFronts.map((one) => [one]),
]

const startedAt = Date.now()
const results = new Map<Check, Result>()
const installed = await packAndInstall()

/** How each check that is running can be made to fail. */
const running = new Map<Check, (error: unknown) => void>()
const suspects = new Set<Check>()
// Bundlers, browsers and workers are driven from this process. An error that nobody awaits belongs to one of the checks that are running.
process.on('uncaughtException', (error) => {
  if (running.size === 0) throw error
  for (const [check, fail] of running) {
    suspects.add(check)
    fail(new Error(`${error.stack}\nNo check awaited this error.`))
  }
})

async function run(check: Check): Promise<void> {
  const strayError = new Promise<never>((_, reject) => running.set(check, reject))
  const result = await attempt({ ...check, run: (given) => Promise.race([check.run(given), strayError]) }, installed)
  running.delete(check)
  // CI installs everything, so a check that cannot run there is a failure.
  const isFailure = process.env.CI === 'true' && result.outcome === 'not run'
  results.set(check, isFailure ? { ...result, outcome: 'failed' } : result)
  print(lineOf(results.get(check) as Result))
}

const ended = await Promise.allSettled(
  SIDE_BY_SIDE.map(async (checks) => {
    for (const check of checks.filter(({ name }) => name.toLowerCase().includes(only))) await run(check)
  }),
)
// Other programs wait in real time, and many of them share a machine here. What fails again alone has failed.
const failed = [...results].flatMap(([check, { outcome }]) => (outcome === 'failed' ? [check] : []))
const certain = failed.filter((check) => !suspects.has(check))
if (failed.length > 0 && certain.length <= MAX_RETRIED) {
  print('\nOnce more, alone:')
  for (const check of failed) await run(check)
}
installed.remove()
const [broken] = ended.filter((end) => end.status === 'rejected')
if (broken !== undefined) throw broken.reason

const count = (wanted: Result['outcome']) => [...results.values()].filter(({ outcome }) => outcome === wanted).length
print(`\n${Math.round((Date.now() - startedAt) / 1000)} s`)
print(`${count('ok')} passed, ${count('failed')} failed, ${count('not run')} skipped`)
if (process.argv.includes('--write') && only === '' && count('ok') === results.size) writeTable([...results.values()])
if (count('failed') > 0 || results.size === 0) process.exitCode = 1
