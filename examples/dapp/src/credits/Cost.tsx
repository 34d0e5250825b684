import type { ComponentProps, ReactNode } from 'react'
import { type AnyQuery, costOf, formatCredits, formatUsdOf } from './cost.ts'
import { useCost } from './use-cost.ts'

/** What a click will cost at most. It has the room of its longest text, so that nothing moves when the page has the answer, or lets go of it. */
export function Cost({ of: queries }: { of: readonly AnyQuery[] }) {
  const { min, max } = useCost(queries)
  const room = costOf(queries)
  const rooms = { 'data-room': creditsText(room), 'data-room-usd': formatUsdOf(room.max) }
  if (max === 0)
    return (
      <span className="cost cost-free" {...rooms}>
        free
      </span>
    )
  return (
    <span className="cost" data-credits={max} {...rooms}>
      {creditsText({ min, max })} <span className="cost-usd">{formatUsdOf(max)}</span>
    </span>
  )
}

const creditsText = ({ min, max }: ReturnType<typeof costOf>) => `${min < max ? 'up to ' : ''}${formatCredits(max)}`

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
