/** Bytes and CPU time of a call of the client alone, beside those of another commit: these are quiet where a wire is not. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { printTable } from '../../../examples/support/table.ts'
import { BENCH, CLIENT_CORE, ROOT, startWorker, type Worker } from '../support/processes.ts'
import { markMissed, showSpread, spreadOf, thisMachine } from '../support/tables.ts'
import { BYTES_FLAGS, bundleClient } from './bundle.ts'

/** The highest ratio that is accepted: noise is below it. */
const MAX_RATIO = 1.08
const ROUNDS = 15

const WORKLOADS = {
  price: { title: 'a price', warmUp: 4_000, calls: 1_000 },
  candles: { title: '500 candles', warmUp: 400, calls: 100 },
  batch: { title: 'a batch of 50', warmUp: 1_500, calls: 300 },
}
type Workload = keyof typeof WORKLOADS
const NAMES = Object.keys(WORKLOADS) as Workload[]
const FIGURES = ['bytes', 'cpu'] as const
type Figure = (typeof FIGURES)[number]

/** A build of the client, with a process for each figure. */
type Subject = Readonly<Record<Figure, Worker>>

async function open(bundle: string): Promise<Subject> {
  const start = async (flags: readonly string[]) => {
    const worker = startWorker('guard/client.mjs', { bundle }, CLIENT_CORE, flags)
    await worker.next()
    return worker
  }
  const subject = { bytes: await start(BYTES_FLAGS), cpu: await start([]) }
  for (const workload of NAMES)
    for (const figure of FIGURES) await ask(subject, workload, figure, WORKLOADS[workload].warmUp)
  return subject
}

async function ask(subject: Subject, workload: Workload, figure: Figure, calls: number): Promise<number> {
  subject[figure].send({ workload, calls, figure })
  return subject[figure].next<number>()
}

const { values } = parseArgs({ strict: false, options: { against: { type: 'string' } } })
const against = values.against as string | undefined
const folder = join(BENCH, '.versions/guard')
const git = (ref: string) =>
  execFileSync('git', ['rev-parse', '--short', `${ref}^{commit}`], { cwd: ROOT, encoding: 'utf8' })
const commit = against === undefined ? undefined : git(against).trim()
const now = await open(await bundleClient(folder))
const before = commit === undefined ? undefined : await open(await bundleClient(folder, commit))

const rows: string[][] = []
for (const figure of FIGURES) {
  for (const workload of NAMES) {
    const { title, calls } = WORKLOADS[workload]
    const own: number[] = []
    const other: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      // In turn, so that a slow moment meets both.
      if (round % 2 === 0) own.push(await ask(now, workload, figure, calls))
      if (before !== undefined) other.push(await ask(before, workload, figure, calls))
      if (round % 2 === 1) own.push(await ask(now, workload, figure, calls))
    }
    const digits = figure === 'bytes' ? 0 : 1
    const ratios = spreadOf(own.map((one, round) => one / (other[round] ?? Number.NaN)))
    const isDearer = ratios.median > MAX_RATIO
    if (isDearer) process.exitCode = 1
    const unit = figure === 'bytes' ? 'bytes' : 'µs of CPU'
    const compared =
      before === undefined ? [] : [showSpread(spreadOf(other), digits), markMissed(showSpread(ratios, 3), !isDearer)]
    rows.push([`${title}, ${unit}`, showSpread(spreadOf(own), digits), ...compared])
  }
}
for (const subject of [now, before]) for (const figure of FIGURES) subject?.[figure].stop()

console.log(`\n${thisMachine()}, ${ROUNDS} rounds. Medians (and quartiles); ✗ is above ${MAX_RATIO}.\n`)
printTable(['A call of the client alone', 'working tree', ...(commit === undefined ? [] : [commit, 'ratio'])], rows)
