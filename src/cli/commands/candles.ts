import { mkdirSync } from 'node:fs'
import type { Command } from 'commander'
import {
  type Candle,
  checksumAddress,
  estimateCost,
  isAddress,
  isEtnMarketError,
  type OperationParams,
} from 'etn-market'
import { isFinalForKey } from '../../errors/api.ts'
import { chartWidth, formatChart, toSvg } from '../candle-chart.ts'
import { addExample, addServiceOptions } from '../common-options.ts'
import { CommandError, EXIT, usageError } from '../failure.ts'
import { reasonOf, requireWritable, savePaidFor, writeWhole } from '../files.ts'
import type { HostProcess, NamedFile } from '../host.ts'
import { readAddresses } from '../read-addresses.ts'
import {
  DEFAULT_BUCKET,
  DEFAULT_CURRENCY,
  isSeriesFile,
  type SeriesFile,
  seriesIdOf,
  seriesName,
  toCsv,
} from '../series.ts'
import { openSeriesFile } from '../series-file.ts'
import { type CommonOptions, inSession, type Session } from '../session.ts'
import { authorizeSpending, sumCosts } from '../spending.ts'
import { describeGap, describeSync, estimateMissing, type Synced, syncSeries } from '../sync-series.ts'
import { buyTokens, readKeptTokens, TOKEN_LIST_COST } from '../tokens.ts'

type CandleParams = OperationParams['token.candles'] & { readonly limit: number }

interface CandlesArguments extends CommonOptions {
  readonly bucket: string
  readonly currency: string
  readonly limit: string
  /** True for standard output, else a file. */
  readonly csv?: true | string | undefined
  readonly svg?: string
  readonly sync?: string
  readonly allListed?: true
}

/** Adds `etn-market candles`. With `--json` it prints the candles, oldest first; with `--sync` `{ file, added, updated, total }`; of several tokens a list with the `address` of each. */
export function addCandlesCommand(program: Command, host: HostProcess): void {
  const command = program
    .command('candles [addresses...]')
    .description(
      'Candles of tokens: charts, CSV, SVG, or files that are kept up to date. An address, a file with one a line, or -.',
    )
    .option('--all-listed', 'of all listed tokens, by token.list, which is kept for a week')
    .option('--bucket <length>', '1m, 15m, 1h, 4h or 1d', DEFAULT_BUCKET)
    .option('--currency <code>', 'USD or ETN', DEFAULT_CURRENCY)
    .option('--limit <n>', 'number of newest candles, 1 to 500', '100')
    .option('--csv [file]', 'print CSV, or write it to a file; of several tokens, into a folder')
    .option('--svg <file>', 'write a chart of candles, for light and dark pages')
    .option(
      '--sync <file>',
      'keep a .csv or .sqlite file up to date, or a folder with a file for each of several tokens',
    )
  addServiceOptions(command).action(
    inSession<CandlesArguments, [string[]]>(host, async (session, options, args) => {
      const { named, csv } = readArguments(args, options)
      const addresses = options.allListed ? await listTokens(session, options) : await readTokens(session, named)
      const isMany = addresses.length > 1 || options.allListed === true
      const params = addresses.map((one) => readParams(one, options))
      const output = prepareOutput(session, { ...options, csv }, isMany)
      const series: SeriesFile[] = []
      try {
        // All of them before anything is sent: a file that cannot be used costs nothing.
        for (const one of options.sync === undefined ? [] : params) {
          const id = seriesIdOf(one)
          const file = session.file(isMany ? seriesName(options.sync ?? '', id, true) : (options.sync ?? ''))
          series.push(await openSeriesFile(file, id))
        }
        return await buyAll(session, options, { params, series, isMany, output })
      } finally {
        for (const file of series) file.close()
      }
    }),
  )
  const bolt = '0x043fAa1b5C5FC9a7dc35171f290c29ECDE0cCff1'
  addExample(
    command,
    `candles ${bolt} --bucket 4h --svg bolt.svg`,
    `candles ${bolt} --sync bolt.csv`,
    'candles --all-listed --bucket 1d --sync candles',
  )
}

