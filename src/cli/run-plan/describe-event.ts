import { formatCount, formatDecimal } from '../output.ts'
import type { LineName, RunEvent } from './run-events.ts'

/** An event as lines for people; none for the prices and answers, which are in the files of their lines. */
export function describeEvent(event: RunEvent): string[] {
  switch (event.event) {
    case 'started': {
      const { creditsPerDay, planned, spent, lines } = event
      return [
        `${lines} ${lines === 1 ? 'line' : 'lines'}, ${formatCount(planned)} of ${formatCount(creditsPerDay)} credits a day, ${formatCount(spent)} spent today. Ctrl-C ends.`,
      ]
    }
    case 'alert':
      return [`${describeLine(event)}: ${event.address} ${event.condition}, ${formatDecimal(event.usd)} USD.`]
    case 'sweep': {
      const { total, done, failed, stored, left, credits, file } = event
      const known = stored > 0 ? ` (${stored} from the journal)` : ''
      const rest = left > 0 ? `, ${left} left` : ''
      return [
        `${describeLine(event)}: ${done} of ${total} done${known}, ${failed} failed${rest}, ${formatCount(credits)} credits, ${file}.`,
      ]
    }
    case 'candles':
      return [`${describeLine(event)}: ${event.file}, ${event.added} added, ${event.updated} updated.`]
    case 'failed':
      return [`${describeLine(event)}: ${event.code}: ${event.message}`]
    case 'limit':
      return [`${describeLine(event)}: the limit of the day is reached. It goes on at ${event.until}.`]
    case 'day': {
      const { date, spent, uncertain, creditsPerDay, planned, lines } = event
      return [
        `${date}: ${formatSpent(spent, uncertain)} of ${formatCount(creditsPerDay)} credits, planned ${formatCount(planned)}.`,
        ...lines.map(
          (line) => `  ${describeLine(line)}: ${formatCount(line.done)} done, ${formatCount(line.failed)} failed.`,
        ),
      ]
    }
    case 'stopped': {
      const { spent, uncertain, creditsPerDay } = event
      return [`Stopped. Today: ${formatSpent(spent, uncertain)} of ${formatCount(creditsPerDay)} credits.`]
    }
    case 'price':
    case 'answer':
      return []
  }
}

const describeLine = ({ operation, for: purpose }: LineName) =>
  purpose === '' ? operation : `${operation} (${purpose})`

const formatSpent = (spent: number, uncertain: number) =>
  uncertain > 0 ? `${formatCount(spent)} and perhaps ${formatCount(uncertain)} more` : formatCount(spent)
