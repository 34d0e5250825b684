import type { ComponentProps, ReactNode } from 'react'
import { type AnyQuery, formatCredits, formatUsdOf } from './cost.ts'
import { useCost } from './use-cost.ts'

/** What a click will cost at most. */
export function Cost({ of: queries }: { of: readonly AnyQuery[] }) {
  const { min, max } = useCost(queries)
  if (max === 0) return <span className="cost cost-free">free</span>
  return (
    <span className="cost" data-credits={max}>
      {min < max && 'up to '}
      {formatCredits(max)} <span className="cost-usd">{formatUsdOf(max)}</span>
    </span>
  )
}

interface WithCost {
  /** The queries that the click makes. */
  buys: readonly AnyQuery[]
  children: ReactNode
}

/** A button that says what the click will cost. */
export function CostButton({ buys, children, className = '', ...props }: WithCost & ComponentProps<'button'>) {
  return (
    <button type="button" className={`button ${className}`} {...props}>
      <span className="button-label">{children}</span> <Cost of={buys} />
    </button>
  )
}
