import { fileURLToPath } from 'node:url'
import { markMissed, type Section } from '../section.ts'
import { interleave } from '../support/interleave.ts'
import { wallMs } from '../support/run-node.ts'
import { showSpread, spreadOf } from '../support/statistics.ts'

const MIN_ROUNDS = 5
const TARGET = 1.1
const PROJECTS = ['package', 'handwritten'] as const

const tsc = fileURLToPath(new URL('../bin/tsc', import.meta.resolve('typescript')))

/** The time to type-check a consumer: with the package's types, and with interfaces written by hand. */
export const typeCheck: Section = {
  name: 'types',
  async run({ rounds }) {
    const raw = await interleave(Math.max(rounds, MIN_ROUNDS), PROJECTS, (project) =>
      wallMs([tsc, '-p', `types/tsconfig.${project}.json`]),
    )
    const ratio = spreadOf(raw.map((round) => round.package / round.handwritten))
    const measured = markMissed(
      showSpread(ratio, (value) => value.toFixed(2)),
      ratio.median <= TARGET,
    )
    const name = 'type-check of all 20 operations, over hand-written interfaces'
    return { metrics: [{ name, measured, target: TARGET.toFixed(2) }], raw }
  },
}
