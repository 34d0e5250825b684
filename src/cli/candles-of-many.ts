import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import {
  type Candle,
  type Client,
  type EtnMarketError,
  estimateCost,
  isEtnMarketError,
  type OperationParams,
} from 'etn-market'
import { isFinalForKey } from '../errors/final-error.ts'
import { chartWidth, formatChart } from './candle-chart.ts'
import { toCsv } from './candle-csv.ts'
import { CommandError, EXIT, usageError } from './failure.ts'
import { reasonOf } from './files.ts'
import type { NamedFile } from './host.ts'
import { savePaidFor } from './paid-for.ts'
import { writeWhole } from './replace-file.ts'
import { type SeriesFile, seriesIdOf } from './series.ts'
import { openSeriesFile } from './series-file.ts'
import { isSeriesFile, seriesName } from './series-name.ts'
import type { CommonOptions, Session } from './session.ts'
import { authorizeSpending } from './spending.ts'
import { estimateMissing, syncSeries } from './sync-series.ts'

export type CandleParams = OperationParams['token.candles'] & { readonly limit: number }

export interface CandlesOfMany {
  readonly options: CommonOptions
  /** One for each token. */
  readonly params: readonly CandleParams[]
  /** A folder with a CSV file for each token, kept up to date. */
  readonly sync: string | undefined
  /** A folder for a new CSV file of each token. */
  readonly csv: string | undefined
}

/** What became of a token, as `--json` prints it. */
interface Outcome {
  readonly address: string
  readonly file?: string
  readonly added?: number
  readonly updated?: number
  readonly total?: number
  readonly candles?: readonly Candle[]
  readonly error?: { readonly code: string; readonly message: string }
}

/** Buys the candles of several tokens, one after the other. One that fails leaves the others alone. Returns the exit code. */
export async function buyCandlesOfMany(session: Session, many: CandlesOfMany): Promise<number> {
  const folder = many.sync ?? many.csv
  if (folder !== undefined) makeFolder(session, folder)
  const outcomes = many.sync === undefined ? await buyEach(session, many) : await syncEach(session, many, many.sync)
  const failures = outcomes.filter(({ error }) => error !== undefined)
  if (session.json) session.printJson(outcomes)
  else
    session.print(
      `${outcomes.length - failures.length} of ${many.params.length} tokens done, ${failures.length} failed.`,
    )
  return failures.length === 0 && outcomes.length === many.params.length ? EXIT.ok : EXIT.refused
}

function makeFolder(session: Session, name: string): void {
  if (isSeriesFile(name)) throw usageError(`${name}: several tokens need a folder, with a file for each.`)
  try {
    mkdirSync(session.file(name).path, { recursive: true })
  } catch (error) {
    throw usageError(`${name}: ${reasonOf(error)}.`, error)
  }
}

async function buyEach(session: Session, { options, params, csv }: CandlesOfMany): Promise<Outcome[]> {
  const client = await session.client()
  await authorize(session, options, params)
  return inTurn(session, params, async (one) => {
    const candles = await buy(session, client, one)
    if (csv !== undefined) {
      const file = session.file(seriesName(csv, seriesIdOf(one), true))
      const paidFor = { name: 'candles.csv', text: () => toCsv(candles) }
      savePaidFor(session, `--csv ${file.name}`, paidFor, () => writeWhole(file.path, toCsv(candles)))
      if (!session.json) session.print(`${file.name}: ${candles.length} candles.`)
      return { file: file.name, total: candles.length }
    }
    if (!session.json) {
      session.print(session.colors.bold(`${one.address}, ${one.bucket}, ${one.currency}`))
      session.print(formatChart(candles, chartWidth(session.host), session.colors).join('\n'))
    }
    return { candles }
  })
}

async function syncEach(session: Session, { options, params }: CandlesOfMany, folder: string): Promise<Outcome[]> {
  const opened = new Map<CandleParams, { file: NamedFile; series: SeriesFile }>()
  try {
    // All of them before anything is sent: a file that cannot be used costs nothing.
    for (const one of params) {
      const file = session.file(seriesName(folder, seriesIdOf(one), true))
      mkdirSync(dirname(file.path), { recursive: true })
      opened.set(one, { file, series: await openSeriesFile(file, seriesIdOf(one)) })
    }
    const now = Date.now() / 1_000
    const missing = [...opened].map(([one, { series }]) => ({
      ...one,
      limit: estimateMissing(series, { ...one, now }),
    }))
    const client = await session.client()
    await authorize(session, options, missing)
    return await inTurn(session, params, async (one) => {
      const { file, series } = opened.get(one) as { file: NamedFile; series: SeriesFile }
      const { added, updated, candles } = await syncSeries(
        {
          candles: series.candles,
          merge: (fresh, gone) =>
            savePaidFor(session, `--sync ${file.name}`, { name: 'candles.csv', text: () => toCsv(fresh) }, () =>
              series.merge(fresh, gone),
            ),
        },
        { ...one, now, buy: (limit) => buy(session, client, { ...one, limit }) },
      )
      if (!session.json) session.print(`${file.name}: ${added} added, ${updated} updated, ${candles.length} candles.`)
      return { file: file.name, added, updated, total: candles.length }
    })
  } finally {
    for (const { series } of opened.values()) series.close()
  }
}

/** The outcomes in turn. Ends where every further call must fail in the same way. */
async function inTurn(
  session: Session,
  params: readonly CandleParams[],
  work: (one: CandleParams) => Promise<Omit<Outcome, 'address'>>,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (const one of params) {
    session.signal.throwIfAborted()
    const { address } = one
    try {
      outcomes.push({ address, ...(await work(one)) })
    } catch (error) {
      if (session.signal.aborted || error instanceof CommandError || !isEtnMarketError(error)) throw error
      const { code, message } = error
      outcomes.push({ address, error: { code, message } })
      session.note(`${address}: ${message}`)
      if (isFinal(error)) break
    }
  }
  return outcomes
}

const isFinal = (error: EtnMarketError): boolean => isFinalForKey(error) || error.name === 'BudgetExceededError'

async function buy(session: Session, client: Client, params: CandleParams): Promise<Candle[]> {
  const candles = await client.token.candles(params, { signal: session.signal, validate: 'strict' })
  return [...candles].sort((one, other) => one.time - other.time)
}

function authorize(session: Session, options: CommonOptions, params: readonly CandleParams[]): Promise<void> {
  const costs = params.map((one) => estimateCost('token.candles', one))
  const sum = (part: 'min' | 'max') => costs.reduce((total, cost) => total + cost[part], 0)
  return authorizeSpending(session, options, {
    what: `candles of ${params.length} tokens`,
    min: sum('min'),
    max: sum('max'),
    smallest: costs[0]?.max ?? 0,
  })
}
