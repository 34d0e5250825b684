import { looksLikeAddress } from '../../utils/address.ts'
import type { Accounts, KeyState } from './accounts.ts'
import { show } from './check.ts'
import type { Charge, Ledger } from './ledger.ts'
import { once } from './once.ts'
import type { RateLimit } from './rate-limit.ts'
import type { Receipt, Rejection } from './reply.ts'
import * as reject from './reply.ts'
import type { Bucket, Currency, Duration, FakeOperation, QueryName, Route, RouteMatch } from './routes.ts'
import { CHAIN_ID, fakeRoutes, MAX_ADDRESSES, priceOf, QUERY_VALUES } from './routes.ts'

// The order in which a call is checked; the first rejection answers it.
// 1. The route and the method: `http/handle-request.ts`.
// 2. Its form, its key, and whether the key may call and can pay what is due in any case: `admit`. Then a stub runs, or the data is looked up.
// 3. Whether the key can pay for all items, whether the thing exists, whether a heavy slot is free: `execute`, which then charges.

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

/** A call whose form, key and rate are right. */
export interface AdmittedCall extends Call {
  parsed: ParsedQuery
  account: KeyState | undefined
}

/** The parameters of a request. Parameters that the route does not have hold their default. */
export interface ParsedQuery {
  /** The address of the path as it was sent, or the presale's pool. */
  address: string
  addresses: string[]
  limit: number
  bucket: Bucket
  currency: Currency
  duration: Duration
  version: 2 | 3
  token: string | undefined
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

/** Checks everything that does not depend on the data. */
export function admit(state: ServiceState, call: Call): { admitted: AdmittedCall } | { rejection: Rejection } {
  const { match, query, key } = call
  const { path, operation } = match
  const route = fakeRoutes[operation]
  const given = valuesOf(route, query)
  const account = state.accounts.find(key)
  const rejection =
    checkAddress(path) ??
    checkChain(path) ??
    checkNames(query) ??
    checkLimit(route, query) ??
    checkValues(given) ??
    (route.open || account ? undefined : reject.unauthorized(key)) ??
    (key !== undefined && account ? state.rateLimit.check(key, state.now()) : undefined) ??
    // What is charged for the items of a list is known later.
    checkCredits(account, priceOf(operation, given.addresses?.length ?? 0))
  if (rejection) return { rejection }
  const parsed = {
    address: path.address ?? path.pool ?? '',
    addresses: given.addresses ?? [],
    limit: Number(query.get('limit') ?? route.defaultLimit ?? 0),
    bucket: given.bucket as Bucket,
    currency: given.currency as Currency,
    duration: given.duration.toUpperCase() as Duration,
    version: given.version === '2' ? (2 as const) : (3 as const),
    token: given.token,
  }
  return { admitted: { ...call, parsed, account } }
}

/**
 * Checks the rest, and charges. It is synchronous, so that two calls cannot spend the same credits.
 *
 * @param result the data; `undefined` if the requested thing does not exist
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
  if (!result) return { rejection: reject.notFound(`${operation} knows nothing at ${parsed.address}.`) }
  if (result.rejection) return { rejection: result.rejection }
  const free = route.heavy ? state.heavySlots.acquire() : () => {}
  if (!free) return { rejection: reject.serverBusy(state.heavySlots.size, state.heavySlots.retryAfterSeconds) }

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

/** The values of the query parameters that a route has, with their defaults. */
function valuesOf(route: Route, query: URLSearchParams) {
  const given = (name: QueryName) => (route.query?.includes(name) ? (query.get(name) ?? undefined) : undefined)
  return {
    bucket: given('bucket') ?? '1h',
    duration: given('duration') ?? 'DAY',
    currency: given('currency') ?? 'USD',
    version: given('version') ?? '2',
    token: given('token'),
    addresses: route.query?.includes('addresses') ? (given('addresses') ?? '').split(',') : undefined,
  }
}

function checkAddress(path: Record<string, string>): Rejection | undefined {
  const value = path.address ?? path.pool
  if (value === undefined || looksLikeAddress(value)) return undefined
  return reject.invalidRequest(`${show(value)} is not an address: 0x and 40 hex digits.`)
}

function checkChain({ chainId }: Record<string, string>): Rejection | undefined {
  if (chainId === undefined || chainId === String(CHAIN_ID)) return undefined
  return reject.invalidRequest(`Chain ${show(chainId)} is not served; the only chain is ${CHAIN_ID}.`)
}

function checkNames(query: URLSearchParams): Rejection | undefined {
  if (query.has('cursor')) return reject.invalidRequest('No route accepts a cursor; page with limit.')
  const twice = [...query.keys()].find((name) => query.getAll(name).length > 1)
  return twice === undefined
    ? undefined
    : reject.invalidRequest(`The parameter ${show(twice)} was given more than once.`)
}

function checkLimit({ maxLimit }: Route, query: URLSearchParams): Rejection | undefined {
  const limit = query.get('limit')
  if (limit === null || maxLimit === undefined) return undefined
  if (/^[1-9]\d*$/.test(limit) && Number(limit) <= maxLimit) return undefined
  return reject.invalidLimit(`limit is a whole number from 1 to ${maxLimit} here, not ${show(limit)}.`)
}

function checkValues({ token, addresses, ...given }: ReturnType<typeof valuesOf>): Rejection | undefined {
  for (const [name, value] of Object.entries(given) as [keyof typeof given, string][]) {
    const allowed: readonly string[] = QUERY_VALUES[name]
    if (!allowed.includes(name === 'duration' ? value.toUpperCase() : value))
      return reject.invalidRequest(`${name} is one of ${allowed.join(', ')}, not ${show(value)}.`)
  }
  if (token !== undefined && !looksLikeAddress(token))
    return reject.invalidRequest(`token ${show(token)} is not an address.`)
  return addresses && checkAddresses(addresses)
}

function checkAddresses(addresses: readonly string[]): Rejection | undefined {
  if (addresses.length === 1 && addresses[0] === '')
    return reject.invalidRequest('addresses is required: 1 to 50, comma-separated.')
  if (addresses.length > MAX_ADDRESSES)
    return reject.invalidRequest(`addresses lists ${addresses.length}; the maximum is ${MAX_ADDRESSES}.`)
  const wrong = addresses.find((address) => !looksLikeAddress(address))
  return wrong === undefined
    ? undefined
    : reject.invalidRequest(`addresses holds ${show(wrong)}, which is not an address.`)
}

function checkCredits(account: KeyState | undefined, cost: number): Rejection | undefined {
  return account && account.credits < cost ? reject.insufficientCredits(cost, account.credits) : undefined
}
