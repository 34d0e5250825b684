import type { OtherRequests } from '../schedule/explain.ts'
import { type TradeCost, tradeCredits } from './cost.ts'

/** The interval nearest to `everyMs` that suits every reader. */
export function intervalWithin(
  readers: readonly { readonly bounds: Record<'min' | 'max', number> }[],
  everyMs: number,
): number {
  const min = Math.min(...readers.map(({ bounds }) => bounds.min))
  const max = Math.min(...readers.map(({ bounds }) => bounds.max))
  return Math.min(max, Math.max(min, everyMs))
}

/** The requests for the trades of a token, undefined for all tokens. */
export function planTrades(token: string | undefined, everyMs: number, cost: TradeCost): OtherRequests {
  const credits = (intervalMs: number) => tradeCredits(cost.limitAfter(intervalMs))
  return { operation: 'trade.list', address: token, everyMs, credits }
}
