import { tintOf } from './tint.ts'

/** Symbol and name of a token, with a picture made of its address. */
export function TokenName({ address, symbol, name }: { address: string; symbol: string; name: string }) {
  return (
    <span className="token-name">
      <span className="token-icon" style={tintOf(address)} aria-hidden="true">
        {symbol.slice(0, 1)}
      </span>
      <span className="token-text">
        <strong title={symbol}>{symbol}</strong>
        <small title={name}>{name}</small>
      </span>
    </span>
  )
}
