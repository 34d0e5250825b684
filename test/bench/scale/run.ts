import { type Metric, markMissed, type Section } from '../section.ts'
import { measure } from '../support/run-node.ts'

/** The figures for 10,000 and for 100,000. */
type Sizes<Figure> = readonly [Figure, Figure]

interface QueueFigures {
  readonly queueMs: number
  readonly bytes: number
  readonly inOrder: boolean
  readonly ms: number
}

interface Queue {
  readonly aborted: Sizes<QueueFigures>
  readonly completed: Sizes<QueueFigures>
}

/** The output of `scale/measure.mjs`. */
interface Figures {
  readonly budget: number
  readonly slot: Queue
  readonly rateLimit: Queue
  readonly batch: Sizes<number>
}

/** How much a figure may grow with ten times the size. Above that, the time is not linear. */
const MAX_GROWTH = 2
/** Each call fails through p-retry and its own cleaning up, 20 to 35 µs. To wait for admission before p-retry starts saves an eighth of it. */
const MAX_ABORT_MS = 4_000
const MIN_BUDGET = 1_000_000

/** One client with very many calls at once. */
export const scale: Section = {
  name: 'scale',
  async run() {
    const raw = await measure<Figures>('scale/measure.mjs')
    const { slot, rateLimit, batch, budget } = raw
    const metrics = [
      ...queueMetrics('waiting for a heavy slot', slot),
      ...queueMetrics('waiting after a 429', rateLimit),
      constant('`prices.batch` of 10,000 and of 100,000, µs an address', batch),
      {
        name: 'budget, reserve and settle',
        measured: markMissed(`${count(budget)} a second`, budget >= MIN_BUDGET),
        target: `${count(MIN_BUDGET)} a second`,
      },
    ]
    return { metrics, raw }
  },
}

function queueMetrics(where: string, { aborted, completed }: Queue): Metric[] {
  const [, { ms: abortMs }] = aborted
  const [few, many] = completed
  return [
    constant(`10,000 and 100,000 calls ${where}, bytes a call`, [aborted[0].bytes, aborted[1].bytes]),
    constant('– µs a call to queue', [aborted[0].queueMs / 10, aborted[1].queueMs / 100]),
    constant('– µs a call to complete', [few.ms / 10, many.ms / 100]),
    { name: '– order', measured: markMissed(many.inOrder ? 'kept' : 'lost', many.inOrder), target: 'kept' },
    {
      name: '– abort of all 100,000',
      measured: markMissed(`${count(abortMs)} ms`, abortMs < MAX_ABORT_MS),
      target: `${count(MAX_ABORT_MS)} ms`,
    },
  ]
}

/** A figure that must not depend on the size. */
function constant(name: string, [few, many]: Sizes<number>): Metric {
  const show = (value: number) => (value < 100 ? value.toFixed(1) : count(value))
  return {
    name,
    measured: markMissed(`${show(few)} and ${show(many)}`, many <= MAX_GROWTH * few),
    target: 'the same',
  }
}

function count(value: number): string {
  return Math.round(value).toLocaleString('en-US')
}
