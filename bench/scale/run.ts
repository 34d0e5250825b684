import { type Claim, judged, type Section } from '../section.ts'
import { measure } from '../support/run-node.ts'

/** Of 10,000 and of 100,000. */
type Sizes<Figure> = readonly [Figure, Figure]

interface End {
  readonly queueMs: number
  readonly bytes: number
  readonly inOrder: boolean
  readonly ms: number
}

interface Queue {
  readonly aborted: Sizes<End>
  readonly drained: Sizes<End>
}

/** What `scale.mjs` prints. */
interface Figures {
  readonly budget: number
  readonly slot: Queue
  readonly refusal: Queue
  readonly batch: Sizes<number>
}

/** Ten times as much may take so many times as long for each: chance and caches, and no square. */
const LINEAR = 2
const ABORT_MS = 1_000
const BUDGET = 1_000_000

/** One client with very much to do at once. */
export const scale: Section = {
  name: 'scale',
  async run() {
    const raw = await measure<Figures>('scale.mjs')
    const { slot, refusal, batch, budget } = raw
    const claims = [
      ...queueClaims('waiting for a heavy slot', slot),
      ...queueClaims('waiting while the key is refused', refusal),
      steady('µs an address, `prices.batch` of 10,000 and of 100,000', batch),
      {
        what: 'budget, reserve and settle',
        measured: judged(`${count(budget)} a second`, budget >= BUDGET),
        target: `${count(BUDGET)} a second`,
      },
    ]
    return { claims, raw }
  },
}

function queueClaims(where: string, { aborted, drained }: Queue): Claim[] {
  const [, { ms: abortMs }] = aborted
  const [few, many] = drained
  return [
    steady(`10,000 and 100,000 calls ${where}, bytes a call`, [aborted[0].bytes, aborted[1].bytes]),
    steady('– µs a call to queue them', [aborted[0].queueMs / 10, aborted[1].queueMs / 100]),
    steady('– µs a call to let them through', [few.ms / 10, many.ms / 100]),
    { what: '– their order', measured: judged(many.inOrder ? 'kept' : 'lost', many.inOrder), target: 'kept' },
    {
      what: '– abort of all 100,000',
      measured: judged(`${count(abortMs)} ms`, abortMs < ABORT_MS),
      target: `${count(ABORT_MS)} ms`,
    },
  ]
}

/** A figure of few and of many that is to be the same. */
function steady(what: string, [few, many]: Sizes<number>): Claim {
  const show = (value: number) => (value < 100 ? value.toFixed(1) : count(value))
  return { what, measured: judged(`${show(few)} and ${show(many)}`, many <= LINEAR * few), target: 'the same' }
}

function count(value: number): string {
  return Math.round(value).toLocaleString('en-US')
}
