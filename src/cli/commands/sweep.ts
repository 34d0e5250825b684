import { type BudgetStore, createBudget, type OperationId, type SweepOptions, type SweepResult } from 'etn-market'
import { isFinalForKey } from '../../errors/api.ts'
import { SWEEP_KEY } from '../../sweep/sweep-budget.ts'
import { cleanLine } from '../../utils/clean-line.ts'
import { estimateCall, methodOf, type ParamOptions, readAddresses, readParams } from '../call-params.ts'
import { addExample, addServiceOptions, readCount } from '../common-options.ts'
import { describeFailure, didYouMean, EXIT, refusal, usageError } from '../failure.ts'
import { keepElsewhere, reasonOf } from '../files.ts'
import { type Journal, openJournal } from '../journal.ts'
import { formatCount, formatCredits, formatItems } from '../output.ts'
import type { AddCommand } from '../program.ts'
import { type CommonOptions, inSession, type Session, type SpendingLimit, sumCosts } from '../session.ts'
import { createProgress } from '../terminal-display.ts'

type SweepArguments = CommonOptions & ParamOptions & { readonly resume?: string; readonly maxCreditsPerRun?: number }

export const SWEEPS: Readonly<Record<string, OperationId>> = {
  locks: 'locks.get',
  'nft-collections': 'nft.collection',
  candles: 'token.candles',
  balances: 'balances.get',
}

type SweepParams = { readonly address: string; readonly [name: string]: unknown }

/** Adds `etn-market sweep`. It exits with 1 when a call failed or when a limit left some out. */
export const addCommand: AddCommand = (program, host) => {
  const command = program
    .command('sweep <what> <addresses...>')
    .description(
      `Call an operation for many addresses: ${Object.keys(SWEEPS).join(', ')}. Every answer is kept in a journal, so that nothing is bought twice.`,
    )
    .option('--resume <journal>', 'go on with this journal, or begin it')
    .option('--max-credits-per-run <n>', 'the most that this run may be charged', readCount)
    .option('--bucket <length>', 'of candles: 1m, 15m, 1h, 4h or 1d')
    .option('--currency <code>', 'of candles: USD or ETN')
    .option('--limit <n>', 'of candles and balances: items of each answer')
  addServiceOptions(command, 'the most that all runs on the journal may be charged together').action(
    inSession<SweepArguments, [string, string[]]>(host, async (session, options, what, args) => {
      const operation = SWEEPS[what]
      if (operation === undefined || !Object.hasOwn(SWEEPS, what))
        throw usageError(`unknown sweep ${JSON.stringify(what)}. ${didYouMean(what, Object.keys(SWEEPS))}`)
      const shared = await readParams(session, options)
      const params = (await readAddresses(session, args)).map((address) => ({ address, ...shared }))
      // It names a parameter that the operation does not take.
      costOf(operation, params)
      const path = options.resume ?? `sweep-${what}-${new Date().toISOString().replace(/[:.]/g, '-')}.jsonl`
      using journal = openJournal(session.file(path))
      await sweep(session, options, operation, params, path, journal)
    }),
  )
  addExample(command, 'sweep locks tokens.txt --max-credits 80000 --resume locks.jsonl')
}

function costOf(operation: OperationId, list: readonly SweepParams[]): { min: number; max: number } {
  return sumCosts(list.map((params) => estimateCall(operation, params)))
}

