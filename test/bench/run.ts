/**
 * Compares the built package with bare fetch and with other clients, as one table.
 *
 * - `--write` puts the table into `test/bench/README.md`; with `--only`, those of `economics`, `fleet` and `proxy`.
 * - `--minutes=20` measures more rounds than in the 9 minutes of the default.
 * - `--against main` builds another commit, and compares it with the working tree.
 * - `--calls --against main` compares bytes and CPU time of the client alone; `--walk` counts functions, files and changes of file.
 * - `--only=light,candles` measures these columns; `--only=fleet` and the like run one of the programs below instead.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { printTable } from '../../examples/support/table.ts'
import { compareCalls } from './calls.ts'
import { BENCH } from './support/processes.ts'
import { writeReadme } from './support/tables.ts'

/** What is not about a call alone, and prints its own figures. */
const PROGRAMS: Readonly<Record<string, string>> = {
  alone: 'alone/run.ts',
  economics: 'economics/run.ts',
  fleet: 'fleet/run.ts',
  calls: 'guard/run.ts',
  walk: 'walk/run.ts',
  proxy: 'proxy/run.ts',
  suite: 'suite/run.ts',
}
const DEFAULT_MINUTES = '9'

const args = process.argv.slice(2)
const { values } = parseArgs({
  args,
  options: {
    only: { type: 'string' },
    minutes: { type: 'string', default: DEFAULT_MINUTES },
    against: { type: 'string' },
    write: { type: 'boolean' },
    calls: { type: 'boolean' },
    walk: { type: 'boolean' },
    // For the program `walk`, which reads it itself.
    list: { type: 'string' },
    // For the program `fleet`, which reads them itself.
    small: { type: 'boolean' },
    patient: { type: 'boolean' },
  },
})
const alone = (['calls', 'walk'] as const).filter((name) => values[name])
const only = alone.length > 0 ? alone : values.only?.split(',')
const programs = Object.keys(PROGRAMS).filter((name) => only?.includes(name))
const columns = only?.filter((name) => !programs.includes(name))

if (columns === undefined || columns.length > 0) {
  const { heading, table } = await compareCalls({
    minutes: Number(values.minutes),
    against: values.against,
    isWanted: (name) => columns?.includes(name) ?? true,
  })
  console.log(`\n${heading}\n`)
  printTable(table.head, table.rows)
  if (values.write && columns === undefined && values.against === undefined)
    writeReadme({ heading, tables: [table] }, 'calls')
}
for (const name of programs) {
  const [code] = await once(fork(`${BENCH}${PROGRAMS[name]}`, args), 'exit')
  if (code !== 0) process.exitCode = 1
  console.log()
}
