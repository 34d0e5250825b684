import { bundle as bundleOf } from '../../test/support/bundle.ts'
import { OURS } from '../contenders/index.ts'
import { judged, type Section } from '../section.ts'
import { BENCH } from '../support/paths.ts'

/** kB at first load, at most. */
const WHOLE = 15
const ESTIMATE = 2.5

const kB = (bytes: number) => (bytes / 1000).toFixed(1)
const fits = (bytes: number, limit: number) => bytes <= 1000 * limit

/** What a page has to load. */
export const bundle: Section = {
  name: 'bundle',
  async run({ contenders }) {
    const sizeOf = async (script: string) => {
      const { first, later } = await bundleOf(script, BENCH)
      return { first, later }
    }
    const sizes: Record<string, { first: number; later: number }> = {}
    for (const { id, page } of contenders) if (page !== undefined) sizes[id] = await sizeOf(page)
    const estimate = await sizeOf(`export { estimateCost } from 'etn-market'`)
    const cells = Object.entries(sizes).map(([id, { first, later }]) => {
      const figure = later === 0 ? kB(first) : `${kB(first)}, ${kB(later)} later`
      return [id, judged(figure, id !== OURS || fits(first, WHOLE))]
    })
    return {
      column: { title: 'bundle, kB gz', cells: Object.fromEntries(cells), targets: { [OURS]: String(WHOLE) } },
      claims: [
        {
          what: "bundle with only `import { estimateCost } from 'etn-market'`, gzipped",
          measured: judged(`${kB(estimate.first)} kB`, fits(estimate.first, ESTIMATE)),
          target: `${ESTIMATE} kB`,
        },
      ],
      raw: { ...sizes, estimateCost: estimate },
    }
  },
}
