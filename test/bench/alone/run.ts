/** What has a target, and no other client to be compared with: validation, and very many calls at once. */
import { printTable } from '../../../examples/support/table.ts'
import { INSTALLED, install, measure, startService } from '../support/processes.ts'
import { markMissed, showSpread, spreadOf } from '../support/tables.ts'

const ROUNDS = 7
const TURNS = 100
const MAX_VALIDATION = 1.05
/** How much a figure may grow with ten times the size. Above that, the time is not linear. */
const MAX_GROWTH = 2
/** Each call fails through p-retry and its own cleaning up, 20 to 35 µs. To wait for admission before p-retry starts saves an eighth of it. */
const MAX_ABORT_MS = 4_000
const MIN_BUDGET = 1_000_000

type Row = [name: string, measured: string, target: string]

const count = (value: number) => Math.round(value).toLocaleString('en-US')

async function validation(): Promise<Row> {
  const service = await startService()
  const ratios: number[] = []
  try {
    const { baseUrl, addresses } = service
    const job = { contender: 'etn-market', folder: INSTALLED, workload: 'candles', turns: TURNS, baseUrl, addresses }
    for (let round = 0; round < ROUNDS; round++)
      ratios.push(spreadOf(await measure<number[]>('alone/validate.mjs', job)).median)
  } finally {
    service.stop()
  }
  const spread = spreadOf(ratios)
  const measured = markMissed(showSpread(spread, 3), spread.median <= MAX_VALIDATION)
  return ["500 candles, CPU with validate 'warn' over 'off'", measured, MAX_VALIDATION.toFixed(2)]
}

/** The figures for 10,000 and for 100,000. */
type Sizes<Figure> = readonly [Figure, Figure]
type Calls = Sizes<{
  readonly queueMs: number
  readonly bytes: number
  readonly endMs: number
  readonly inOrder: boolean
}>
interface Queue {
  readonly aborted: Calls
  readonly completed: Calls
}

async function scale(): Promise<Row[]> {
  const { slot, rateLimit, batch, budget } = await measure<{
    readonly budget: number
    readonly slot: Queue
    readonly rateLimit: Queue
    readonly batch: Sizes<number>
  }>('alone/scale.mjs')
  return [
    ...queueRows('waiting for a heavy slot', slot),
    ...queueRows('waiting after a 429', rateLimit),
    constant('`prices.batch` of 10,000 and of 100,000, µs an address', batch),
    [
      'budget, reserve and settle',
      markMissed(`${count(budget)} a second`, budget >= MIN_BUDGET),
      `${count(MIN_BUDGET)} a second`,
    ],
  ]
}

function queueRows(where: string, { aborted, completed }: Queue): Row[] {
  const [few, many] = completed
  const abortMs = aborted[1].endMs
  return [
    constant(`10,000 and 100,000 calls ${where}, bytes a call`, [aborted[0].bytes, aborted[1].bytes]),
    constant('– µs a call to queue', [aborted[0].queueMs / 10, aborted[1].queueMs / 100]),
    constant('– µs a call to complete', [few.endMs / 10, many.endMs / 100]),
    ['– order', markMissed(many.inOrder ? 'kept' : 'lost', many.inOrder), 'kept'],
    ['– abort of all 100,000', markMissed(`${count(abortMs)} ms`, abortMs < MAX_ABORT_MS), `${count(MAX_ABORT_MS)} ms`],
  ]
}

/** A figure that must not depend on the size. */
function constant(name: string, [few, many]: Sizes<number>): Row {
  const show = (value: number) => (value < 100 ? value.toFixed(1) : count(value))
  return [name, markMissed(`${show(few)} and ${show(many)}`, many <= MAX_GROWTH * few), 'the same']
}

install()
const rows = [await validation(), ...(await scale())]
printTable(['etn-market alone', 'Measured', 'Target'], rows)
if (rows.some(([, measured]) => measured.includes('✗'))) process.exitCode = 1
