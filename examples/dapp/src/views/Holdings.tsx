import { type BalanceDocument, type Token, toUnits } from 'etn-market'
import { usePrices } from 'etn-market/react'
import { PRICE_EVERY_MS } from '../live.ts'
import { useMarket } from '../market.ts'
import { formatCompact, formatMoment, formatMoney, formatPrice, NONE } from '../parts/format.ts'
import { TokenName } from '../parts/TokenName.tsx'
import { WALLET_LIMIT } from '../purchases.ts'

/** The tokens of a wallet, the most valuable first. */
export function Holdings({ document, tokens }: { document: BalanceDocument; tokens: readonly Token[] }) {
  const { feed } = useMarket()
  const byAddress = new Map(tokens.map((token) => [token.address, token]))
  const balances = Object.entries(document.balances)
  // The proxy streams the prices of listed tokens. Others have no name here, and no price.
  const listed = balances.flatMap(([address]) => (byAddress.has(address) ? [address] : []))
  const prices = usePrices(feed, listed, { everyMs: PRICE_EVERY_MS })
  const holdings = balances.flatMap(([address, { balance }]) => {
    const token = byAddress.get(address)
    if (token === undefined) return []
    const usd = prices[address]?.usd
    // Amounts are exact texts. A float is good enough for what is shown, not for what is paid.
    const amount = Number(toUnits(balance, token.decimals))
    return [{ token, amount, usd, value: usd === null || usd === undefined ? undefined : amount * Number(usd) }]
  })
  const total = holdings.reduce((sum, { value = 0 }) => sum + value, 0)
  const loading = holdings.filter(({ usd }) => usd === undefined).length
  const unpriced = holdings.filter(({ usd }) => usd === null)
  const sorted = holdings.sort((one, other) => (other.value ?? -1) - (one.value ?? -1))
  return (
    <section className="card table-card" aria-labelledby="holdings-title">
      <div className="total">
        <h2 id="holdings-title">Value</h2>
        <p className="total-value" aria-busy={loading > 0}>
          {loading === holdings.length && loading > 0 ? 'Loading prices…' : formatMoney(total)}
        </p>
        <p className="hint">
          {describe(holdings.length, balances.length, loading)} Recorded {formatMoment(new Date(document.updated))}.
        </p>
        {unpriced.length > 0 && (
          <p className="hint">
            Not in the total, because they have no price: {namesOf(unpriced.map(({ token }) => token))}.
          </p>
        )}
      </div>
      <table>
        <thead>
          <tr>
            <th scope="col">Token</th>
            <th scope="col" className="number wide">
              Amount
            </th>
            <th scope="col" className="number wide">
              Price
            </th>
            <th scope="col" className="number">
              Value
            </th>
          </tr>
        </thead>
        <tbody>
          {sorted.map(({ token, amount, usd, value }) => (
            <tr key={token.address}>
              <th scope="row">
                <TokenName {...token} />
              </th>
              <td className="number wide">{formatCompact(amount)}</td>
              <td className="number wide">{formatPrice(usd)}</td>
              <td className="number">
                {usd === undefined ? (
                  <span className="bone bone-cell" />
                ) : value === undefined ? (
                  NONE
                ) : (
                  formatMoney(value)
                )}
                <span className="share" style={{ width: `${total > 0 ? ((value ?? 0) / total) * 100 : 0}%` }} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

/** "98 tokens, 2 that are not listed. The prices of 3 are loading." */
function describe(shown: number, all: number, loading: number): string {
  const unlisted = all > shown ? `, and ${all - shown} that are not listed` : ''
  const more = all === WALLET_LIMIT ? ` The first ${WALLET_LIMIT} are shown.` : ''
  const prices = loading > 0 ? ` The prices of ${loading} are loading.` : ''
  return `${shown} tokens${unlisted}.${more}${prices}`
}

const MAX_NAMES = 5

function namesOf(tokens: readonly Token[]): string {
  const names = tokens.slice(0, MAX_NAMES).map(({ symbol }) => symbol)
  return names.join(', ') + (tokens.length > MAX_NAMES ? ` and ${tokens.length - MAX_NAMES} more` : '')
}
