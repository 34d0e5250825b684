import type { Command } from 'commander'
import { type Candle, checksumAddress, estimateCost, isAddress, type OperationParams } from 'etn-market'
import { chartWidth, formatChart } from '../candle-chart.ts'
import { toCsv, toIsoTime } from '../candle-csv.ts'
import { toSvg } from '../candle-svg.ts'
import { buyCandlesOfMany } from '../candles-of-many.ts'
import { addExample, addServiceOptions } from '../common-options.ts'
import { usageError } from '../failure.ts'
import { requireWritable } from '../files.ts'
import type { HostProcess, NamedFile } from '../host.ts'
import { type PaidFor, savePaidFor } from '../paid-for.ts'
import { readAddresses } from '../read-addresses.ts'
import { writeWhole } from '../replace-file.ts'
import { DEFAULT_BUCKET, DEFAULT_CURRENCY, type Series, seriesIdOf } from '../series.ts'
import { openSeriesFile } from '../series-file.ts'
import { type CommonOptions, inSession, type Session } from '../session.ts'
import { authorizeSpending } from '../spending.ts'
import { syncSeries } from '../sync-series.ts'
import { buyTokens, readKeptTokens, TOKEN_LIST_COST } from '../tokens.ts'

interface CandlesArguments extends CommonOptions {
  readonly bucket: string
  readonly currency: string
  readonly limit: string
  /** True for standard output, else a file. */
  readonly csv?: true | string
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
      const [address = '', ...more] = addresses
      if (more.length > 0 || options.allListed) {
        if (options.svg !== undefined) throw usageError('--svg takes one token.')
        if (csv === true) throw usageError('--csv of several tokens needs a folder, such as --csv candles.')
        const params = addresses.map((one) => readParams(one, options))
        return buyCandlesOfMany(session, { options, params, sync: options.sync, csv })
      }
      const params = readParams(address, options)
      if (csv === true && session.json)
        throw usageError('--json and --csv without a file cannot be given together: both print.')
      const csvFile = typeof csv === 'string' ? session.file(csv) : undefined
      const svgFile = options.svg === undefined ? undefined : session.file(options.svg)
      if (csvFile) requireWritable('--csv', csvFile)
      if (svgFile) requireWritable('--svg', svgFile)
      const candles =
        options.sync === undefined
          ? await buyCandles(session, options, params)
          : await syncFile(session, options, params, session.file(options.sync))
      const save = (option: string, { name, path }: NamedFile, toText: () => string) =>
        savePaidFor(session, `${option} ${name}`, candlesAsCsv(candles), () => writeWhole(path, toText()))
      if (svgFile) save('--svg', svgFile, () => toSvg(candles, describe(params)))
      if (csvFile) save('--csv', csvFile, () => toCsv(candles))
      if (csv === true) session.print(toCsv(candles).trimEnd())
      else if (session.json && options.sync === undefined) session.printJson(candles)
      else if (!session.json && options.sync === undefined) {
        session.print(session.colors.bold(describe(params)))
        const lines = formatChart(candles, chartWidth(host), session.colors)
        session.print(lines.join('\n'))
      }
      return undefined
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
function readParams(
  given: string,
  { bucket, currency, limit }: CandlesArguments,
): OperationParams['token.candles'] & { limit: number } {
  const params = { address: given, bucket, currency, limit: /^\d{1,9}$/.test(limit) ? Number(limit) : limit }
  const isValid: boolean = isAddress(given)
  const checked = params as OperationParams['token.candles'] & { limit: number }
  estimateCost('token.candles', checked)
  return isValid ? { ...checked, address: checksumAddress(given) } : checked
}

async function buyCandles(
  session: Session,
  options: CandlesArguments,
  params: OperationParams['token.candles'] & { limit: number },
): Promise<Candle[]> {
  const client = await session.client()
  await authorizeSpending(session, options, {
    what: params.limit === 1 ? '1 candle' : `${params.limit} candles`,
    ...estimateCost('token.candles', params),
  })
  const candles = await client.token.candles(params, { signal: session.signal, validate: 'strict' })
  return [...candles].sort((one, other) => one.time - other.time)
}

async function syncFile(
  session: Session,
  options: CandlesArguments,
  params: OperationParams['token.candles'] & { limit: number },
  named: NamedFile,
): Promise<readonly Candle[]> {
  const id = seriesIdOf(params)
  const file = await openSeriesFile(named, id)
  const saving: Series = {
    candles: file.candles,
    merge: (fresh, gone) =>
      savePaidFor(session, `--sync ${named.name}`, candlesAsCsv(fresh), () => file.merge(fresh, gone)),
  }
  try {
    const { added, updated, candles, gap } = await syncSeries(saving, {
      bucket: id.bucket,
      limit: params.limit,
      now: Date.now() / 1_000,
      buy: (limit) => buyCandles(session, options, { ...params, limit }),
    })
    if (gap)
      session.note(
        `warning: a gap stays from ${toIsoTime(gap.from)} to ${toIsoTime(gap.to)}: the service returns no older candles.`,
      )
    if (session.json) session.printJson({ file: named.name, added, updated, total: candles.length })
    else session.print(`${named.name}: ${added} added, ${updated} updated, ${candles.length} candles.`)
    return candles
  } finally {
    file.close()
  }
}

const candlesAsCsv = (candles: readonly Candle[]): PaidFor => ({ name: 'candles.csv', text: () => toCsv(candles) })

function describe({ address, bucket, currency }: OperationParams['token.candles']): string {
  return `${address}, ${bucket}, ${currency}`
}
