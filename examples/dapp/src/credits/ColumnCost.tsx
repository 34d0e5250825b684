import { type AnyQuery, costOf, formatCredits } from './cost.ts'

/** What each link of a column costs, once for all of them. */
export function ColumnCost({ of: queries, children }: { of: readonly AnyQuery[]; children: string }) {
  return (
    <small className="column-cost">
      {children} up to {formatCredits(costOf(queries).max)}
    </small>
  )
}
