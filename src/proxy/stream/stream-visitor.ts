/** A visitor with open streams. */
export interface StreamVisitor {
  readonly id: string
  streams: number
  /** Part of a credit that was paid in advance, because budgets count whole ones. */
  paidAhead: number
  /** When there may be credits again, by the monotonic clock; undefined while there are. */
  brokeUntil: number | undefined
}

export const isSolvent = ({ brokeUntil }: StreamVisitor) => brokeUntil === undefined
