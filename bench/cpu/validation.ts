import { contenders, OURS } from '../contenders/index.ts'
import { judged, type Section } from '../section.ts'
import { measure } from '../support/run-node.ts'
import { showSpread, spreadOf } from '../support/statistics.ts'

const TURNS = 100
const TARGET = 1.05

/** What it costs to look whether 500 candles are what the contract says. */
export const validation: Section = {
  name: 'validate',
  async run({ rounds, service }) {
    const file = contenders.find(({ id }) => id === OURS)?.file
    const raw: number[][] = []
    for (let round = 0; round < rounds; round++) {
      raw.push(await measure('cpu/validate.mjs', { ...service, file, turns: TURNS }))
    }
    const ratio = spreadOf(raw.map((turns) => spreadOf(turns).median))
    const measured = judged(
      showSpread(ratio, (value) => value.toFixed(3)),
      ratio.median <= TARGET,
    )
    return { claims: [{ what: "500 candles, CPU with validate 'warn' over 'off'", measured, target: '1.05' }], raw }
  },
}
