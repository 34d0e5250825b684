/** Compares the working tree with another commit, call by call: alternating processes, and ratios of figures of the same round. */
import { printTable } from '../../../examples/support/table.ts'
import { BARE, contenders, OURS, OURS_ON_NODE, PLAIN } from '../contenders/index.ts'
import { BATCH, CANDLES, LIGHT, LIGHT_50, type Workload } from '../cpu/targets.ts'
import { markMissed } from '../section.ts'
import { type Service, startService } from '../service/start.ts'
import { install } from '../support/install.ts'
import { interleave } from '../support/interleave.ts'
import { thisMachine } from '../support/machine.ts'
import { markdown } from '../support/readme.ts'
import type { Table } from '../support/report.ts'
import { measure } from '../support/run-node.ts'
import { showSpread, spreadOf } from '../support/statistics.ts'
import { buildVersions, type Version } from './versions.ts'

/** How many calls are counted for the bytes that they allocate: as many as are possible before anything is collected. */
const WORKLOADS: readonly { workload: Workload; allocating: number }[] = [
  { workload: LIGHT, allocating: 2_000 },
  { workload: LIGHT_50, allocating: 2_000 },
  { workload: CANDLES, allocating: 60 },
  { workload: BATCH, allocating: 1_000 },
]
/** Half as many calls as the sections make, in more rounds. */
const SHARE_OF_CALLS = 0.5
/** The figures are steady when the quartiles of the new version over the old one are this close together. */
const WIDTH = 0.04
const [MIN_ROUNDS, MAX_ROUNDS] = [6, 30]
const NO_COLLECTION = ['--min-semi-space-size=512', '--max-semi-space-size=512']
/** The most bytes that a light call may allocate. Unlike the time, they are the same on every machine. */
const MAX_ALLOCATED = { after: 85_000, 'after, Node': 33_000 }

interface Subject {
  readonly version: Version
  readonly file: string
}

type Name = 'fetch' | 'plain' | 'before' | 'after' | 'before, Node' | 'after, Node'
type Figures = Readonly<Record<Name, number>>

/** What was measured of one workload. */
interface Measured {
  readonly workload: Workload
  readonly rounds: readonly Figures[]
  readonly allocated: Figures
}

/** @param only the workloads whose names begin with one of these; all without it */
export async function compareAgainst(
  ref: string,
  { rounds = MAX_ROUNDS, only }: { rounds?: number | undefined; only: readonly string[] | undefined },
): Promise<void> {
  const startedAt = performance.now()
  install()
  const service = await startService()
  const { before, after, remove } = buildVersions(ref)
  const subjects = subjectsOf(before, after)
  const measured: Measured[] = []
  try {
    for (const { workload, allocating } of WORKLOADS) {
      if (only?.every((prefix) => !workload.name.startsWith(prefix))) continue
      const result = await measureWorkload(workload, allocating, rounds, subjects, service)
      measured.push(result)
      console.log(`\n${headingOf(result)}\n`)
      const { head, rows } = tableOf(result, before.title)
      printTable(head, rows)
    }
  } finally {
    service.stop()
    remove()
  }
  const minutes = ((performance.now() - startedAt) / 60_000).toFixed(0)
  const { cpu, node, date } = thisMachine()
  console.log(`\nFor the README, measured in ${minutes} minutes:\n`)
  console.log(`${date.slice(0, 10)}, ${cpu}, Node ${node}. Medians (and quartiles); ✗ misses its target.\n`)
  console.log(markdown(summaryOf(measured)))
}

function subjectsOf(before: Version, after: Version): Record<Name, Subject> {
  const file = (id: string) => contenders.find((contender) => contender.id === id)?.file ?? ''
  return {
    fetch: { version: after, file: file(BARE) },
    plain: { version: after, file: file(PLAIN) },
    before: { version: before, file: file(OURS) },
    after: { version: after, file: file(OURS) },
    'before, Node': { version: before, file: file(OURS_ON_NODE) },
    'after, Node': { version: after, file: file(OURS_ON_NODE) },
  }
}

