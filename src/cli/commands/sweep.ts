import type { Command } from 'commander'
import {
  type BudgetStore,
  type Client,
  createBudget,
  estimateCost,
  type OperationId,
  type Sweep,
  type SweepOptions,
  type SweepProgress,
  type SweepResult,
} from 'etn-market'
import { isFinalForKey } from '../../errors/api.ts'
import { SWEEP_BUDGET_KEY } from '../../sweep/sweep-budget.ts'
import { methodOf } from '../call-params.ts'
import { addExample, addServiceOptions, readCredits } from '../common-options.ts'
import { describeFailure, EXIT, refusal, unknownValue } from '../failure.ts'
import { keepElsewhere, reasonOf } from '../files.ts'
import type { HostProcess } from '../host.ts'
import { type Journal, openJournal } from '../journal.ts'
import { createProgress } from '../live-lines.ts'
import { formatCount, formatCredits } from '../output.ts'
import { readAddresses } from '../read-addresses.ts'
import { type CommonOptions, inSession, type Session } from '../session.ts'
import { authorizeSpending, type SpendingLimit, sumCosts } from '../spending.ts'
import { cleanLine } from '../text.ts'

interface SweepArguments extends CommonOptions {
  readonly resume?: string
  readonly maxCreditsPerRun?: number
  readonly bucket?: string
  readonly currency?: string
  readonly limit?: string
}

/**
 * Adds `etn-market sweep`. With `--json` it prints `{ operation, journal, total, done, failed, stored, credits, ended, remaining, results }`
 * at the end. It exits with 1 when a call failed or when a limit left some out.
 */
export function addSweepCommand(program: Command, host: HostProcess): void {
  const command = program
    .command('sweep <what> <addresses...>')
    .description(
      `Call an operation for many addresses: ${Object.keys(SWEEPS).join(', ')}. Every answer is kept in a journal, so that nothing is bought twice.`,
    )
    .option('--resume <journal>', 'go on with this journal, or begin it')
    .option('--max-credits-per-run <n>', 'the most that this run may be charged', readCredits)
    .option('--bucket <length>', 'of candles: 1m, 15m, 1h, 4h or 1d')
    .option('--currency <code>', 'of candles: USD or ETN')
    .option('--limit <n>', 'of candles and balances: items of each answer')
  addServiceOptions(command, 'the most that all runs on the journal may be charged together').action(
    inSession<SweepArguments, [string, string[]]>(host, async (session, options, what, args) => {
      const name = readName(what)
      const params = await readParams(session, name, options, args)
      const path = options.resume ?? `sweep-${name}-${new Date().toISOString().replace(/[:.]/g, '-')}.jsonl`
      const journal = await openJournal(session.file(path))
      try {
        const client = await session.client()
        const { stored, missing } = await readStored(client, name, params, journal.store)
        const spent = await readSpent(journal)
        const limit = limitOf(options, spent)
        const has = stored.length > 0 ? `, which has ${stored.length} of ${params.length}` : ''
        await authorizeSpending(session, options, {
          what: `${missing.length} ${SWEEPS[name]}`,
          ...costOf(SWEEPS[name], missing),
          note: `journal ${path}${has}`,
          smallest: costOf(SWEEPS[name], missing.slice(0, 1)).max,
          limit,
        })
        const progress = createProgress(session, missing.length)
        const onAbort = () => session.note('Waiting for the calls in flight. Ctrl-C again gives them up.')
        session.signal.addEventListener('abort', onAbort, { once: true })
        const bought = await buyMissing(
          client,
          name,
          missing,
          // The limit of the library is of all runs together, too.
          { store: journal.store, maxCredits: spent + limit.credits, onProgress: progress.update },
          session.signal,
        )
          .catch((error) => {
            throw journal.failure === undefined ? error : journalError(path, journal)
          })
          .finally(progress.stop)
        if (journal.failure !== undefined) throw journalError(path, journal)
        const results = [...stored, ...bought.results]
        await printSweep(session, {
          operation: SWEEPS[name],
          journal: path,
          results,
          remaining: bought.remaining,
          stored: stored.length,
          credits: client.credits.charged,
          costOf: (list) => costOf(SWEEPS[name], list).max,
          limit,
        })
        return bought.remaining.length > 0 || results.some(({ error }) => error !== undefined) ? EXIT.refused : EXIT.ok
      } finally {
        journal.close()
      }
    }),
  )
  addExample(command, 'sweep locks tokens.txt --max-credits 80000 --resume locks.jsonl')
}