async function sweep(
  session: Session,
  options: SweepArguments,
  operation: OperationId,
  params: readonly SweepParams[],
  path: string,
  journal: Journal,
): Promise<void> {
  const client = await session.client()
  const call = async (list: readonly SweepParams[], sweepOptions: SweepOptions) => {
    const calls = methodOf(client, operation).many(list, { ...sweepOptions, store: journal.store })
    const results: SweepResult<SweepParams, unknown>[] = []
    for await (const result of calls) results.push(result)
    return { results, remaining: calls.remaining }
  }
  // With no credits it only looks into the journal.
  const { results: stored, remaining: missing } = await call(params, { maxCredits: 0 })
  const spent = await readSpent(journal.store)
  const limit = limitOf(options, spent)
  const has = stored.length > 0 ? `, which has ${stored.length} of ${params.length}` : ''
  await session.authorize({
    what: `${missing.length} ${operation}`,
    ...costOf(operation, missing),
    note: `journal ${path}${has}`,
    smallest: costOf(operation, missing.slice(0, 1)).max,
    limit,
  })
  const progress = createProgress(session, missing.length)
  session.noteWhenAborted()
  const buying = call(missing, {
    // The limit of the library is of all runs together, too.
    maxCredits: spent + limit.credits,
    onProgress: progress.update,
    signal: session.signal,
    // What is in flight is waited for, stored and counted: what is cancelled would be charged and bought again.
    whenAborted: 'finish',
  })
  const bought = await buying.finally(() => {
    progress.stop()
    if (journal.failure !== undefined) throw journalError(path, journal)
  })
  const { remaining } = bought
  const results = [...stored, ...bought.results]
  const failures = results.flatMap(({ params, error }) => (error === undefined ? [] : [{ params, error }]))
  const final = failures.find(({ error }) => isFinalForKey(error))?.error
  const ended = final && describeFailure(final)
  const left = [...remaining, ...failures.map((failure) => failure.params)]
  const [total, failed] = [results.length + remaining.length, failures.length]
  const done = results.length - failed
  const credits = client.credits.charged
  if (left.length > 0) session.exitCode = EXIT.refused
  if (session.json) {
    const why = ended ? { code: ended.code, message: ended.message } : null
    const found = { total, done, failed, stored: stored.length, credits, ended: why, remaining, results }
    return session.printJson({ operation, journal: path, ...found })
  }
  // What ended the sweep is the same for all.
  for (const { params, error } of failures)
    if (!isFinalForKey(error)) session.print(cleanLine(`${params.address}: ${error.message}`))
  const known = stored.length > 0 ? ` (${stored.length} from the journal)` : ''
  session.print(`${done} of ${total} done${known}, ${failed} failed, ${formatItems(credits, 'credit')}.`)
  if (left.length === 0) return
  let advice = 'To go on: '
  if (ended) {
    const cost = `What is left costs up to ${formatCredits(costOf(operation, left).max)}.`
    session.print(cleanLine(`Ended early. ${ended.message}${final?.status === 402 ? ` ${cost}` : ''}`))
    advice = 'After that: '
  } else if (!session.signal.aborted && remaining.length > 0) {
    // What has to be raised before the next call fits.
    const isLimited = credits + costOf(operation, remaining.slice(0, 1)).max > limit.credits
    if (isLimited && !limit.name.includes('per-run')) advice += `raise ${limit.name}, and `
  }
  session.print(`${left.length} left. ${advice}run it again with --resume ${path}`)
}

/** What earlier runs on the journal were charged, what they may have been charged included. */
async function readSpent({ get }: BudgetStore): Promise<number> {
  // Nothing is written: the sweep writes this entry, which is none that users name.
  const readOnly = { get: () => get(SWEEP_KEY), set() {} }
  const ledger = createBudget({ credits: Number.POSITIVE_INFINITY, store: readOnly })
  await ledger.load()
  return ledger.spent + ledger.uncertain
}

/** What is left of `--max-credits`, or `--max-credits-per-run` where that is less. */
function limitOf(options: SweepArguments, spent: number): SpendingLimit {
  const { maxCredits: most = Number.MAX_SAFE_INTEGER, maxCreditsPerRun } = options
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
  const advice = `Append to it what is missing, then go on with --resume ${path}.`
  return keepElsewhere(`${problem} ${advice}`, path, unwritten.map((line) => `${line}\n`).join(''))
}
