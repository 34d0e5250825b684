import { contenders, OURS } from '../contenders/index.ts'
import { markMissed, type Section } from '../section.ts'
import { measure } from '../support/run-node.ts'
import { showSpread, spreadOf } from '../support/statistics.ts'

const TURNS = 100
const TARGET = 1.05

/** The cost of validating 500 candles. */
export const validation: Section = {
  name: 'validate',
  async run({ rounds, service }) {
    const file = contenders.find(({ id }) => id === OURS)?.file
    const raw: number[][] = []
    for (let round = 0; round < rounds; round++) {
      raw.push(await measure('cpu/validate.mjs', { ...service, file, turns: TURNS }))
    }
    const ratio = spreadOf(raw.map((turns) => spreadOf(turns).median))
    const measured = markMissed(
      showSpread(ratio, (value) => value.toFixed(3)),
      ratio.median <= TARGET,
    )
    return {
      metrics: [{ name: "500 candles, CPU with validate 'warn' over 'off'", measured, target: TARGET.toFixed(2) }],
      raw,
    }
  },
}