function readName(what: string): SweepName {
  if (Object.hasOwn(SWEEPS, what)) return what as SweepName
  throw unknownValue('sweep', what, Object.keys(SWEEPS))
}

/** @throws InvalidRequestError naming a parameter that the operation does not take */
async function readParams(
  session: Session,
  name: SweepName,
  options: SweepArguments,
  args: readonly string[],
): Promise<SweepParams[]> {
  const { bucket, currency, limit } = options
  const shared = {
    ...(bucket !== undefined && { bucket }),
    ...(currency !== undefined && { currency }),
    ...(limit !== undefined && { limit: /^\d{1,9}$/.test(limit) ? Number(limit) : limit }),
  }
  const addresses = [...new Set(await readAddresses(session, args))]
  const params = addresses.map((address) => ({ address, ...shared }))
  costOf(SWEEPS[name], params)
  return params
}

function costOf(operation: OperationId, list: readonly SweepParams[]): { min: number; max: number } {
  return sumCosts(list.map((params) => estimateCost(operation, params as never)))
}

/** What earlier runs on the journal were charged, what they may have been charged included. */
async function readSpent({ store }: Journal): Promise<number> {
  // Nothing is written: the sweep writes the same entry.
  const readOnly = { get: store.get, set() {} }
  const ledger = createBudget({ credits: Number.POSITIVE_INFINITY, store: readOnly, key: SWEEP_BUDGET_KEY })
  await ledger.load()
  return ledger.spent + ledger.uncertain
}

/** What is left of `--max-credits`, or `--max-credits-per-run` where that is less. */
function limitOf({ maxCredits, maxCreditsPerRun }: SweepArguments, spent: number): SpendingLimit {
  const most = maxCredits === undefined ? Number.MAX_SAFE_INTEGER : maxCredits
  const left = Math.max(0, most - spent)
  if (maxCreditsPerRun !== undefined && maxCreditsPerRun <= left)
    return { credits: maxCreditsPerRun, name: `--max-credits-per-run ${formatCount(maxCreditsPerRun)}` }
  const beside = spent > 0 ? ` beside the ${formatCount(spent)} of earlier runs on this journal` : ''
  return { credits: left, name: `--max-credits ${formatCount(most)}`, beside }
}

function journalError(path: string, { failure, unwritten }: Journal): Error {
  const problem = `journal ${path}: it cannot be written: ${reasonOf(failure)}.`
  if (unwritten.length === 0)
    return refusal(`${problem} What it has is kept: run it again with --resume ${path}`, 'not_written')
  const text = () => unwritten.map((line) => `${line}\n`).join('')
  return keepElsewhere(`${problem} Append to it what is missing, then go on with --resume ${path}.`, {
    name: path,
    text,
  })
}

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

/** The operations that can be swept, by the name of the sweep. */
export const SWEEPS = {
  locks: 'locks.get',
  'nft-collections': 'nft.collection',
  candles: 'token.candles',
  balances: 'balances.get',
} as const

export type SweepName = keyof typeof SWEEPS
export type SweepParams = { readonly address: string; readonly [name: string]: unknown }
export type Result = SweepResult<SweepParams, unknown>

/** The sweep of a client. What the store has is not bought. */
export function startSweep(
  client: Client,
  name: SweepName,
  params: readonly SweepParams[],
  options: SweepOptions,
): Sweep<SweepParams, unknown> {
  return methodOf(client, SWEEPS[name]).many(params, options)
}

/** What the store has already, and what has to be bought. Sends nothing. */
export async function readStored(client: Client, name: SweepName, params: readonly SweepParams[], store: BudgetStore) {
  const sweep = startSweep(client, name, params, { store, maxCredits: 0 })
  const stored: Result[] = []
  for await (const result of sweep) stored.push(result)
  return { stored, missing: sweep.remaining }
}

/**
 * Buys what is missing. After an abort nothing further is sent, and what is in flight is waited for, stored and counted: what is cancelled
 * would be charged and bought again. `maxCredits` holds for all runs on the store together.
 */
export async function buyMissing(
  client: Client,
  name: SweepName,
  params: readonly SweepParams[],
  options: { store: BudgetStore; maxCredits: number; onProgress(progress: SweepProgress): void },
  signal: AbortSignal,
): Promise<{ results: Result[]; remaining: readonly SweepParams[] }> {
  const sweep = startSweep(client, name, params, { ...options, signal, whenAborted: 'finish' })
  const results: Result[] = []
  for await (const result of sweep) results.push(result)
  return { results, remaining: sweep.remaining }
}
