import type { Command } from 'commander'
import { type Client, isEtnMarketError } from 'etn-market'
import { createPriceFeed, type FeedPrice, type PriceFeed } from 'etn-market/feed'
import { HOUR_MS } from '../../utils/time-units.ts'
import { addExample, addServiceOptions, durationOf } from '../common-options.ts'
import type { HostProcess } from '../host.ts'
import { canDraw } from '../live-lines.ts'
import { formatCount, formatCredits, formatDecimal } from '../output.ts'
import { costOfPrices, createPriceRows, formatChange, type PriceRow, tabulatePrices } from '../price-table.ts'
import { readAddresses } from '../read-addresses.ts'
import { type CommonOptions, inSession, type Session } from '../session.ts'
import { authorizeSpending } from '../spending.ts'
import { fitTable, printTable, widthOf } from '../table.ts'
import { cleanLine, toJsonLine } from '../text.ts'
import { buyTokens, readKeptTokens, TOKEN_LIST_COST, type TokenInfo, type Tokens } from '../tokens.ts'

interface PricesArguments extends CommonOptions {
  readonly watch?: number
  /** False with `--no-symbols`. */
  readonly symbols: boolean
}

/**
 * Adds `etn-market prices`. With `--json` it prints a list of `{ address, symbol, usd, etn, changePercent, at, stale }`; with
 * `--watch` too, one of them a line.
 */
export function addPricesCommand(program: Command, host: HostProcess): void {
  const command = program
    .command('prices <addresses...>')
    .description('Prices of tokens. An address, a file with one a line, or - for standard input.')
    .option('--watch <interval>', 'keep the prices this young, such as 30s; at least 1s', durationOf(1_000))
    .option('--no-symbols', 'do not look up symbols in token.list, which is kept for a week')
  addServiceOptions(command).action(
    inSession<PricesArguments, [string[]]>(host, async (session, options, args) => {
      const addresses = [...new Set(await readAddresses(session, args))]
      const kept = options.symbols ? readKeptTokens(host, options) : new Map<string, TokenInfo>()
      const client = await session.client()
      await announce(session, options, addresses.length, kept === undefined)
      const tokens = kept ?? (await buyTokens(session, client, options))
      await using feed = createPriceFeed(client)
      if (options.watch === undefined) await printOnce(session, feed, addresses, tokens)
      else await printWatch(session, { client, feed, addresses, tokens, everyMs: options.watch })
      return undefined
    }),
  )
  addExample(command, 'prices 0x043fAa1b5C5FC9a7dc35171f290c29ECDE0cCff1 --watch 30s', 'prices tokens.txt --json')
}

function announce(session: Session, options: PricesArguments, count: number, buysSymbols: boolean): Promise<void> {
  const once = costOfPrices(count)
  const { min, max } = buysSymbols ? TOKEN_LIST_COST : { min: 0, max: 0 }
  const symbols = buysSymbols ? `${formatCredits(min, max)} of it once a week for symbols` : undefined
  const what = `prices of ${count} ${count === 1 ? 'token' : 'tokens'}`
  if (options.watch === undefined)
    return authorizeSpending(session, options, {
      what,
      min: once + min,
      max: once + max,
      ...(symbols !== undefined && { note: symbols }),
    })
  const anHour = Math.ceil((once * HOUR_MS) / options.watch)
  return authorizeSpending(session, options, {
    what: `${what}, the first hour`,
    min: once + min,
    max: anHour + max,
    note: [`${formatCredits(anHour)} an hour`, ...(symbols === undefined ? [] : [symbols])].join(', '),
    smallest: once + max,
  })
}

async function printOnce(session: Session, feed: PriceFeed, addresses: string[], tokens: Tokens): Promise<void> {
  const prices = await feed.prices(addresses, { signal: session.signal })
  const toRow = createPriceRows(tokens)
  const rows = addresses.flatMap((address) => (prices[address] ? [toRow(prices[address])] : []))
  if (session.json) session.printJson(rows)
  else printTable(session, ...tabulatePrices(rows, session.colors, false))
}

interface Watching {
  readonly client: Client
  readonly feed: PriceFeed
  readonly addresses: string[]
  readonly tokens: Tokens
  readonly everyMs: number
}

async function printWatch(session: Session, { feed, client, addresses, tokens, everyMs }: Watching): Promise<void> {
  const isLive = canDraw(session.host.stdout, session.host.env) && !session.json
  await watchPrices(session, feed, addresses, everyMs, createPriceRows(tokens), {
    isLive,
    onRow(row) {
      if (session.json) session.print(toJsonLine(row))
      else {
        const time = new Date(row.at).toISOString().slice(11, 19)
        const price = `${formatDecimal(row.usd)} USD  ${formatDecimal(row.etn)} ETN`
        const name = row.symbol ?? row.address
        session.print(cleanLine(`${time}  ${name}  ${price}  ${formatChange(row.changePercent)}`))
      }
    },
    toLines(rows) {
      const { colors, host } = session
      const { lines } = fitTable(...tabulatePrices(rows, colors, true), colors.bold, widthOf(host))
      return [...lines, colors.dim(`${formatCount(client.credits.charged)} credits charged. Ctrl-C ends.`)]
    },
  })
}

/** How a watch shows its prices. */
export interface WatchView {
  /** Draws the table again in place; otherwise each row is printed. */
  readonly isLive: boolean
  onRow(row: PriceRow): void
  toLines(rows: readonly PriceRow[]): string[]
}

const REDRAW_MS = 1_000

/** Shows prices as they change until the signal aborts. @throws the client's error if no later request can succeed */
export async function watchPrices(
  session: Session,
  feed: PriceFeed,
  addresses: readonly string[],
  everyMs: number,
  toRow: (price: FeedPrice) => PriceRow,
  view: WatchView,
): Promise<void> {
  let fail: (reason: unknown) => void = () => {}
  const failed = new Promise<never>((_, reject) => {
    fail = reject
  })
  // It may fail after the watch has ended, when nobody waits for it any more.
  failed.catch(() => {})
  const rows = new Map<string, PriceRow>()
  const lines = view.isLive ? session.startLiveLines(session.host.stdout) : undefined
  const draw = () => {
    const known = addresses.flatMap((address) => rows.get(address) ?? [])
    lines?.draw(view.toLines(known))
  }
  const timer = lines && setInterval(draw, REDRAW_MS)
  const watch = feed.watch(addresses, {
    everyMs,
    onPrice(price) {
      const row = toRow(price)
      rows.set(price.address, row)
      if (lines) draw()
      else view.onRow(row)
    },
    onError(error) {
      if (isFinal(error)) fail(error)
      else session.note(`warning: ${error instanceof Error ? error.message : String(error)}`)
    },
  })
  const onAbort = () => fail(session.signal.reason)
  session.signal.addEventListener('abort', onAbort)
  try {
    session.signal.throwIfAborted()
    await failed
  } finally {
    session.signal.removeEventListener('abort', onAbort)
    watch.stop()
    clearInterval(timer)
    lines?.end()
  }
}

/** The limit is reached, the key is refused or its credits are gone. Other failures end by themselves. */
function isFinal(error: unknown): boolean {
  const names = ['BudgetExceededError', 'AuthenticationError', 'PermissionError', 'InsufficientCreditsError']
  return !isEtnMarketError(error) || names.includes(error.name)
}
