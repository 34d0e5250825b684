/** Compares the working tree with another commit, call by call: alternating processes, and ratios of figures of the same round. */
import { printTable } from '../../../examples/support/table.ts'
import { BARE, contenders, OURS, OURS_ON_NODE, PLAIN } from '../contenders/index.ts'
import { type Service, startService } from '../service/start.ts'
import { install } from '../support/install.ts'
import { interleave } from '../support/interleave.ts'
import { measure } from '../support/run-node.ts'
import { showSpread, spreadOf } from '../support/statistics.ts'
import { buildVersions, type Version } from './versions.ts'

const WORKLOADS = [
  { name: 'light', calls: 3_000 },
  { name: 'light-50', calls: 5_000 },
  { name: 'candles', calls: 1_000 },
  { name: 'batch', calls: 1_500 },
] as const
/** The figures are steady when the quartiles of the new version over the old one are this close together. */
const WIDTH = 0.04
const [MIN_ROUNDS, MAX_ROUNDS] = [6, 30]
/** Few enough that nothing is collected meanwhile. */
const ALLOCATING_CALLS = 300
const NO_COLLECTION = ['--min-semi-space-size=512', '--max-semi-space-size=512']

interface Subject {
  readonly version: Version
  readonly file: string
}

type Figures = Readonly<Record<string, number>>

/** @param only the workloads whose names begin with one of these; all without it */
export async function compareAgainst(
  ref: string,
  { rounds = MAX_ROUNDS, only }: { rounds?: number | undefined; only: readonly string[] | undefined },
): Promise<void> {
  install()
  const service = await startService()
  const { before, after, remove } = buildVersions(ref)
  const subjects = subjectsOf(before, after)
  try {
    for (const { name, calls } of WORKLOADS) {
      if (only?.every((prefix) => !name.startsWith(prefix))) continue
      const figures = await measureUntilSteady(rounds, subjects, ({ version, file }) =>
        measure<number>(version.script('cpu/client.mjs'), { ...service, file, workload: name, calls }),
      )
      const allocated = await measureAllocated(subjects, name, service)
      report(name, before.title, figures, allocated)
    }
  } finally {
    service.stop()
    remove()
  }
}

function subjectsOf(before: Version, after: Version): Record<string, Subject> {
  const file = (id: string) => contenders.find((contender) => contender.id === id)?.file ?? ''
  return {
    [BARE]: { version: after, file: file(BARE) },
    [PLAIN]: { version: after, file: file(PLAIN) },
    before: { version: before, file: file(OURS) },
    after: { version: after, file: file(OURS) },
    'before, Node': { version: before, file: file(OURS_ON_NODE) },
    'after, Node': { version: after, file: file(OURS_ON_NODE) },
  }
}

async function measureUntilSteady(
  rounds: number,
  subjects: Record<string, Subject>,
  measureOne: (subject: Subject) => Promise<number>,
): Promise<Figures[]> {
  const names = Object.keys(subjects)
  const figures: Figures[] = []
  while (figures.length < rounds) {
    // The next order each time, so that a slow minute affects all of them.
    const order = [...names.slice(figures.length % names.length), ...names.slice(0, figures.length % names.length)]
    figures.push(...(await interleave(1, order, (name) => measureOne(subjects[name] as Subject))))
    if (figures.length >= MIN_ROUNDS && isSteady(figures)) break
  }
  return figures
}

const isSteady = (figures: readonly Figures[]) =>
  [
    ['after', 'before'],
    ['after, Node', 'before, Node'],
  ].every(([one = '', other = '']) => {
    const { low, high, median } = spreadOf(ratiosOf(figures, one, other))
    return high - low < WIDTH * median
  })

/** Of the same round: what slows the machine down slows both. */
function ratiosOf(figures: readonly Figures[], one: string, other: string): number[] {
  return figures.map((figure) => (figure[one] ?? Number.NaN) / (figure[other] ?? Number.NaN))
}

async function measureAllocated(
  subjects: Record<string, Subject>,
  workload: string,
  service: Service,
): Promise<Figures> {
  const allocated: Record<string, number> = {}
  for (const [name, { version, file }] of Object.entries(subjects)) {
    const job = { ...service, file, workload, calls: ALLOCATING_CALLS }
    allocated[name] = await measure<number>(version.script('cpu/allocated.mjs'), job, NO_COLLECTION)
  }
  return allocated
}

function report(workload: string, ref: string, figures: readonly Figures[], allocated: Figures): void {
  const spread = (one: string, other: string) =>
    showSpread(spreadOf(ratiosOf(figures, one, other)), (ratio) => ratio.toFixed(3))
  const kilobytes = (name: string) => `${((allocated[name] ?? Number.NaN) / 1_000).toFixed(1)} kB`
  const row = (title: string, name: string, old: string | undefined) => [
    title,
    old === undefined ? '' : spread(name, old),
    name === PLAIN ? '' : spread(name, PLAIN),
    spread(name, BARE),
    kilobytes(name),
  ]
  console.log(
    `\n${workload}, ${figures.length} rounds${isSteady(figures) ? '' : ': the quartiles are not within 4 %, smaller differences say nothing'}\n`,
  )
  printTable(
    ['CPU of a call', `over ${ref}`, 'over the plain composition', 'over bare fetch', 'allocated a call'],
    [
      ['bare fetch', '', '', '', kilobytes(BARE)],
      row('plain composition', PLAIN, undefined),
      row(ref, 'before', undefined),
      row('working tree', 'after', 'before'),
      row(`${ref}, Node transport`, 'before, Node', undefined),
      row('working tree, Node transport', 'after, Node', 'before, Node'),
    ],
  )
}
