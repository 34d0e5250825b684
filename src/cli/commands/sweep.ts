import type { Command } from 'commander'
import { estimateCost, type OperationId } from 'etn-market'
import { addExample, addServiceOptions } from '../common-options.ts'
import { EXIT, unknownValue } from '../failure.ts'
import type { HostProcess } from '../host.ts'
import { openJournal } from '../journal.ts'
import { formatCount } from '../output.ts'
import { createProgress } from '../progress.ts'
import { readAddresses } from '../read-addresses.ts'
import { buyMissing, type Result, readStored, SWEEPS, type SweepName, type SweepParams } from '../run-sweep.ts'
import { type CommonOptions, inSession, type Session } from '../session.ts'
import { authorizeSpending } from '../spending.ts'
import { cleanLine } from '../text.ts'

interface SweepArguments extends CommonOptions {
  readonly resume?: string
  readonly bucket?: string
  readonly currency?: string
  readonly limit?: string
}

/**
 * Adds `etn-market sweep`. With `--json` it prints `{ operation, journal, total, done, failed, stored, credits, remaining, results }`
 * at the end. It exits with 1 when a call failed or when `--max-credits` left some out.
 */
export function addSweepCommand(program: Command, host: HostProcess): void {
  const command = program
    .command('sweep <what> <addresses...>')
    .description(
      `Call an operation for many addresses: ${Object.keys(SWEEPS).join(', ')}. Every answer is kept in a journal, so that nothing is bought twice.`,
    )
    .option('--resume <journal>', 'go on with this journal, or begin it')
    .option('--bucket <length>', 'of candles: 1m, 15m, 1h, 4h or 1d')
    .option('--currency <code>', 'of candles: USD or ETN')
    .option('--limit <n>', 'of candles and balances: items of each answer')
  addServiceOptions(command).action(
    inSession<SweepArguments, [string, string[]]>(host, async (session, options, what, args) => {
      const name = readName(what)
      const params = await readParams(session, name, options, args)
      const path = options.resume ?? `sweep-${name}-${new Date().toISOString().replace(/[:.]/g, '-')}.jsonl`
      const journal = await openJournal(session.file(path))
      try {
        const client = await session.client()
        const { stored, missing } = await readStored(client, name, params, journal.store)
        const { min, max } = costOf(SWEEPS[name], missing)
        const smallest = costOf(SWEEPS[name], missing.slice(0, 1)).max
        const note = `journal ${path}${stored.length > 0 ? `, which has ${stored.length} of ${params.length}` : ''}`
        await authorizeSpending(session, options, {
          what: `${missing.length} ${SWEEPS[name]}`,
          min,
          max,
          note,
          smallest,
        })
        const onAbort = () => session.note('Waiting for the calls in flight. Ctrl-C again gives them up.')
        session.signal.addEventListener('abort', onAbort, { once: true })
        const progress = createProgress(host.stderr, missing.length)
        const { maxCredits } = options
        const bought = await buyMissing(
          client,
          name,
          missing,
          { store: journal.store, maxCredits, onProgress: progress.update },
          session.signal,
        ).finally(progress.stop)
        const results = [...stored, ...bought.results]
        const { remaining } = bought
        printSweep(session, { name, path, results, remaining, stored: stored.length, credits: client.credits.charged })
        return remaining.length > 0 || results.some(({ error }) => error !== undefined) ? EXIT.refused : EXIT.ok
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
  const costs = list.map((params) => estimateCost(operation, params as never))
  return { min: costs.reduce((sum, { min }) => sum + min, 0), max: costs.reduce((sum, { max }) => sum + max, 0) }
}

interface Summary {
  readonly name: SweepName
  readonly path: string
  readonly results: readonly Result[]
  readonly remaining: readonly SweepParams[]
  readonly stored: number
  readonly credits: number
}

function printSweep(session: Session, { name, path, results, remaining, stored, credits }: Summary): void {
  const failures = results.filter(({ error }) => error !== undefined)
  const counts = {
    total: results.length + remaining.length,
    done: results.length - failures.length,
    failed: failures.length,
  }
  if (session.json) {
    session.printJson({ operation: SWEEPS[name], journal: path, ...counts, stored, credits, remaining, results })
    return
  }
  for (const { params, error } of failures) session.print(`${params.address}: ${cleanLine(error?.message ?? '')}`)
  const fromJournal = stored > 0 ? ` (${stored} from the journal)` : ''
  session.print(
    `${counts.done} of ${counts.total} done${fromJournal}, ${counts.failed} failed, ${formatCount(credits)} credits.`,
  )
  if (remaining.length > 0 || failures.length > 0)
    session.print(`${remaining.length} left. To go on: run it again with --resume ${path}`)
}
