import { type Client, isEtnMarketError } from 'etn-market'
import { createPriceFeed, type FeedPrice, type PriceFeed } from 'etn-market/feed'
import { formatPrice } from 'etn-market/format'
import type { Colors } from 'picocolors/types'
import { creditsFor } from '../../credits/cheapest-requests.ts'
import { cleanLine } from '../../utils/clean-line.ts'
import { HOUR_MS } from '../../utils/time-units.ts'
import { readAddresses } from '../call-params.ts'
import { addExample, addServiceOptions, readInterval } from '../common-options.ts'
import { formatChange, formatCredits, formatDecimal, formatItems } from '../output.ts'
import type { AddCommand } from '../program.ts'
import { type CommonOptions, inSession, isForAllCalls, type Session } from '../session.ts'
import { type Column, fitTable, printTable, tokenColumns, widthOf } from '../table.ts'
import { toJson } from '../text.ts'
import { buyTokens, readKeptTokens, TOKEN_LIST_COST, type Tokens } from '../tokens.ts'

type ToRow = ReturnType<typeof createPriceRows>

type PricesArguments = CommonOptions & { readonly watch?: number; readonly symbols: boolean }

/** With `--json` it prints a list of prices as rows; with `--watch` too, one of them a line. */
export const addCommand: AddCommand = (program, host) => {
  const command = program
    .command('prices <addresses...>')
    .description('Prices of tokens. An address, a file with one a line, or - for standard input.')
    .option('--watch <interval>', 'keep the prices this young, such as 30s; at least 1s', readInterval)
    .option('--no-symbols', 'do not look up symbols in token.list, which is kept for a week')
  addServiceOptions(command).action(
    inSession<PricesArguments, [string[]]>(host, async (session, { symbols, watch }, args) => {
      const addresses = await readAddresses(session, args)
      const kept: Tokens | undefined = symbols ? readKeptTokens(session) : new Map()
      const client = await session.client()
      await authorize(session, watch, addresses.length, kept === undefined)
      const toRow = createPriceRows(kept ?? (await buyTokens(session, client)))
      await using feed = createPriceFeed(client)
      if (watch !== undefined) return await printWatch(session, client, feed, addresses, watch, toRow)
      const prices = await feed.prices(addresses, { signal: session.signal })
      const bought = addresses.flatMap((address) => prices[address] ?? [])
      const rows = bought.map(toRow)
      if (session.json) session.printJson(rows)
      else printTable(session, ...tabulatePrices(rows, bought, session.colors, false))
    }),
  )
  addExample(command, 'prices 0x043fAa1b5C5FC9a7dc35171f290c29ECDE0cCff1 --watch 30s', 'prices tokens.txt --json')
}

/** A watch has no end: what is announced is its first hour. */
function authorize(session: Session, everyMs: number | undefined, count: number, buysSymbols: boolean): Promise<void> {
  const { min, max } = buysSymbols ? TOKEN_LIST_COST : { min: 0, max: 0 }
  const once = creditsFor(count)
  const anHour = everyMs === undefined ? once : Math.ceil((once * HOUR_MS) / everyMs)
  const hourly = everyMs === undefined ? [] : [`${formatCredits(anHour)} an hour`]
  const symbols = buysSymbols ? [`${formatCredits(min, max)} of it once a week for symbols`] : []
  return session.authorize({
    what: `prices of ${formatItems(count, 'token')}${everyMs === undefined ? '' : ', the first hour'}`,
    min: once + min,
    max: anHour + max,
    note: [...hourly, ...symbols].join(', '),
    smallest: once + max,
  })
}

const REDRAW_MS = 1_000