/** `--csv 0x…` takes the address for the name of a file. */
function readArguments(args: readonly string[], { csv, sync, allListed }: CandlesArguments) {
  if (csv !== undefined && sync !== undefined) throw usageError('--csv and --sync cannot be given together.')
  const isAddressOfCsv = typeof csv === 'string' && csv.startsWith('0x')
  const named = isAddressOfCsv ? [csv, ...args] : args
  if (allListed && named.length > 0) throw usageError('--all-listed stands instead of addresses.')
  if (!allListed && named.length === 0) throw usageError("missing required argument 'addresses', or --all-listed.")
  return { named, csv: isAddressOfCsv ? (true as const) : csv }
}

/** The library says what is wrong with a single address. */
async function readTokens(session: Session, named: readonly string[]): Promise<string[]> {
  if (named.length === 1 && named[0]?.startsWith('0x')) return [...named]
  return [...new Set((await readAddresses(session, named)).map((address) => checksumAddress(address)))]
}

/** In the order of the alphabet, because the service's changes. */
async function listTokens(session: Session, options: CandlesArguments): Promise<string[]> {
  let kept = readKeptTokens(session.host, options)
  if (kept === undefined) {
    const client = await session.client()
    await authorizeSpending(session, options, { what: 'token.list, once a week', ...TOKEN_LIST_COST })
    kept = await buyTokens(session, client, options)
  }
  return [...kept.keys()].sort().map((address) => checksumAddress(address))
}

/** @throws InvalidRequestError naming the parameter */
function readParams(given: string, { bucket, currency, limit }: CandlesArguments): CandleParams {
  const params = { address: given, bucket, currency, limit: /^\d{1,9}$/.test(limit) ? Number(limit) : limit }
  const isValid: boolean = isAddress(given)
  const checked = params as CandleParams
  estimateCost('token.candles', checked)
  return isValid ? { ...checked, address: checksumAddress(given) } : checked
}

/** Where candles go. */
interface CandleOutput {
  /** A file, or a folder of files; true for standard output. */
  readonly csv: true | NamedFile | undefined
  readonly svg: NamedFile | undefined
}

/** @throws CommandError for outputs that exclude each other or cannot be written */
function prepareOutput(session: Session, { csv, svg, sync, json }: CandlesArguments, isMany: boolean): CandleOutput {
  if (isMany && svg !== undefined) throw usageError('--svg takes one token.')
  if (isMany && csv === true) throw usageError('--csv of several tokens needs a folder, such as --csv candles.')
  if (csv === true && json) throw usageError('--json and --csv without a file cannot be given together: both print.')
  const named = {
    csv: typeof csv === 'string' ? session.file(csv) : csv,
    svg: svg === undefined ? undefined : session.file(svg),
  }
  const folder = isMany ? (sync ?? csv) : undefined
  if (typeof folder === 'string') makeFolder(session.file(folder))
  else if (typeof named.csv === 'object') requireWritable('--csv', named.csv)
  if (named.svg) requireWritable('--svg', named.svg)
  return named
}

function makeFolder({ name, path }: NamedFile): void {
  if (isSeriesFile(name)) throw usageError(`${name}: several tokens need a folder, with a file for each.`)
  try {
    mkdirSync(path, { recursive: true })
  } catch (error) {
    throw usageError(`${name}: ${reasonOf(error)}.`, error)
  }
}

interface Purchases {
  readonly params: readonly CandleParams[]
  /** Of `--sync`, one for each token. */
  readonly series: readonly SeriesFile[]
  readonly isMany: boolean
  readonly output: CandleOutput
}

/** What became of a token, as `--json` prints it for several. */
interface Outcome extends Partial<Synced> {
  readonly address: string
  readonly candles?: readonly Candle[]
  readonly error?: { readonly code: string; readonly message: string }
}

