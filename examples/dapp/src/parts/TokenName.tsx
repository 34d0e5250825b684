import type { ReactNode } from 'react'
import { initialsOf, Name, nameOf } from './names.tsx'
import { tintOf } from './tint.ts'

interface TokenNameProps {
  address: string
  symbol: string | null | undefined
  name: string | null | undefined
  /** What stands for the symbol, such as a pair. @default the symbol */
  title?: ReactNode
  /** Text after the name. */
  children?: ReactNode
}

/** Symbol and name of a token, with a picture made of its address. */
export function TokenName({ address, symbol: givenSymbol, name: givenName, title, children }: TokenNameProps) {
  const [symbol, name] = [nameOf(givenSymbol, address), nameOf(givenName, address)]
  return (
    <span className="token-name">
      <span className="token-icon" style={tintOf(address)} aria-hidden="true">
        {initialsOf(symbol)}
      </span>
      <span className="token-text">
        <strong title={symbol}>{title ?? <Name>{symbol}</Name>}</strong>
        <small title={name}>
          <Name>{name}</Name>
        </small>
        {children}
      </span>
    </span>
  )
}
