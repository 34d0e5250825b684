import { mkdirSync } from 'node:fs'
import { Option } from 'commander'
import {
  type Candle,
  type Client,
  checksumAddress,
  estimateCost,
  isEtnMarketError,
  type OperationParams,
} from 'etn-market'
import { closedOnly, type FilledCandle, fillGaps, mergeCandles, type OhlcvRow, toOhlcv } from 'etn-market/candles'
import { toCsv } from '../../candles/csv.ts'
import { countMissing } from '../../candles/keep-series.ts'
import { readAddresses } from '../call-params.ts'
import { formatChart, toSvg } from '../candle-chart.ts'
import { addExample, addServiceOptions, readItems } from '../common-options.ts'
import { EXIT, usageError } from '../failure.ts'
import { type NamedFile, requireWritable, savePaidFor, tryAccess, writeWhole } from '../files.ts'
import { formatItems } from '../output.ts'
import type { AddCommand } from '../program.ts'
import {
  DEFAULT_BUCKET,
  DEFAULT_CURRENCY,
  describeGap,
  describeSync,
  isSeriesFile,
  openSeriesFile,
  type SeriesFile,
  type Synced,
  seriesIdOf,
  seriesName,
} from '../series.ts'
import { type CommonOptions, inSession, isForAllCalls, type Session, sumCosts } from '../session.ts'
import { buyTokens, readKeptTokens, TOKEN_LIST_COST } from '../tokens.ts'

const LAST_IS_OPEN = 'Oldest first, each time once; the last candle may be open'

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
  readonly fill?: true
  readonly closed?: true
  readonly format?: 'ohlcv'
}

/**
 * Adds `etn-market candles`. With `--json` it prints the candles, oldest first, with `--format ohlcv` as rows; with `--sync`
 * `{ file, added, updated, total }`; of several tokens a list with the `address` of each.
 */
export const addCommand: AddCommand = (program, host) => {
  const command = program
    .command('candles [addresses...]')
    .description(
      'Candles of tokens: charts, CSV, SVG, or files that are kept up to date. An address, a file with one a line, or -.',
    )
    .option('--all-listed', 'of all listed tokens, by token.list, which is kept for a week')
    .option('--bucket <length>', '1m, 15m, 1h, 4h or 1d', DEFAULT_BUCKET)
    .option('--currency <code>', 'USD or ETN', DEFAULT_CURRENCY)
    .option('--limit <n>', 'number of newest candles, 1 to 500', '100')
    .option('--fill', 'add a candle for each period without a trade: the close before it, volume 0')
    .option('--closed', 'leave out the last candle while it is open')
    .addOption(new Option('--format <name>', "print JSON in ccxt's rows").choices(['ohlcv']))
    .option('--csv [file]', `print CSV, or write it to a file; of several tokens, into a folder. ${LAST_IS_OPEN}`)
    .option('--svg <file>', 'write a chart of candles, for light and dark pages')
    .option(
      '--sync <file>',
      `keep a .csv or .sqlite file up to date, or a folder with a file for each of several tokens. ${LAST_IS_OPEN}, and replaced by the next sync`,
    )
  addServiceOptions(command).action(
    inSession<CandlesArguments, [string[]]>(host, async (session, options, args) => {
      const { named, csv } = readArguments(args, options)
      const listed = options.allListed ? await listTokens(session) : await readAddresses(session, named)
      const addresses = [...new Set(listed.map((address) => checksumAddress(address)))]
      using purchases = new Purchases(session, { ...options, csv }, addresses)
      await purchases.buy()
    }),
  )
  addExample(
    command,
    'candles 0x043fAa1b5C5FC9a7dc35171f290c29ECDE0cCff1 --svg bolt.svg',
    'candles tokens.txt --fill --closed --csv folder',
    'candles tokens.txt --bucket 4h --sync folder',
    'candles --all-listed --bucket 1d --sync folder',
  )
}

