import type { Accounts, KeyState } from './accounts.ts'
import type { Charge, Ledger } from './ledger.ts'
import { once } from './once.ts'
import { type ParsedQuery, parseQuery } from './parse-query.ts'
import type { RateLimit } from './rate-limit.ts'
import { insufficientCredits, notFound, type Receipt, type Rejection, serverBusy, unauthorized } from './reply.ts'
import { type FakeOperation, fakeRoutes, priceOf, type RouteMatch } from './routes.ts'

/** The data of an answer, before it is charged. */
export interface QueryResult {
  data: unknown
  /** Items that are charged. */
  items: number
  cursor?: string
  /** An error instead of data. */
  rejection?: Rejection
}

/** What the rules read and change. */
export interface ServiceState {
  accounts: Accounts
  ledger: Ledger
  heavySlots: HeavySlots
  rateLimit: RateLimit
  now(): number
  /** Looks up the data; `undefined` if the requested thing does not exist. */
  find(call: AdmittedCall): QueryResult | undefined
}

/** A request that matched a route. */
export interface Call {
  match: RouteMatch
  query: URLSearchParams
  key: string | undefined
  /** Its number in the journal. */
  request: number
}

/** The result of a call: an error, or data and what it cost. */
export type ExecutionResult =
  | { rejection: Rejection }
  | {
      rejection?: undefined
      data: unknown
      cursor: string | null
      receipt: Receipt | undefined
      charge: Charge | undefined
      free(): void
    }

/** A call whose form, key and rate are right. */
export interface AdmittedCall extends Call {
  parsed: ParsedQuery
  account: KeyState | undefined
}

/** Checks the form of a call, its key, its rate limit and whether its credits suffice for what is due in any case, in the service's order. */
export function admit(state: ServiceState, call: Call): { admitted: AdmittedCall } | { rejection: Rejection } {
  const { match, query, key } = call
  const { parsed, rejection } = parseQuery(match, query)
  if (!parsed) return { rejection }
  const account = state.accounts.find(key)
  if (!fakeRoutes[match.operation].open && !account) return { rejection: unauthorized(key) }
  const overLimit = key !== undefined && account ? state.rateLimit.check(key, state.now()) : undefined
  if (overLimit) return { rejection: overLimit }
  // Before a stub runs; what is charged for the items of a list is known after it.
  const unpaid = checkCredits(account, priceOf(match.operation, parsed.addresses.length))
  return unpaid ? { rejection: unpaid } : { admitted: { ...call, parsed, account } }
}

function checkCredits(account: KeyState | undefined, cost: number): Rejection | undefined {
  return account && account.credits < cost ? insufficientCredits(cost, account.credits) : undefined
}

/**
 * Executes an admitted call in the service's order: credits, existence (404), heavy slots; then it charges. It is
 * synchronous, so that two calls cannot spend the same credits.
 */
export function execute(
  state: ServiceState,
  call: AdmittedCall,
  result: QueryResult | undefined,
  shouldCharge: boolean,
): ExecutionResult {
  const { match, key, request, parsed, account } = call
  const { operation } = match
  const route = fakeRoutes[operation]
  const cost = priceOf(operation, result?.items ?? 0)
  const unpaid = checkCredits(account, cost)
  if (unpaid) return { rejection: unpaid }
  if (!result) return { rejection: notFound(`${operation} knows nothing at ${parsed.address}.`) }
  if (result.rejection) return { rejection: result.rejection }
  const free = route.heavy ? state.heavySlots.acquire() : () => {}
  if (!free) return { rejection: serverBusy(state.heavySlots.size, state.heavySlots.retryAfterSeconds) }

  const answer = { data: result.data, cursor: result.cursor ?? null, free }
  if (route.free || !account || key === undefined) return { ...answer, receipt: undefined, charge: undefined }
  if (!shouldCharge) return { ...answer, receipt: { cost: 0, remaining: account.credits }, charge: undefined }
  account.credits -= cost
  const charge = { key, operation, items: result.items, credits: cost, delivered: false, at: state.now(), request }
  return { ...answer, receipt: { cost, remaining: account.credits }, charge: state.ledger.add(charge) }
}

/** The number of items that are charged for an answer. */
export function countItems(operation: FakeOperation, data: unknown, { addresses }: ParsedQuery): number {
  if (operation === 'prices.batch') return addresses.length
  if (fakeRoutes[operation].perItem === 0) return 0
  if (Array.isArray(data)) return data.length
  // Without validation a stub may return anything.
  const { balances } = Object(data) as { balances?: object | null }
  return Object.keys(balances ?? {}).length
}

/** The slots of the heavy routes, shared by all keys. */
export class HeavySlots {
  readonly size: number
  /** `Retry-After` when none is free. */
  readonly retryAfterSeconds: number
  #held = 0

  constructor(size: number, retryAfterSeconds: number) {
    this.size = size
    this.retryAfterSeconds = retryAfterSeconds
  }

  /** Takes a slot and returns a function that frees it; further calls of that function do nothing. `undefined` when none is free. */
  acquire(): (() => void) | undefined {
    if (this.#held >= this.size) return undefined
    this.#held++
    return once(() => {
      this.#held--
    })
  }
}
