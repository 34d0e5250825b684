import { type BalanceDocument, type Token, toUnits } from 'etn-market'
import { usePrices } from 'etn-market/react'
import { PRICE_EVERY_MS } from '../live.ts'
import { useMarket } from '../market.ts'
import { formatCompact, formatMoment, formatMoney, formatPrice, NONE } from '../parts/format.ts'
import { TokenName } from '../parts/TokenName.tsx'

/** The tokens of a wallet, the most valuable first. */
export function Holdings({ document, tokens }: { document: BalanceDocument; tokens: readonly Token[] }) {
  const { feed } = useMarket()
  const prices = usePrices(feed, Object.keys(document.balances), { everyMs: PRICE_EVERY_MS })
  const byAddress = new Map(tokens.map((token) => [token.address, token]))
  const holdings = Object.entries(document.balances).flatMap(([address, { balance }]) => {
    const token = byAddress.get(address)
    if (token === undefined) return []
    const usd = prices[address]?.usd
    // Amounts are exact texts. A float is good enough for what is shown, not for what is paid.
    const amount = Number(toUnits(balance, token.decimals))
    return [{ token, amount, usd, value: usd === null || usd === undefined ? undefined : amount * Number(usd) }]
  })
  const total = holdings.reduce((sum, { value = 0 }) => sum + value, 0)
  const unpriced = holdings.filter(({ value }) => value === undefined).length
  const sorted = holdings.sort((one, other) => (other.value ?? -1) - (one.value ?? -1))
  return (
    <section className="card table-card" aria-labelledby="holdings-title">
      <div className="total">
        <h2 id="holdings-title">Value</h2>
        <p className="total-value">{formatMoney(total)}</p>
        <p className="hint">
          {holdings.length} tokens{unpriced > 0 && `, ${unpriced} without a price`}. Recorded{' '}
          {formatMoment(new Date(document.updated))}.
        </p>
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
                {value === undefined ? NONE : formatMoney(value)}
                <span className="share" style={{ width: `${total > 0 ? ((value ?? 0) / total) * 100 : 0}%` }} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
