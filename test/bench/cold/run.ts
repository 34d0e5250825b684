import type { Section } from '../section.ts'
import { compare } from '../support/compare.ts'
import { measureClients } from '../support/measure-clients.ts'
import { wallMs } from '../support/run-node.ts'

const MIN_ROUNDS = 15

/** Time from the start to the end of a process that makes one light call. */
export const coldStart: Section = {
  name: 'cold',
  async run({ contenders, rounds, service: { baseUrl, addresses } }) {
    const job = { baseUrl, addresses: addresses.slice(0, 1), workload: 'light' }
    const raw = await measureClients(contenders, Math.max(rounds, MIN_ROUNDS), ({ file }) =>
      wallMs(['cold/first-call.mjs'], { ...job, file }),
    )
    const column = compare(contenders, raw, {
      table: 'startAndSize',
      title: 'cold start, ms over bare fetch',
      targets: {},
      showBaseline: (ms) => `${ms.toFixed(0)} ms`,
      relate: (ms, baseline) => ms - baseline,
      show: signed,
    })
    return { columns: [column], raw }
  },
}

function signed(ms: number): string {
  const rounded = Math.round(ms)
  return rounded > 0 ? `+${rounded}` : String(rounded)
}
