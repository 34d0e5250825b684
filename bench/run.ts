/**
 * Measures the built package beside bare fetch and other clients, and prints what came of it beside what it should be.
 * `--only=light,cold` takes only what has a name that begins so, `--clients=fetch,etn-market` only these clients, `--rounds=3` is
 * faster and less sure, `--write` puts a whole run into the README. Everything measured goes to `bench/results`.
 */
import { printTable } from '../examples/support/table.ts'
import { bundle } from './bundle/run.ts'
import { coldStart } from './cold/run.ts'
import { BARE, contenders } from './contenders/index.ts'
import { ratios } from './cpu/ratios.ts'
import { validation } from './cpu/validation.ts'
import { heap } from './heap/run.ts'
import { runPrograms } from './programs.ts'
import { scale } from './scale/run.ts'
import type { Outcome, Section } from './section.ts'
import { startService } from './service/start.ts'
import { install } from './support/install.ts'
import { thisMachine } from './support/machine.ts'
import { readOptions } from './support/options.ts'
import { writeReadme } from './support/readme.ts'
import { report } from './support/report.ts'
import { keepResults } from './support/results.ts'
import { typeCheck } from './types/run.ts'

const SECTIONS: readonly Section[] = [...ratios, coldStart, heap, bundle, validation, typeCheck, scale]

const { rounds, whole, write, wants, measures } = readOptions(process.argv.slice(2))
const sections = SECTIONS.filter(({ name }) => wants(name))
const chosen = contenders.filter(({ id }) => id === BARE || measures(id))

async function measureAll(): Promise<Map<string, Outcome>> {
  const outcomes = new Map<string, Outcome>()
  const service = await startService()
  try {
    for (const { name, run } of sections) {
      const startedAt = performance.now()
      outcomes.set(name, await run({ service, rounds, contenders: chosen }))
      console.log(`${name.padEnd(10)} ${((performance.now() - startedAt) / 1000).toFixed(0).padStart(4)} s`)
    }
  } finally {
    service.stop()
  }
  return outcomes
}

if (sections.length > 0) {
  install()
  const machine = thisMachine()
  const outcomes = await measureAll()
  const summary = report([...outcomes.values()], chosen, rounds, machine)
  console.log(`\n${summary.heading}`)
  for (const { head, rows } of summary.tables) {
    console.log()
    printTable(head, rows)
  }
  console.log(`\n${keepResults(outcomes, chosen, rounds, machine)}\n`)
  if (write && whole) writeReadme(summary)
}
await runPrograms(wants)
