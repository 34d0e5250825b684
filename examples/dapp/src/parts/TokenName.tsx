import type { ReactNode } from 'react'
import { tintOf } from './tint.ts'

interface TokenNameProps {
  address: string
  symbol: string
  name: string
  /** What stands for the symbol, such as a pair. @default the symbol */
  title?: string | undefined
  /** Text after the name. */
  children?: ReactNode
}

/** Symbol and name of a token, with a picture made of its address. */
export function TokenName({ address, symbol, name, title = symbol, children }: TokenNameProps) {
  return (
    <span className="token-name">
      <span className="token-icon" style={tintOf(address)} aria-hidden="true">
        {symbol.slice(0, 1)}
      </span>
      <span className="token-text">
        <strong title={title}>{title}</strong>
        <small title={name}>{name}</small>
        {children}
      </span>
    </span>
  )
}
