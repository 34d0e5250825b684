import { isFinalForKey } from '../errors/api.ts'
import { describeFailure } from './failure.ts'
import { formatCount, formatCredits } from './output.ts'
import type { Result, SweepParams } from './run-sweep.ts'
import type { Session } from './session.ts'
import type { SpendingLimit } from './spending.ts'
import { cleanLine } from './text.ts'

export interface SweepSummary {
  readonly operation: string
  /** As the user named it. */
  readonly journal: string
  readonly results: readonly Result[]
  readonly remaining: readonly SweepParams[]
  /** How many results are from the journal. */
  readonly stored: number
  /** What this run was charged. */
  readonly credits: number
  /** What calls may cost. */
  costOf(list: readonly SweepParams[]): number
  readonly limit: SpendingLimit
}

/** Prints what a sweep has done, why it ended early, and how to go on. */
export async function printSweep(session: Session, summary: SweepSummary): Promise<void> {
  const { operation, journal, results, remaining, stored, credits, costOf } = summary
  const failures = results.flatMap(({ params, error }) => (error === undefined ? [] : [{ params, error }]))
  const final = failures.find(({ error }) => isFinalForKey(error))?.error
  const ended = final && (await describeFailure(final))
  const counts = {
    total: results.length + remaining.length,
    done: results.length - failures.length,
    failed: failures.length,
  }
  if (session.json) {
    const why = ended ? { code: ended.code, message: ended.message } : null
    session.printJson({ operation, journal, ...counts, stored, credits, ended: why, remaining, results })
    return
  }
  // What ended the sweep is the same for all.
  for (const { params, error } of failures)
    if (!isFinalForKey(error)) session.print(cleanLine(`${params.address}: ${error.message}`))
  const fromJournal = stored > 0 ? ` (${stored} from the journal)` : ''
  session.print(
    `${counts.done} of ${counts.total} done${fromJournal}, ${counts.failed} failed, ${formatCount(credits)} credits.`,
  )
  const left = [...remaining, ...failures.map(({ params }) => params)]
  if (left.length === 0) return
  if (ended) {
    const cost = final?.status === 402 ? ` What is left costs up to ${formatCredits(costOf(left))}.` : ''
    session.print(cleanLine(`Ended early. ${ended.message}${cost}`))
    session.print(`${left.length} left. After that: run it again with --resume ${journal}`)
  } else
    session.print(
      `${left.length} left. To go on: ${describeLimit(session, summary)}run it again with --resume ${journal}`,
    )
}

/** What has to be raised before the next call fits. */
function describeLimit({ signal }: Session, { remaining, limit, credits, costOf }: SweepSummary): string {
  const isLimited = !signal.aborted && remaining.length > 0 && credits + costOf(remaining.slice(0, 1)) > limit.credits
  return isLimited && !limit.name.includes('per-run') ? `raise ${limit.name}, and ` : ''
}