/** `--csv 0x…` takes the address for the name of a file. */
function readArguments(args: readonly string[], { csv, sync, allListed, fill, closed, format }: CandlesArguments) {
  if (csv !== undefined && sync !== undefined) throw usageError('--csv and --sync cannot be given together.')
  if (csv !== undefined && format !== undefined) throw usageError('--csv and --format cannot be given together.')
  const changing = fill ? '--fill' : closed ? '--closed' : format && '--format'
  // A candle that was added, or left out, would be taken for what the service has.
  if (sync !== undefined && changing) throw usageError(`${changing} and --sync cannot be given together.`)
  const isAddressOfCsv = typeof csv === 'string' && csv.startsWith('0x')
  const named = isAddressOfCsv ? [csv, ...args] : args
  if (allListed && named.length > 0) throw usageError('--all-listed stands instead of addresses.')
  if (!allListed && named.length === 0) throw usageError("missing required argument 'addresses', or --all-listed.")
  return { named, csv: isAddressOfCsv ? (true as const) : csv }
}

/** In the order of the alphabet, because the service's changes. */
async function listTokens(session: Session): Promise<string[]> {
  let kept = readKeptTokens(session)
  if (kept === undefined) {
    const client = await session.client()
    await session.authorize({ what: 'token.list, once a week', ...TOKEN_LIST_COST })
    kept = await buyTokens(session, client)
  }
  return [...kept.keys()].sort()
}

/** What became of a token, as `--json` prints it for several. */
type Outcome = Partial<Synced> & {
  address: string
  candles?: readonly (Candle | OhlcvRow)[]
  error?: { code: string; message: string }
}

class Purchases {
  readonly #session: Session
  readonly #options: CandlesArguments
  readonly #params: readonly CandleParams[]
  /** Several tokens have a folder, with a file for each. */
  readonly #isMany: boolean
  readonly #printsJson: boolean
  /** Of `--sync`, one for each token. */
  readonly #series: SeriesFile[] = []

