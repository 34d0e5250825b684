/**
 * Compares the built package with bare fetch and with other clients, and prints each figure with its target.
 *
 * - `--only=light,cold` runs only the sections whose names begin with one of these.
 * - `--clients=fetch,etn-market` measures only these clients.
 * - `--rounds=3` is faster and less exact than the default.
 * - `--small` makes the section `fleet` short and less exact. `--patient` lets it make all its calls on a busy machine, too.
 * - `--against main` builds another commit, compares it with the working tree, and measures nothing else.
 * - `--write` puts the tables of a complete run into `test/bench/README.md`, and those of `economics`, `fleet` and `proxy` whenever they run.
 *
 * All single measurements go to `test/bench/results`.
 */
import { printTable } from '../../examples/support/table.ts'
import { compareAgainst } from './against/run.ts'
import { bundle } from './bundle/run.ts'
import { coldStart } from './cold/run.ts'
import { BARE, contenders } from './contenders/index.ts'
import { ratios } from './cpu/ratios.ts'
import { validation } from './cpu/validation.ts'
import { heap } from './heap/run.ts'
import { importTime } from './import/run.ts'
import { runPrograms } from './programs.ts'
import { scale } from './scale/run.ts'
import type { Section, SectionResult } from './section.ts'
import { startService } from './service/start.ts'
import { install } from './support/install.ts'
import { thisMachine } from './support/machine.ts'
import { readOptions } from './support/options.ts'
import { writeReadme } from './support/readme.ts'
import { createReport } from './support/report.ts'
import { saveResults } from './support/save-results.ts'
import { typeCheck } from './types/run.ts'

const DEFAULT_ROUNDS = 9

const SECTIONS: readonly Section[] = [...ratios, coldStart, importTime, heap, bundle, validation, typeCheck, scale]

const clientIds = contenders.map(({ id }) => id)
const args = process.argv.slice(2)
const { isComplete, write, against, only, wantsSection, wantsClient, ...options } = readOptions(args, clientIds)
const rounds = options.rounds ?? DEFAULT_ROUNDS
const sections = SECTIONS.filter(({ name }) => wantsSection(name))
const measured = contenders.filter(({ id }) => id === BARE || wantsClient(id))

async function runSections(): Promise<Map<string, SectionResult>> {
  const results = new Map<string, SectionResult>()
  const service = await startService()
  try {
    for (const { name, run } of sections) {
      const startedAt = performance.now()
      results.set(name, await run({ service, rounds, contenders: measured }))
      console.log(`${name.padEnd(14)} ${((performance.now() - startedAt) / 1000).toFixed(0).padStart(4)} s`)
    }
  } finally {
    service.stop()
  }
  return results
}

async function measureSections(): Promise<void> {
  install()
  const machine = thisMachine()
  const results = await runSections()
  const report = createReport([...results.values()], measured, rounds, machine)
  console.log(`\n${report.heading}`)
  for (const { head, rows } of report.tables) {
    console.log()
    printTable(head, rows)
  }
  console.log(`\n${saveResults(results, measured, rounds, machine)}\n`)
  if (write && isComplete) writeReadme(report)
}

if (against !== undefined) await compareAgainst(against, { rounds: options.rounds, only })
else {
  if (sections.length > 0) await measureSections()
  await runPrograms(wantsSection, args)
}
