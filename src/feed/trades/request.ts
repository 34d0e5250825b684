import type { Clock } from '../../concurrency/clock.ts'
import { ResponseError } from '../../errors/response.ts'
import type { Trade } from '../../generated/types.ts'
import type { Lifetime } from '../lifetime.ts'
import { spendFromBudget } from '../prices/buy-prices.ts'
import type { DailyBudget } from '../prices/daily-budget.ts'
import type { Backoff } from '../requests/backoff.ts'
import type { FeedClient } from '../types.ts'
import { tradeCredits } from './cost.ts'

export interface TradeRequestParts {
  readonly client: FeedClient
  readonly clock: Clock
  readonly dailyBudget: DailyBudget
  readonly backoff: Backoff
  readonly lifetime: Lifetime
}

/** Requests the newest trades, once. */
export async function requestTrades(
  token: string | undefined,
  limit: number,
  { client, dailyBudget, lifetime }: TradeRequestParts,
): Promise<{ data: readonly Trade[]; credits: number }> {
  const params = { limit, ...(token !== undefined && { token }) }
  const send = () => client.trade.list(params, { signal: lifetime.signal, retry: false })
  const answer = await spendFromBudget(dailyBudget.budget, tradeCredits(limit), send)
  // Without `validate: 'strict'` a client hands over what it does not expect.
  if (Array.isArray(answer.data)) return answer
  const message = 'trade.list: the answer has no list of trades.'
  throw new ResponseError(message, { code: 'unexpected_shape', charge: 'charged', credits: answer.credits })
}
