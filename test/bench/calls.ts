/** The CPU time of a call of every client, as one table. Each figure is of a process of its own, and is compared with figures of the same round. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BENCH, INSTALLED, install, isPinned, measure, ROOT, type Service, startService } from './support/processes.ts'
import { markMissed, measureRound, showSpread, spreadOf, type Table, thisMachine } from './support/tables.ts'

const MIN_ROUNDS = 3

/** A column of the table. */
interface Workload {
  readonly name: string
  readonly title: string
  /** Enough for the JIT to optimise most of a client: with less, a larger client appears slower than it is. */
  readonly warmUp: number
  readonly calls: number
  /** The highest ratio of etn-market over the plain composition, or else over bare fetch. A target that is met may only be lowered. */
  readonly overPlain?: number
  readonly overFetch?: number
  /** The highest ratio of etn-market over bare fetch, with the Node transport. */
  readonly onNode: number
}

const WORKLOADS: readonly Workload[] = [
  { name: 'light', title: 'light call', warmUp: 2_500, calls: 2_000, overPlain: 1.05, onNode: 0.7 },
  { name: 'light-50', title: '50 in flight', warmUp: 2_500, calls: 3_000, overPlain: 1, onNode: 0.58 },
  { name: 'candles', title: '500 candles', warmUp: 1_500, calls: 800, overPlain: 1, onNode: 0.72 },
  { name: 'batch', title: 'batch of 50', warmUp: 2_500, calls: 1_200, overPlain: 1.12, onNode: 0.8 },
  // 240 calls are 12,000 addresses.
  { name: 'new-addresses', title: 'batch, new addresses', warmUp: 2_500, calls: 480, overFetch: 1.5, onNode: 0.7 },
  {
    name: 'seen-addresses',
    title: 'batch, 12,000 seen addresses',
    warmUp: 2_500,
    calls: 480,
    overFetch: 1.3,
    onNode: 0.7,
  },
]

/** A client that is measured. */
interface Subject {
  readonly title: string
  /** Its name in `contenders/contenders.mjs`. */
  readonly contender: string
  /** Its packages in `test/bench/package.json`; none if it is part of Node. */
  readonly packages?: readonly string[]
  /** Where its build is. @default that of the working tree */
  readonly folder?: string
}

const FETCH: Subject = { title: 'bare `fetch`', contender: 'fetch' }
const PLAIN: Subject = { title: 'plain composition', contender: 'plain', packages: ['ky', 'p-retry', 'zod'] }
const OURS: Subject = { title: 'etn-market', contender: 'etn-market' }
const ON_NODE: Subject = { title: 'etn-market, Node transport', contender: 'etn-market-node' }
const OTHERS: readonly Subject[] = [
  // The same client twice: the distance of its ratio from 1 is noise.
  { title: 'bare `fetch` again', contender: 'fetch' },
  { title: '`node:http`, keep-alive', contender: 'node-http' },
  { title: 'undici.request', contender: 'undici', packages: ['undici'] },
  { title: 'ky', contender: 'ky', packages: ['ky'] },
  { title: 'ofetch', contender: 'ofetch', packages: ['ofetch'] },
  { title: 'openapi-fetch', contender: 'openapi-fetch', packages: ['openapi-fetch'] },
  { title: 'axios', contender: 'axios', packages: ['axios'] },
  {
    title: '@coingecko/coingecko-typescript',
    contender: 'coingecko',
    packages: ['@coingecko/coingecko-typescript'],
  },
]

/** A row of the table: one subject over another. */
interface Row {
  readonly subject: Subject
  readonly over: Subject
  targetOf?(workload: Workload): number | undefined
}

const OWN_ROWS: readonly Row[] = [
  { subject: PLAIN, over: FETCH },
  { subject: OURS, over: FETCH, targetOf: ({ overFetch }) => overFetch },
  { subject: OURS, over: PLAIN, targetOf: ({ overPlain }) => overPlain },
  { subject: ON_NODE, over: FETCH, targetOf: ({ onNode }) => onNode },
]

export interface CallsOptions {
  /** No further round begins that would end later. */
  readonly minutes: number
  /** Another commit, to compare the working tree with. */
  readonly against?: string | undefined
  isWanted(workload: string): boolean
}

/** The figures of one workload in one round, by subject. */
type Figures = ReadonlyMap<Subject, number>

