import type { Command } from 'commander'
import type { Client } from 'etn-market'
import { createPriceFeed, type PriceFeed } from 'etn-market/feed'
import { HOUR_MS } from '../../utils/time-units.ts'
import { addExample, addServiceOptions, durationOf } from '../common-options.ts'
import type { HostProcess } from '../host.ts'
import { toJsonLine } from '../json.ts'
import { canDraw } from '../live-lines.ts'
import { formatCount, formatCredits, formatDecimal } from '../output.ts'
import { costOfPrices } from '../price-cost.ts'
import { createPriceRows, formatChange, formatPrices } from '../price-table.ts'
import { readAddresses } from '../read-addresses.ts'
import { type CommonOptions, inSession, type Session } from '../session.ts'
import { authorizeSpending } from '../spending.ts'
import { widthOf } from '../table.ts'
import { cleanLine } from '../text.ts'
import { buyTokens, readKeptTokens, TOKEN_LIST_COST, type TokenInfo, type Tokens } from '../tokens.ts'
import { watchPrices } from '../watch-prices.ts'

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
  else {
    const { colors, host } = session
    const table = formatPrices(rows, colors, { withChange: false, now: Date.now(), width: widthOf(host) })
    session.print([...table.lines, ...table.notShown.map(colors.dim)].join('\n'))
  }
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
      const { lines } = formatPrices(rows, colors, { withChange: true, now: Date.now(), width: widthOf(host) })
      return [...lines, colors.dim(`${formatCount(client.credits.charged)} credits charged. Ctrl-C ends.`)]
    },
  })
}