/** Buys the candles of one token after the other. Returns the exit code. */
async function buyAll(session: Session, options: CandlesArguments, purchases: Purchases): Promise<number> {
  const { params, series, isMany } = purchases
  const now = Date.now() / 1_000
  const limits = params.map((one, index) =>
    series[index] ? estimateMissing(series[index], { ...one, now }) : one.limit,
  )
  const client = await session.client()
  await authorize(
    session,
    options,
    params.map((one, index) => ({ ...one, limit: limits[index] ?? one.limit })),
  )
  const outcomes: Outcome[] = []
  for (const [index, one] of params.entries()) {
    session.signal.throwIfAborted()
    const buy = async (limit: number) => {
      if (limit !== limits[index]) await authorize(session, options, [{ ...one, limit }])
      const candles = await client.token.candles({ ...one, limit }, { signal: session.signal, validate: 'strict' })
      return [...candles].sort((first, second) => first.time - second.time)
    }
    const file = series[index]
    try {
      const { candles, ...synced } =
        file === undefined ? { candles: await buy(one.limit) } : await syncSeries(file, { ...one, now, buy })
      outcomes.push({
        address: one.address,
        ...show(session, one, candles, 'file' in synced ? synced : undefined, purchases),
      })
    } catch (error) {
      if (!isMany || session.signal.aborted || error instanceof CommandError || !isEtnMarketError(error)) throw error
      const { code, message } = error
      outcomes.push({ address: one.address, error: { code, message } })
      session.note(`${one.address}: ${message}`)
      if (isFinalForKey(error) || error.name === 'BudgetExceededError') break
    }
  }
  const done = outcomes.filter(({ error }) => error === undefined)
  if (session.json) session.printJson(isMany ? outcomes : toSingle(outcomes[0]))
  else if (isMany)
    session.print(`${done.length} of ${params.length} tokens done, ${outcomes.length - done.length} failed.`)
  return done.length === params.length ? EXIT.ok : EXIT.refused
}

/** One token alone is printed without its address, and candles are a list. */
function toSingle({ address: _, ...outcome }: Outcome = { address: '' }): unknown {
  return outcome.file === undefined || outcome.candles ? outcome.candles : outcome
}

/** Writes and prints the candles of a token. */
function show(
  session: Session,
  params: CandleParams,
  candles: readonly Candle[],
  synced: Synced | undefined,
  { isMany, output: { csv, svg } }: Purchases,
): Omit<Outcome, 'address'> {
  const save = (option: string, { name, path }: NamedFile, text: () => string) =>
    savePaidFor(`${option} ${name}`, { name: 'candles.csv', text: () => toCsv(candles) }, () =>
      writeWhole(path, text()),
    )
  for (const line of synced ? describeGap(synced) : []) session.note(line)
  if (svg) save('--svg', svg, () => toSvg(candles, describe(params)))
  const file =
    typeof csv !== 'object' ? undefined : isMany ? session.file(seriesName(csv.name, seriesIdOf(params), true)) : csv
  if (file) save('--csv', file, () => toCsv(candles))
  if (csv === true) session.print(toCsv(candles).trimEnd())
  else if (!session.json && synced) session.print(describeSync(synced))
  else if (!session.json && file && isMany) session.print(`${file.name}: ${candles.length} candles.`)
  else if (!session.json) {
    session.print(session.colors.bold(describe(params)))
    session.print(formatChart(candles, chartWidth(session.host), session.colors).join('\n'))
  }
  if (synced) return synced
  return file && isMany ? { file: file.name, total: candles.length } : { candles }
}

function authorize(session: Session, options: CommonOptions, params: readonly CandleParams[]): Promise<void> {
  const costs = params.map((one) => estimateCost('token.candles', one))
  const [first] = params
  const what =
    params.length > 1
      ? `candles of ${params.length} tokens`
      : first?.limit === 1
        ? '1 candle'
        : `${first?.limit} candles`
  return authorizeSpending(session, options, { what, ...sumCosts(costs), smallest: costs[0]?.max ?? 0 })
}

const describe = ({ address, bucket, currency }: OperationParams['token.candles']) =>
  `${address}, ${bucket}, ${currency}`
