import { markMissed, type Section } from '../section.ts'
import { interleave } from '../support/interleave.ts'
import { measure } from '../support/run-node.ts'
import { showSpread, spreadOf } from '../support/statistics.ts'

const ROUNDS = 40
const TARGET = 1.15
/** What is imported. `parts` has the packages that the client loads at once. */
const IMPORTS = { parts: ['ky', 'p-retry'], package: ['etn-market'] } as const

/** The time to import the package in a new process, over its two dependencies alone. */
export const importTime: Section = {
  name: 'import',
  async run() {
    const raw = await interleave(ROUNDS, ['parts', 'package'], (name: keyof typeof IMPORTS) =>
      measure<number>('import/time.mjs', { packages: IMPORTS[name] }),
    )
    const ratio = spreadOf(raw.map((round) => round.package / round.parts))
    const measured = showSpread(ratio, (value) => value.toFixed(2))
    return {
      metrics: [
        {
          name: 'import of the package, over ky and p-retry alone',
          measured: markMissed(measured, ratio.median <= TARGET),
          target: TARGET.toFixed(2),
        },
      ],
      raw,
    }
  },
}
