import { type BalanceDocument, type Token, toUnits } from 'etn-market'
import { type PricesByAddress, usePrices } from 'etn-market/react'
import { Fragment, useMemo } from 'react'
import { ChartLink } from '../credits/ChartLink.tsx'
import { ColumnCost } from '../credits/ColumnCost.tsx'
import { PRICE_EVERY_MS } from '../live.ts'
import { useMarket } from '../market.ts'
import { Address } from '../parts/Address.tsx'
import { formatCompact, formatMoment, formatMoney, formatPrice, NONE } from '../parts/format.ts'
import { Loading } from '../parts/Loaded.tsx'
import { Name, nameOf } from '../parts/names.tsx'
import { useFirstPrices } from '../prices/first-prices.ts'
import { LiveState } from '../prices/LiveState.tsx'
import { queriesOf, WALLET_LIMIT } from '../purchases.ts'

/** What a wallet has of a token. */
interface Holding {
  readonly address: string
  /** Undefined where the token is not listed: its decimals and price are not known. */
  readonly token: Token | undefined
  readonly amount: number | undefined
  /** The price of a token; null where there is none, undefined while it loads. */
  readonly usd: string | null | undefined
  readonly value: number | undefined
}

/** The tokens of a wallet, the most valuable first. */
export function Holdings({ document, tokens }: { document: BalanceDocument; tokens: readonly Token[] }) {
  const { prices: history, queries } = useMarket()
  const byAddress = new Map(tokens.map((token) => [token.address, token]))
  const balances = Object.entries(document.balances)
  // The proxy streams the prices of listed tokens.
  const listed = balances.flatMap(([address]) => (byAddress.has(address) ? [address] : []))
  const prices = usePrices(history.source, listed, { everyMs: PRICE_EVERY_MS })
  const holdings = balances.map(([address, { balance }]) => holdingOf(address, balance, byAddress.get(address), prices))
  const isComplete = holdings.every(({ usd }) => usd !== undefined)
  const isShown = useFirstPrices(isComplete)
  // Rows that moved with each price could not be read.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the values change with each price
  const order = useMemo(() => addressesByValue(holdings), [document, isComplete])
  const shown = [...holdings].sort((one, other) => order.indexOf(one.address) - order.indexOf(other.address))
  const total = holdings.reduce((sum, { value = 0 }) => sum + value, 0)
  if (!isShown) return <Loading of="rows" count={holdings.length} />
  return (
    <section className="card table-card" aria-labelledby="holdings-title">
      <Total holdings={holdings} total={total} updated={document.updated} />
      <div className="table-scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">
                Token <ColumnCost of={queriesOf('candles', queries)}>Chart:</ColumnCost>
              </th>
              <th scope="col" className="number">
                Value
              </th>
              <th scope="col" className="number">
                Amount
              </th>
              <th scope="col" className="number">
                Price
              </th>
              <th scope="col" className="number">
                Address
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map((holding) => (
              <HoldingRow key={holding.address} holding={holding} total={total} />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

const addressesByValue = (holdings: readonly Holding[]) =>
  [...holdings].sort((one, other) => (other.value ?? -1) - (one.value ?? -1)).map(({ address }) => address)

function holdingOf(address: string, balance: string, token: Token | undefined, prices: PricesByAddress): Holding {
  if (token === undefined) return { address, token, amount: undefined, usd: null, value: undefined }
  // Amounts are exact texts. A float is good enough for what is shown, not for what is paid.
  const amount = Number(toUnits(balance, token.decimals))
  const usd = prices[address]?.usd
  return { address, token, amount, usd, value: typeof usd === 'string' ? amount * Number(usd) : undefined }
}

function HoldingRow({ holding: { address, token, amount, usd, value }, total }: { holding: Holding; total: number }) {
  const name = token ? nameOf(token.symbol, address) : 'a token that is not listed'
  return (
    <tr>
      <th scope="row">{token ? <ChartLink {...token} /> : <span className="hint">Not listed</span>}</th>
      <td className="number">
        {usd === undefined ? <span className="bone bone-cell" /> : value === undefined ? NONE : formatMoney(value)}
        <span className="share" style={{ width: `${total > 0 ? ((value ?? 0) / total) * 100 : 0}%` }} />
      </td>
      <td className="number">{amount === undefined ? NONE : formatCompact(amount)}</td>
      <td className="number">{usd === undefined ? <span className="bone bone-cell" /> : formatPrice(usd)}</td>
      <td className="number">
        <Address of={address} name={name} />
      </td>
    </tr>
  )
}

interface TotalProps {
  holdings: readonly Holding[]
  total: number
  /** Unix milliseconds. */
  updated: number
}

/** The value of a wallet, and what it does not contain. */
function Total({ holdings, total, updated }: TotalProps) {
  const loading = holdings.filter(({ usd }) => usd === undefined).length
  const unpriced = holdings.flatMap(({ token, usd }) =>
    token && usd === null ? [nameOf(token.symbol, token.address)] : [],
  )
  const unlisted = holdings.filter(({ token }) => token === undefined).length
  return (
    <div className="total">
      <h2 id="holdings-title">Value</h2>
      <p className="total-value" aria-busy={loading > 0}>
        {loading === holdings.length ? 'Loading prices…' : formatMoney(total)} <LiveState />
      </p>
      <p className="hint">
        {holdings.length} tokens, recorded {formatMoment(new Date(updated))}.
        {holdings.length === WALLET_LIMIT && ` The wallet may have more: the page shows ${WALLET_LIMIT}.`}
        {loading > 0 && ` The prices of ${loading} are loading.`}
      </p>
      {unpriced.length + unlisted > 0 && (
        <p className="hint">
          Not in the total: <Missing unpriced={unpriced} unlisted={unlisted} />.
        </p>
      )}
    </div>
  )
}

const MAX_NAMES = 5

/** "CORE and ARC, without a price; 2 that are not listed" */
function Missing({ unpriced, unlisted }: { unpriced: readonly string[]; unlisted: number }) {
  const more = unpriced.length - MAX_NAMES
  const names = [...unpriced.slice(0, MAX_NAMES), ...(more > 0 ? [`${more} more`] : [])]
  return (
    <>
      {new Intl.ListFormat('en').formatToParts(names).map(({ type, value }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts have no other identity
        <Fragment key={index}>{type === 'element' ? <Name>{value}</Name> : value}</Fragment>
      ))}
      {names.length > 0 && ', without a price'}
      {names.length > 0 && unlisted > 0 && '; '}
      {unlisted > 0 && `${unlisted} that ${unlisted === 1 ? 'is' : 'are'} not listed`}
    </>
  )
}
