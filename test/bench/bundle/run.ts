import { bundle as bundleOf } from '../../support/bundle.ts'
import { type Contender, OURS } from '../contenders/index.ts'
import { markMissed, type Section } from '../section.ts'
import { BENCH } from '../support/paths.ts'

/** kB that a page loads at first, at most: everything, and without the dependencies. */
const MAX_WHOLE = 35
const MAX_OWN = 35
const MAX_ESTIMATE = 4.5
/** A page that already uses these packages loads them once. */
const DEPENDENCIES = ['ky', 'p-retry', 'zod', 'zod/mini']
const OWN_SCRIPT = `export { createClient } from 'etn-market'`
const ESTIMATE_SCRIPT = `export { estimateCost } from 'etn-market'`

/** Bytes that a page loads at first, and those that it may load later. */
interface Size {
  readonly first: number
  readonly later: number
}

const kB = (bytes: number) => (bytes / 1000).toFixed(1)
const fits = (bytes: number, limit: number) => bytes <= 1000 * limit
const show = ({ first, later }: Size) => (later === 0 ? kB(first) : `${kB(first)}, ${kB(later)} later`)

/** The size of each client in a page. */
export const bundle: Section = {
  name: 'bundle',
  async run({ contenders }) {
    const sizes = await sizesOf(contenders)
    const own = await sizeOf(OWN_SCRIPT, DEPENDENCIES)
    const estimate = await sizeOf(ESTIMATE_SCRIPT)
    const cells = Object.entries(sizes).map(([id, size]) => [
      id,
      markMissed(show(size), id !== OURS || fits(size.first, MAX_WHOLE)),
    ])
    const column = {
      table: 'startAndSize',
      title: 'bundle, kB gz',
      cells: Object.fromEntries(cells),
      targets: { [OURS]: String(MAX_WHOLE) },
    } as const
    return {
      columns: [column],
      metrics: [
        {
          name: 'bundle of `createClient` without ky, p-retry and zod, kB gz',
          measured: markMissed(show(own), fits(own.first, MAX_OWN)),
          target: `at most ${MAX_OWN}`,
        },
        {
          name: 'bundle of `estimateCost` alone, kB gz',
          measured: markMissed(kB(estimate.first), fits(estimate.first, MAX_ESTIMATE)),
          target: `at most ${MAX_ESTIMATE}`,
        },
      ],
      raw: { ...sizes, own, estimateCost: estimate },
    }
  },
}

async function sizesOf(contenders: readonly Contender[]): Promise<Record<string, Size>> {
  const sizes: Record<string, Size> = {}
  for (const { id, pageScript } of contenders) if (pageScript !== undefined) sizes[id] = await sizeOf(pageScript)
  return sizes
}

async function sizeOf(script: string, external: readonly string[] = []): Promise<Size> {
  const { first, later } = await bundleOf(script, BENCH, 'browser', external)
  return { first, later }
}
