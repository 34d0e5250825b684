import { OURS, OURS_ON_NODE } from '../contenders/index.ts'
import type { Section } from '../section.ts'
import { besideBare } from '../support/beside-bare.ts'
import { wallMs } from '../support/run-node.ts'

const LEAST_ROUNDS = 15
/** Milliseconds over bare fetch, at most. */
const TARGETS: Readonly<Record<string, number>> = { [OURS]: 8, [OURS_ON_NODE]: 0 }

/** From the start of a process with one light call to its end. */
export const coldStart: Section = {
  name: 'cold',
  run({ contenders, rounds, service: { baseUrl, addresses } }) {
    const job = { baseUrl, addresses: addresses.slice(0, 1), workload: 'light' }
    return besideBare(contenders, Math.max(rounds, LEAST_ROUNDS), {
      title: 'cold start, ms',
      targets: TARGETS,
      measure: ({ file }) => wallMs(['cold/once.mjs'], { ...job, file }),
      showBare: (ms) => `${ms.toFixed(0)} ms`,
      beside: (ms, bare) => ms - bare,
      show: signed,
    })
  },
}

function signed(ms: number): string {
  const rounded = Math.round(ms)
  return rounded > 0 ? `+${rounded}` : String(rounded)
}