  /** @throws CommandError for outputs that exclude each other or cannot be written, InvalidRequestError naming a parameter */
  constructor(session: Session, options: CandlesArguments, addresses: readonly string[]) {
    const { bucket, currency, limit, csv, svg, sync, json, allListed } = options
    this.#session = session
    this.#options = options
    this.#isMany = addresses.length > 1 || allListed === true
    this.#printsJson = session.json || options.format !== undefined
    this.#params = addresses.map((address) => {
      const params = { address, bucket, currency, limit: readItems(limit) } as CandleParams
      estimateCost('token.candles', params)
      return params
    })
    if (this.#isMany && svg !== undefined) throw usageError('--svg takes one token.')
    if (this.#isMany && csv === true) throw usageError('--csv of several tokens needs a folder, such as --csv candles.')
    if (csv === true && json) throw usageError('--json and --csv without a file cannot be given together: both print.')
    const folder = this.#isMany ? (sync ?? csv) : undefined
    if (typeof folder === 'string') {
      if (isSeriesFile(folder)) throw usageError(`${folder}: several tokens need a folder, with a file for each.`)
      tryAccess(folder, () => mkdirSync(session.file(folder).path, { recursive: true }))
    } else if (typeof csv === 'string') requireWritable('--csv', session.file(csv))
    if (svg !== undefined) requireWritable('--svg', session.file(svg))
  }

  [Symbol.dispose](): void {
    for (const file of this.#series) file[Symbol.dispose]()
  }

  #fileOf(name: string, params: CandleParams): NamedFile {
    return this.#session.file(this.#isMany ? seriesName(name, seriesIdOf(params), true) : name)
  }

  async buy(): Promise<void> {
    const session = this.#session
    const { sync } = this.#options
    // It may ask for the key: nobody else waits for a file meanwhile.
    const client = await session.client()
    // All of them before anything is sent: a file that cannot be used costs nothing.
    if (sync !== undefined)
      for (const params of this.#params)
        this.#series.push(
          await openSeriesFile('--sync', this.#fileOf(sync, params), seriesIdOf(params), session.signal),
        )
    const now = Date.now() / 1_000
    const expected = this.#params.map((params, index) => {
      const file = this.#series[index]
      return file ? { ...params, limit: countMissing(file, { limit: params.limit, now }) } : params
    })
    await this.#authorize(expected)
    const outcomes: Outcome[] = []
    for (const [index, params] of this.#params.entries()) {
      session.signal.throwIfAborted()
      const buy = async (limit: number) => {
        if (limit !== expected[index]?.limit) await this.#authorize([{ ...params, limit }])
        return this.#buy(client, { ...params, limit })
      }
      const { address, limit } = params
      const file = this.#series[index]
      try {
        const synced = await file?.sync({ limit, now, buy })
        outcomes.push({ address, ...this.#show(params, file?.candles ?? (await buy(limit)), synced) })
      } catch (error) {
        if (!this.#isMany || session.signal.aborted || !isEtnMarketError(error)) throw error
        const { code, message } = error
        outcomes.push({ address, error: { code, message } })
        session.note(`${address}: ${message}`)
        if (isForAllCalls(error)) break
      }
    }
    const done = outcomes.filter(({ error }) => error === undefined).length
    if (done < this.#params.length) session.exitCode = EXIT.refused
    if (this.#printsJson) session.printJson(this.#isMany ? outcomes : toSingle(outcomes[0]))
    else if (this.#isMany)
      session.print(`${done} of ${formatItems(this.#params.length, 'token')} done, ${outcomes.length - done} failed.`)
  }

  /** Candles, as `--closed` and `--fill` want them. */
  async #buy({ token }: Client, params: CandleParams): Promise<(Candle | FilledCandle)[]> {
    const { bucket = DEFAULT_BUCKET } = params
    const { fill, closed } = this.#options
    const requestedAt = Date.now()
    const call = token.candles(params, { signal: this.#session.signal, validate: 'strict' })
    const { data, meta } = await call.withMeta()
    const serviceNow = Date.parse(meta.headers?.date ?? '')
    // A clock of this machine that is ahead would close the open candle.
    const now = serviceNow < requestedAt ? serviceNow : requestedAt
    const candles = closed ? closedOnly(data, bucket, now) : mergeCandles(data)
    return fill ? fillGaps(candles, bucket) : candles
  }

  #authorize(params: readonly CandleParams[]): Promise<void> {
    const costs = params.map((one) => estimateCost('token.candles', one))
    const [{ limit } = { limit: 0 }] = params
    const what = params.length > 1 ? `candles of ${formatItems(params.length, 'token')}` : formatItems(limit, 'candle')
    return this.#session.authorize({ what, ...sumCosts(costs), smallest: costs[0]?.max ?? 0 })
  }

  #show(params: CandleParams, candles: readonly Candle[], synced?: Synced): Omit<Outcome, 'address'> {
    const { print, colors, host } = this.#session
    const { csv, svg, format } = this.#options
    const json = this.#printsJson
    const title = `${params.address}, ${params.bucket}, ${params.currency}`
    const text = toCsv(candles)
    const save = (option: string, { name, path }: NamedFile, content: string) =>
      savePaidFor(`${option} ${name}`, 'candles.csv', text, () => writeWhole(path, content))
    for (const line of synced ? describeGap(synced) : []) this.#session.note(line)
    if (svg !== undefined) save('--svg', this.#session.file(svg), toSvg(candles, title))
    const file = typeof csv === 'string' ? this.#fileOf(csv, params) : undefined
    if (file) save('--csv', file, text)
    if (csv === true) print(text.trimEnd())
    else if (!json && synced) print(describeSync(synced))
    else if (!json && file && this.#isMany) print(`${file.name}: ${formatItems(candles.length, 'candle')}.`)
    else if (!json) print([colors.bold(title), ...formatChart(candles, host, colors)].join('\n'))
    return (
      synced ??
      (file && this.#isMany
        ? { file: file.name, total: candles.length }
        : { candles: format ? toOhlcv(candles) : candles })
    )
  }
}

/** One token alone is printed without its address, and candles are a list. */
const toSingle = ({ address: _, ...outcome }: Outcome = { address: '' }): unknown => outcome.candles ?? outcome