/** Shows prices as they change, in place or a line for each. @throws the client's error if no later request can succeed */
async function printWatch(
  session: Session,
  client: Client,
  feed: PriceFeed,
  addresses: readonly string[],
  everyMs: number,
  toRow: ToRow,
): Promise<void> {
  const { host, json, colors, signal } = session
  const rows = new Map<string, PriceRow>()
  const live = json ? undefined : session.startDisplay(host.stdout)
  const draw = () => {
    const known = addresses.flatMap((address) => rows.get(address) ?? [])
    const aged = known.map(({ address }) => feed.peek(address))
    const { lines } = fitTable(...tabulatePrices(known, aged, colors, true), colors.bold, widthOf(host))
    const charged = `${formatItems(client.credits.charged, 'credit')} charged. Ctrl-C ends.`
    live?.draw([...lines, colors.dim(charged)])
  }
  const timer = live && setInterval(draw, REDRAW_MS)
  const failing = new AbortController()
  const watch = feed.watch(addresses, {
    everyMs,
    signal: AbortSignal.any([signal, failing.signal]),
    onError(error) {
      // Others than a limit that is reached, a refused key and one without credits end by themselves.
      if (isEtnMarketError(error) && !isForAllCalls(error)) session.note(`warning: ${error.message}`)
      else failing.abort(error)
    },
  })
  try {
    for await (const price of watch) {
      const row = toRow(price)
      rows.set(price.address, row)
      if (live) draw()
      else session.print(json ? toJson(row) : describeRow(row))
    }
  } finally {
    clearInterval(timer)
    live?.end()
  }
}

function describeRow({ at, symbol, address, usd, etn, changePercent }: PriceRow): string {
  const time = new Date(at).toISOString().slice(11, 19)
  const price = `${formatDecimal(usd)} USD  ${formatDecimal(etn)} ETN`
  return cleanLine(`${time}  ${symbol ?? address}  ${price}  ${formatChange(changePercent)}`)
}

type PriceRow = ReturnType<ToRow>

/** The columns name their currency. */
const PLAIN = { symbol: '', digits: 6, none: '-' }

/** Keeps the first price of each address, and makes the rows of a table of later ones. */
function createPriceRows(tokens: Tokens) {
  const first = new Map<string, FeedPrice>()
  return (price: FeedPrice) => {
    const { address, usd, etn, at, stale } = price
    const before = first.get(address)
    if (before === undefined) first.set(address, price)
    const symbol = tokens.get(address.toLowerCase())?.symbol ?? null
    // Percent since the first price of this run; null without two prices.
    return { address, symbol, usd, etn, changePercent: before ? changeOf(before, price) : null, at, stale }
  }
}

/** In USD where both prices have it, else in ETN. */
function changeOf(before: FeedPrice, after: FeedPrice): number | null {
  const unit = before.usd !== null && after.usd !== null ? 'usd' : 'etn'
  const [from, to] = [before[unit], after[unit]].map(Number) as [number, number]
  return from > 0 && after[unit] !== null ? (100 * (to - from)) / from : null
}

/** `aged` has the same prices with their ages of now: the wall clock may have been set since. */
function tabulatePrices(
  rows: readonly PriceRow[],
  aged: readonly (FeedPrice | undefined)[],
  colors: Colors,
  withChange: boolean,
): [Column[], string[][]] {
  const colorOfChange = (cell: string, at: number) => {
    const change = rows[at]?.changePercent ?? 0
    return change > 0 ? colors.green(cell) : change < 0 ? colors.red(cell) : cell
  }
  const columns: Column[] = [
    ...tokenColumns(rows, colors),
    { title: 'USD', align: 'right' },
    { title: 'ETN', align: 'right', dropOrder: 3 },
    ...(withChange ? [{ title: 'change', align: 'right', style: colorOfChange, dropOrder: 1 } as const] : []),
    { title: 'age', align: 'right', dropOrder: 0 },
  ]
  const cells = rows.map((row, index) => [
    row.symbol ?? '-',
    row.address,
    formatPrice(row.usd, PLAIN),
    formatPrice(row.etn, PLAIN),
    ...(withChange ? [formatChange(row.changePercent)] : []),
    `${Math.round((aged[index]?.ageMs ?? 0) / 1_000)} s${row.stale ? ' !' : ''}`,
  ])
  return [columns, cells]
}
