/**
 * What a call costs the client alone, with a transport that answers from memory: bytes allocated, and CPU time. They vary by a few percent where the
 * figures of real connections vary by twenty. With another commit, a ratio above the highest ends the program with 1.
 */
import { buildOther } from '../support/other-build.ts'
import { INSTALLED, install, measure } from '../support/processes.ts'
import { markMissed, showSpread, spreadOf, type Table } from '../support/tables.ts'

const MAX_RATIO = 1.08
/** Processes of their own, because each optimises the code a little differently. */
const PROCESSES = 5
const TURNS = 12
const WORKLOADS = {
  price: { title: 'one price', warmUp: 4_000, calls: 400 },
  candles: { title: '500 candles', warmUp: 600, calls: 60 },
  batch: { title: 'batch of 50', warmUp: 2_000, calls: 150 },
}
/** Nothing is collected while bytes are counted. Megabytes. */
const YOUNG_GENERATION = 128

type Figure = { readonly bytes: number; readonly us: number }
type Figures = Readonly<Record<keyof typeof WORKLOADS, readonly (readonly Figure[])[]>>

export async function compareCallsAlone(
  against: string | undefined,
): Promise<{ readonly table: Table; readonly isMet: boolean }> {
  install()
  const other = against === undefined ? undefined : buildOther(against)
  const job = { folders: [INSTALLED, ...(other ? [other.folder] : [])], workloads: WORKLOADS, turns: TURNS }
  const flags = ['min', 'max'].map((bound) => `--${bound}-semi-space-size=${YOUNG_GENERATION}`)
  const runs: Figures[] = []
  for (let run = 0; run < PROCESSES; run++) runs.push(await measure<Figures>('alone/calls.mjs', job, flags))

  let isMet = true
  const rows = Object.entries(WORKLOADS).flatMap(([name, { title }]) => {
    const turns = runs.flatMap((run) => run[name as keyof Figures])
    return (['bytes', 'us'] as const).map((unit) => {
      const show = (build: number) => {
        const spread = spreadOf(turns.map((turn) => (turn[build] as Figure)[unit] / (unit === 'bytes' ? 1_000 : 1)))
        return `${showSpread(spread, 1)} ${unit === 'bytes' ? 'kB' : 'µs'}`
      }
      if (other === undefined) return [title, show(0)]
      const ratios = spreadOf(turns.map(([now, before]) => (now as Figure)[unit] / (before as Figure)[unit]))
      if (ratios.median > MAX_RATIO) isMet = false
      return [title, show(0), show(1), markMissed(showSpread(ratios, 2), ratios.median <= MAX_RATIO)]
    })
  })
  const head = [
    'The client alone, a call',
    'Working tree',
    ...(other ? [other.commit, `Ratio, at most ${MAX_RATIO}`] : []),
  ]
  return { table: { head, rows }, isMet }
}
