import type { JournalEntry } from 'etn-market/fake'
import type { FleetStatus } from 'etn-market/redis'
import { formatTable } from '../support/table.ts'
import type { Place } from './processes.ts'

/** Where there is no terminal to draw in, a line is printed this often. */
const LINE_EVERY_MS = 1_000

export const count = (value: number) => value.toLocaleString('en-US')

/** One moment of a run. */
export interface Moment {
  readonly elapsedMs: number
  readonly status: FleetStatus
  readonly places: readonly Place[]
  /** Every request that reached the service. */
  readonly journal: readonly JournalEntry[]
}

export interface Display {
  /** Draws the table anew in a terminal; elsewhere prints the totals, once a second. */
  show(moment: Moment): void
  /** Prints a sentence above the table. */
  note(sentence: string): void
  /** Prints the last table, to stay. */
  end(): void
}

export function createDisplay(output: NodeJS.WriteStream): Display {
  let last: Moment | undefined
  let drawn: string[] = []
  let linePrintedAt = Number.NEGATIVE_INFINITY

  const erase = () => (drawn.length > 0 ? `\x1b[${drawn.length}A\x1b[J` : '')
  const draw = (lines: string[]) => {
    output.write(erase() + lines.map((line) => `${line}\n`).join(''))
    drawn = lines
  }
  return {
    show(moment) {
      last = moment
      if (output.isTTY) draw([...table(moment), '', totals(moment)])
      else if (moment.elapsedMs - linePrintedAt >= LINE_EVERY_MS) {
        linePrintedAt = moment.elapsedMs
        output.write(`${totals(moment)}\n`)
      }
    },
    note(sentence) {
      output.write(`${erase()}${sentence}\n`)
      const below = drawn
      drawn = []
      draw(below)
    },
    end() {
      if (last && !output.isTTY) draw(['', ...table(last), '', totals(last)])
      drawn = []
    },
  }
}

function table({ places, journal }: Moment): string[] {
  const row = ({ number, pid, state, kills }: Place) => {
    const own = journal.filter(({ headers }) => headers?.['x-process'] === `${number}`)
    const credits = own.reduce((sum, entry) => sum + entry.credits, 0)
    return [`${number}`, `${pid}`, state, count(kills), count(own.length), count(credits)]
  }
  return formatTable(['process', 'pid', 'state', 'killed', 'requests', 'credits'], places.map(row))
}

function totals({ elapsedMs, status }: Moment): string {
  const { limit, spent, reserved, uncertain, available, slots } = status
  const figures = Object.entries({ limit, spent, reserved, uncertain, available })
  const parts = figures.map(([name, credits]) => `${name} ${count(credits)}`)
  return `${(elapsedMs / 1_000).toFixed(1)} s: ${parts.join(', ')}, heavy ${slots.taken} of ${slots.limit}`
}
