import { check } from './check.ts'
import type { Charge } from './ledger.ts'
import type { Match } from './match.ts'
import { insufficientCredits, notFound, type Refusal, serverBusy, unauthorized } from './refusal.ts'
import type { Receipt } from './reply.ts'
import { fakeRoutes, priceOf } from './routes.ts'
import type { Run } from './run.ts'
import type { Finding } from './world/world.ts'

/** A request that reached a route. */
export interface Call {
  match: Match
  query: URLSearchParams
  key: string | undefined
  /** Its number in the journal. */
  request: number
}

/** What the service decides: an error, or data that is paid for. */
export type Decision =
  | { refusal: Refusal }
  | {
      refusal?: undefined
      data: unknown
      cursor: string | null
      receipt: Receipt | undefined
      charge: Charge | undefined
      free(): void
    }

/**
 * Decides about a request, in the service's order: its form, the key, the rate, the credits, whether the thing exists, the heavy
 * slots. Then it charges. All in one go, so that no two calls can spend the same credits.
 */
export function decide(run: Run, { match, query, key, request }: Call, charging: boolean): Decision {
  const { operation } = match
  const route = fakeRoutes[operation]
  const { question, refusal } = check(match, query)
  if (!question) return { refusal }
  const account = run.accounts.find(key)
  if (!route.open && !account) return { refusal: unauthorized(key) }
  const tooMany = key !== undefined && account ? run.rate.check(key, run.now()) : undefined
  if (tooMany) return { refusal: tooMany }

  const finding: Finding | undefined = run.find(operation, question, account)
  const cost = priceOf(operation, finding?.items ?? 0)
  if (account && account.credits < cost) return { refusal: insufficientCredits(cost, account.credits) }
  if (!finding) return { refusal: notFound(`${operation} knows nothing at ${question.address}.`) }
  const free = route.heavy ? run.heavy.take() : () => {}
  if (!free) return { refusal: serverBusy(run.settings.heavyConcurrency, run.settings.heavyRetryAfterSeconds) }

  const answer = { data: finding.data, cursor: finding.cursor ?? null, free }
  if (route.free || !account || key === undefined) return { ...answer, receipt: undefined, charge: undefined }
  if (!charging) return { ...answer, receipt: { cost: 0, remaining: account.credits }, charge: undefined }
  account.credits -= cost
  const charge = { key, operation, items: finding.items, credits: cost, delivered: false, at: run.now(), request }
  return { ...answer, receipt: { cost, remaining: account.credits }, charge: run.ledger.add(charge) }
}
