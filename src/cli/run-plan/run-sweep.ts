import type { EtnMarketError } from 'etn-market'
import { openJournal } from '../journal.ts'
import { methodOf } from '../operation-method.ts'
import { addressParam } from '../plan-file.ts'
import type { PlanLine } from '../plan-line.ts'
import { repeat, reportFailure } from './repeat.ts'
import { isFinal, isOverLimit, nameOf, type RunParts } from './run-parts.ts'

/** Calls the operation of a line for each of its addresses. The journal of each time has the answers, so that none is bought twice. */
export function runSweep(line: PlanLine, parts: RunParts): Promise<void> {
  return repeat(line, parts, { work: (due) => sweep(line, parts, due), isFinishing: true })
}

async function sweep(line: PlanLine, parts: RunParts, due: number): Promise<void> {
  const { client, state, emit, file, signal } = parts
  const named = file(journalName(line, due))
  const journal = await openJournal(named)
  const counts = { done: 0, failed: 0, stored: 0, credits: 0 }
  let ending: EtnMarketError | undefined
  // Ends the sweep early, and still has the answers to what is in flight.
  const stopping = new AbortController()
  const stop = () => stopping.abort()
  signal.addEventListener('abort', stop)
  if (signal.aborted) stop()
  try {
    const params = (line.addresses ?? []).map((address) => ({
      ...line.params,
      ...addressParam(line.operation, address),
    }))
    const calls = methodOf(client, line.operation).many(params, {
      store: journal.store,
      signal: stopping.signal,
      whenAborted: 'finish',
      onProgress({ credits }) {
        counts.credits = credits
      },
    })
    for await (const { error, stored } of calls) {
      if (error !== undefined && (isFinal(error) || isOverLimit(error))) {
        ending ??= error
        stop()
        continue
      }
      if (error !== undefined) {
        counts.failed++
        reportFailure(line, parts, error)
        continue
      }
      counts.done++
      if (stored) counts.stored++
      else state.count(line, { done: 1 })
    }
  } finally {
    signal.removeEventListener('abort', stop)
    for (const text of journal.unwritten) {
      const message = `${named.name}: it was to take: ${text}`
      emit({ event: 'failed', ...nameOf(line), code: 'not_written', message, credits: 0 })
    }
    journal.close()
    const left = line.count - counts.done - counts.failed
    emit({ event: 'sweep', ...nameOf(line), file: named.name, total: line.count, left, ...counts })
  }
  if (ending !== undefined) throw ending
}

/** The journal of a time, such as `locks-2026-11-23.jsonl`. What is due more than once a day has the time in the name, too. */
function journalName({ file, operation, times }: PlanLine, due: number): string {
  const [, base = '', ending = ''] = /^(.*?)(\.[^./\\]*)?$/s.exec(file ?? `${operation}.jsonl`) ?? []
  const length = times.once === undefined ? 'YYYY-MM-DDTHH:MM'.length : 'YYYY-MM-DD'.length
  const time = new Date(due).toISOString().slice(0, length).replace(':', '')
  return `${base}-${time}${ending || '.jsonl'}`
}
