/** A price and its age. Unknown fields of the service are kept. */
export interface FeedPrice {
  /** The address as the caller wrote it. */
  readonly address: string
  /** USD for one token, a decimal string; null if there is no price. */
  readonly usd: string | null
  /** ETN for one token, a decimal string; null if there is no price. */
  readonly etn: string | null
  /** When the price was requested, unix milliseconds. The price is at least as new. */
  readonly at: number
  /** Age of the price when it was delivered, in milliseconds. */
  readonly ageMs: number
  /** Whether the price is older than requested, because of a failure or the budget. */
  readonly stale: boolean
}
