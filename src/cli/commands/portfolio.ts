import { type EtnMarketError, estimateCost, NotFoundError, operations, type TokenPrice } from 'etn-market'
import { creditsFor } from '../../credits/cheapest-requests.ts'
import type { RequestSpec } from '../../feed/requests/requester.ts'
import { type BuyTokens, TokenInfos } from '../../portfolio/token-info.ts'
import { type HeldBalances, MAX_BALANCES, readBalances, valueWallet } from '../../portfolio/value-wallet.ts'
import { looksLikeAddress } from '../../utils/address.ts'
import { cleanLine } from '../../utils/clean-line.ts'
import { methodOf } from '../call-params.ts'
import { addExample, addServiceOptions } from '../common-options.ts'
import { exitCodeOf } from '../failure.ts'
import { formatCredits, formatDecimal, formatItems } from '../output.ts'
import type { AddCommand } from '../program.ts'
import { type CommonOptions, inSession, type Session, sumCosts } from '../session.ts'
import { type Column, printTable, tokenColumns } from '../table.ts'
import { buyTokens, readKeptTokens, TOKEN_LIST_COST, type Tokens } from '../tokens.ts'

/** With `--json` it prints `{ wallet, updated, complete, totalUsd, totalEtn, positions, unpriced }`, with exact decimals. */
export const addCommand: AddCommand = (program, host) => {
  const command = program
    .command('portfolio <wallet>')
    .description('What a wallet holds, as the service recorded it, and what that is worth.')
  addServiceOptions(command).action(
    inSession<CommonOptions, [string]>(host, async (session, _, wallet) => {
      const { signal } = session
      const params = { address: wallet, limit: MAX_BALANCES }
      const kept = readKeptTokens(session)
      const cost = sumCosts([
        estimateCost('balances.get', params),
        ...(kept ? [] : [TOKEN_LIST_COST]),
        { min: 0, max: creditsFor(MAX_BALANCES) },
      ])
      const client = await session.client()
      await session.authorize({ what: 'balances and prices', ...cost, note: 'by the number of tokens' })
      const { balances, complete, updated } = readBalances(
        await client.balances.get(params, { signal, validate: 'strict' }),
      )
      const held = [...balances.keys()].filter(looksLikeAddress)
      const listed: Tokens = kept ?? (held.length === 0 ? new Map() : await buyTokens(session, client))
      const tokens = new TokenInfos(Date.now)
      tokens.useList(Array.from(listed, ([address, info]) => ({ ...info, address })))
      const unlisted = held.filter((address) => tokens.get(address) === undefined)
      const lookUpCost = unlisted.length * operations['token.get'].credits.base
      const isLookedUp = session.isAuthorized(cost.max + lookUpCost)
      const credits = `up to ${formatCredits(lookUpCost)}`
      const what = isLookedUp
        ? `looking them up costs ${credits}`
        : `they are not counted; --yes, or more --max-credits, looks them up for ${credits}`
      if (unlisted.length > 0) session.note(`${formatItems(unlisted.length, 'token')} not listed: ${what}.`)
      let failure: EtnMarketError | undefined
      const buy: BuyTokens = async <T>(_: string, { operation, params }: RequestSpec<T>) => {
        // It ends with the first failure; a token that the service does not know is none, and is free.
        if (failure !== undefined) throw failure
        const call = methodOf(client, operation)(params, { signal, validate: 'strict' })
        return (await call.catch((error: EtnMarketError) => {
          if (!(error instanceof NotFoundError)) failure ??= error
          throw error
        })) as T
      }
      // What is paid for is printed, whatever fails: `failure` says what did.
      await tokens.lookUp(isLookedUp ? unlisted : [], buy).catch(() => {})
      const addresses = held.filter((address) => tokens.get(address) !== undefined)
      const { prices, errors } = await client.prices.batch({ addresses }, { signal, partial: 'return' })
      const valuation = { wallet, updated, complete, ...valueBalances(balances, tokens, prices) }
      if (session.json) session.printJson(valuation)
      else printValuation(session, valuation)
      const failures = [...(failure ? [failure] : []), ...errors]
      for (const error of failures) session.note(`warning: ${error.message}`)
      if (failures[0] !== undefined) session.exitCode = exitCodeOf(failures[0])
    }),
  )
  addExample(command, 'portfolio 0xFeEdBeEf00000000000000000000000000000001')
}

type Prices = Readonly<Partial<Record<string, TokenPrice | null>>>

/** Values balances exactly. A token without known decimals or a price is reported with the reason. Figures are exact decimal texts. */
function valueBalances(balances: HeldBalances['balances'], known: TokenInfos, prices: Prices) {
  const valued = valueWallet(
    balances,
    (address) => known.get(address),
    (address) => prices[address] ?? undefined,
  )
  const unpriced = valued.positions.filter(({ usd }) => usd === null)
  return {
    ...valued,
    positions: valued.positions.map(({ address, symbol, amount, usd, etn }) => ({ address, symbol, amount, usd, etn })),
    unpriced: unpriced.map(({ address, symbol, decimals, amount, price }) => {
      const noPrice = prices[address] === null ? 'the service has no price for it' : 'its price could not be bought'
      const noValue = price === null ? noPrice : 'it has no price in USD'
      const noAmount = decimals === null ? 'its decimals are not known' : 'its balance or its decimals cannot be read'
      return { address, symbol, reason: amount === null ? noAmount : noValue }
    }),
  }
}

type Valuation = ReturnType<typeof valueBalances> & Pick<HeldBalances, 'updated' | 'complete'>

function printValuation(session: Session, valuation: Valuation): void {
  const { positions, unpriced, totalUsd, totalEtn, updated, complete } = valuation
  const { print, colors } = session
  const columns: Column[] = [
    ...tokenColumns(positions, colors),
    { title: 'amount', align: 'right', dropOrder: 1 },
    { title: 'USD', align: 'right' },
    { title: 'ETN', align: 'right', dropOrder: 3 },
  ]
  const cells = positions.map(({ symbol, address, amount, usd, etn }) => {
    return [symbol ?? '-', address, ...[amount, usd, etn].map((figure) => formatDecimal(figure))]
  })
  if (positions.length > 0) printTable(session, columns, cells)
  print(colors.bold(`Total: ${formatDecimal(totalUsd, 8)} USD, ${formatDecimal(totalEtn, 8)} ETN.`))
  const time = updated > 0 && updated < 8.64e15 ? new Date(updated).toISOString() : undefined
  print(time === undefined ? 'The service has no record of this wallet.' : `Recorded ${time}.`)
  if (!complete) print(`The service returns at most ${formatItems(MAX_BALANCES, 'token')}: there may be more.`)
  for (const { symbol, address, reason } of unpriced)
    print(`Not counted: ${symbol === null ? address : cleanLine(symbol)}: ${reason}.`)
}