export async function compareCalls({ minutes, against, isWanted }: CallsOptions): Promise<Comparison> {
  install()
  const rows = against === undefined ? rowsOfAll() : rowsAgainst(against)
  const workloads = WORKLOADS.filter(({ name }) => isWanted(name))
  const subjects = [...new Set(rows.flatMap(({ subject, over }) => [over, subject]))]
  const rounds: ReadonlyMap<Workload, Figures>[] = []
  const service = await startService()
  const startedAt = performance.now()
  try {
    // The first one has to show how long a round takes.
    const hasTime = () => (performance.now() - startedAt) * (1 + 1 / rounds.length) <= minutes * 60_000
    while (rounds.length < MIN_ROUNDS || hasTime()) {
      rounds.push(await runRound(workloads, subjects, rounds.length, service))
      console.log(`round ${rounds.length}: ${((performance.now() - startedAt) / 60_000).toFixed(1)} minutes`)
    }
  } finally {
    service.stop()
  }
  const cores = isPinned ? 'client and server on a core each' : 'client and server on any core'
  const heading = `${thisMachine()}, ${cores}, ${rounds.length} interleaved rounds. Medians (and quartiles); ✗ misses its target.`
  return { heading, table: tableOf(rows, workloads, rounds) }
}

export interface Comparison {
  readonly heading: string
  readonly table: Table
}

async function runRound(
  workloads: readonly Workload[],
  subjects: readonly Subject[],
  round: number,
  { baseUrl, addresses }: Service,
): Promise<ReadonlyMap<Workload, Figures>> {
  const measured = new Map<Workload, Figures>()
  for (const workload of workloads) {
    const { name, warmUp, calls } = workload
    const figures = await measureRound(Object.keys(subjects), round, (index) => {
      const { contender, folder = INSTALLED } = subjects[Number(index)] as Subject
      const job = { contender, folder, workload: name, warmUp, calls, baseUrl, addresses }
      return measure<number>('contenders/cpu.mjs', job)
    })
    measured.set(
      workload,
      new Map(Object.entries(figures).map(([index, us]) => [subjects[Number(index)] as Subject, us])),
    )
  }
  return measured
}

const rowsOfAll = (): Row[] => [...OTHERS.map((subject) => ({ subject, over: FETCH })), ...OWN_ROWS]

/** Of the other clients only the two baselines: both builds are measured in every round. */
function rowsAgainst(ref: string): Row[] {
  const { commit, folder } = buildOther(ref)
  const before = (subject: Subject) => ({ ...subject, title: `${subject.title}, ${commit}`, folder })
  return [...OWN_ROWS, { subject: OURS, over: before(OURS) }, { subject: ON_NODE, over: before(ON_NODE) }]
}

/** Builds a commit in a folder of its own. It is below `test/bench`, so that it finds the same packages as the working tree. */
function buildOther(ref: string): { commit: string; folder: string } {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim()
  const commit = git('rev-parse', '--short', `${ref}^{commit}`)
  const folder = join(BENCH, '.versions', commit)
  const checkout = mkdtempSync(join(tmpdir(), 'etn-market-bench-'))
  git('worktree', 'add', '--detach', checkout, commit)
  try {
    const npm = (...args: string[]) =>
      execFileSync('npm', args, { cwd: checkout, stdio: ['ignore', 'ignore', 'inherit'] })
    npm('ci', '--no-audit', '--no-fund')
    npm('run', 'build')
    install(checkout, folder)
  } finally {
    git('worktree', 'remove', '--force', checkout)
  }
  return { commit, folder }
}

function tableOf(
  rows: readonly Row[],
  workloads: readonly Workload[],
  rounds: readonly ReadonlyMap<Workload, Figures>[],
): Table {
  const figuresOf = (workload: Workload, subject: Subject) =>
    rounds.map((round) => round.get(workload)?.get(subject) ?? Number.NaN)
  const cellOf = ({ subject, over, targetOf }: Row, workload: Workload) => {
    // Of the same round: what slows the machine down slows both.
    const base = figuresOf(workload, over)
    const ratios = spreadOf(figuresOf(workload, subject).map((us, round) => us / (base[round] ?? Number.NaN)))
    const target = targetOf?.(workload)
    const cell = markMissed(showSpread(ratios, 2), target === undefined || ratios.median <= target)
    return target === undefined ? cell : `${cell}, at most ${target.toFixed(2)}`
  }
  return {
    head: ['CPU time of a call', ...workloads.map(({ title }) => title)],
    rows: [
      [FETCH.title, ...workloads.map((each) => `1 = ${spreadOf(figuresOf(each, FETCH)).median.toFixed(0)} µs`)],
      ...rows.map((row) => [
        row.over === FETCH ? titleOf(row.subject) : `– over ${row.over.title}`,
        ...workloads.map((workload) => cellOf(row, workload)),
      ]),
    ],
  }
}

function titleOf({ title, packages = [] }: Subject): string {
  const versions = packages.map((name) => {
    const manifest = readFileSync(join(BENCH, 'node_modules', name, 'package.json'), 'utf8')
    return `${name} ${(JSON.parse(manifest) as { version: string }).version}`
  })
  if (versions.length <= 1) return versions[0] ?? title
  return `${title}: ${versions.join(', ')}`
}
