import { fileURLToPath } from 'node:url'
import { judged, type Section } from '../section.ts'
import { interleave } from '../support/rounds.ts'
import { wallMs } from '../support/run-node.ts'
import { showSpread, spreadOf } from '../support/statistics.ts'

const LEAST_ROUNDS = 5
const TARGET = 1.1
const PROJECTS = ['package', 'twin'] as const

const tsc = fileURLToPath(new URL('../bin/tsc', import.meta.resolve('typescript')))

/** How long a consumer waits for its compiler: with our types, and with interfaces written by hand. */
export const typeCheck: Section = {
  name: 'types',
  async run({ rounds }) {
    const raw = await interleave(Math.max(rounds, LEAST_ROUNDS), PROJECTS, (project) =>
      wallMs([tsc, '-p', `types/tsconfig.${project}.json`]),
    )
    const ratio = spreadOf(raw.map((round) => round.package / round.twin))
    const measured = judged(
      showSpread(ratio, (value) => value.toFixed(2)),
      ratio.median <= TARGET,
    )
    const what = 'type-check of all 20 operations, over that with hand-written interfaces'
    return { claims: [{ what, measured, target: TARGET.toFixed(2) }], raw }
  },
}