async function measureWorkload(
  workload: Workload,
  allocating: number,
  rounds: number,
  subjects: Record<Name, Subject>,
  service: Service,
): Promise<Measured> {
  const names = Object.keys(subjects) as Name[]
  const run = (name: Name, script: string, calls: number, flags?: readonly string[]) => {
    const { version, file } = subjects[name]
    return measure<number>(version.script(script), { ...service, file, workload: workload.name, calls }, flags)
  }
  const figures = await interleave(
    rounds,
    names,
    (name) => run(name, 'cpu/client.mjs', workload.calls * SHARE_OF_CALLS),
    (measured) => measured.length >= MIN_ROUNDS && isSteady(measured),
  )
  const [allocated] = await interleave(1, names, (name) => run(name, 'cpu/allocated.mjs', allocating, NO_COLLECTION))
  return { workload, rounds: figures, allocated: allocated as Figures }
}

function isSteady(rounds: readonly Figures[]): boolean {
  const pairs: [Name, Name][] = [
    ['after', 'before'],
    ['after, Node', 'before, Node'],
  ]
  return pairs.every(([one, other]) => {
    const { low, high, median } = spreadOf(ratiosOf(rounds, one, other))
    return high - low < WIDTH * median
  })
}

/** Of the same round: what slows the machine down slows both. */
const ratiosOf = (rounds: readonly Figures[], one: Name, other: Name) =>
  rounds.map((figures) => figures[one] / figures[other])

const showRatio = (rounds: readonly Figures[], one: Name, other: Name, digits = 3) =>
  showSpread(spreadOf(ratiosOf(rounds, one, other)), (ratio) => ratio.toFixed(digits))

const kilobytes = (bytes: number) => `${(bytes / 1_000).toFixed(1)} kB`

function headingOf({ workload, rounds }: Measured): string {
  const warning = isSteady(rounds)
    ? ''
    : `: the quartiles are not within ${WIDTH * 100} %, smaller differences say nothing`
  return `${workload.title}, ${rounds.length} rounds${warning}`
}

function tableOf({ rounds, allocated }: Measured, ref: string): Table {
  const row = (title: string, name: Name, old?: Name) => [
    title,
    old === undefined ? '' : showRatio(rounds, name, old),
    name === 'plain' ? '' : showRatio(rounds, name, 'plain'),
    showRatio(rounds, name, 'fetch'),
    kilobytes(allocated[name]),
  ]
  return {
    head: ['CPU of a call', `over ${ref}`, 'over the plain composition', 'over bare fetch', 'allocated a call'],
    rows: [
      ['bare fetch', '', '', '', kilobytes(allocated.fetch)],
      row('plain composition', 'plain'),
      row(ref, 'before'),
      row('working tree', 'after', 'before'),
      row(`${ref}, Node transport`, 'before, Node'),
      row('working tree, Node transport', 'after, Node', 'before, Node'),
    ],
  }
}

/** One column for each workload, with the targets. */
function summaryOf(measured: readonly Measured[]): Table {
  const ratioRow = (title: string, one: Name, other: Name, targetOf: (workload: Workload) => number | undefined) => [
    title,
    ...measured.map(({ workload, rounds }) => {
      const target = targetOf(workload) ?? Number.POSITIVE_INFINITY
      const isMet = spreadOf(ratiosOf(rounds, one, other)).median <= target
      return `${markMissed(showRatio(rounds, one, other, 2), isMet)}, at most ${target.toFixed(2)}`
    }),
  ]
  const bytesRow = (title: string, name: 'after' | 'after, Node') => [
    title,
    ...measured.map(({ workload, allocated }) => {
      if (workload !== LIGHT) return kilobytes(allocated[name])
      const isMet = allocated[name] <= MAX_ALLOCATED[name]
      return `${markMissed(kilobytes(allocated[name]), isMet)}, at most ${kilobytes(MAX_ALLOCATED[name])}`
    }),
  ]
  return {
    head: ['A call', ...measured.map(({ workload }) => workload.title)],
    rows: [
      ratioRow('etn-market, CPU over the plain composition', 'after', 'plain', ({ overPlain }) => overPlain[OURS]),
      ratioRow(
        'Node transport, CPU over bare `fetch`',
        'after, Node',
        'fetch',
        ({ overFetch }) => overFetch[OURS_ON_NODE],
      ),
      ['bare `fetch`, allocated', ...measured.map(({ allocated }) => kilobytes(allocated.fetch))],
      ['plain composition, allocated', ...measured.map(({ allocated }) => kilobytes(allocated.plain))],
      bytesRow('etn-market, allocated', 'after'),
      bytesRow('Node transport, allocated', 'after, Node'),
    ],
  }
}
