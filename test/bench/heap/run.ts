import { BARE, OURS, OURS_ON_NODE } from '../contenders/index.ts'
import type { Section } from '../section.ts'
import { measure } from '../support/run-node.ts'

const CALLS = 100_000
const MEASURED = [BARE, OURS, OURS_ON_NODE]

/** The memory that a client still holds after many calls. */
export const heap: Section = {
  name: 'heap',
  async run({ contenders, service }) {
    const raw: Record<string, number> = {}
    for (const { id, file } of contenders.filter(({ id }) => MEASURED.includes(id))) {
      raw[id] = await measure('heap/client.mjs', { ...service, file, calls: CALLS })
    }
    const cells = Object.entries(raw).map(([id, bytes]) => [id, (bytes / 1_000_000).toFixed(1)])
    const column = {
      table: 'startAndSize',
      title: 'heap growth in 100,000 calls, MB',
      cells: Object.fromEntries(cells),
      targets: {},
    } as const
    return { columns: [column], raw }
  },
}
