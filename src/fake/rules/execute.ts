import { Semaphore } from '../../concurrency/semaphore.ts'
import { looksLikeAddress } from '../../utils/address.ts'
import type { Accounts, KeyState } from './accounts.ts'
import { show } from './check.ts'
import type { Charge, History } from './journal.ts'
import type { RateLimit } from './rate-limit.ts'
import { invalidRequest, notFound, RETRY_AFTER, Rejection } from './reply.ts'
import type { Bucket, Currency, Duration, FakeOperation, QueryName, Route, RouteMatch } from './routes.ts'
import { CHAIN_ID, fakeRoutes, MAX_ADDRESSES, priceOf, QUERY_VALUES } from './routes.ts'

// The order in which a call is checked; the first check that fails throws the rejection, which answers the call.
// 1. The route and the method: `http/handle-request.ts`.
// 2. Its form, its key, and whether the key may call and can pay what is due in any case: `admit`. Then a stub runs, or the data is looked up.
// 3. Whether the key can pay for all items, whether the thing exists, whether a heavy slot is free: `execute`, which then charges.

/** The data of an answer, before it is charged. */
export interface QueryResult {
  data: unknown
  cursor?: string | undefined
  /** The data as JSON, if it was written before. */
  text?: string | undefined
}

interface ServiceState {
  accounts: Accounts
  ledger: History<Charge>
  heavySlots: HeavySlots
  rateLimit: RateLimit
  now(): number
}

/** A call whose form, key and rate are right. */
export interface AdmittedCall {
  match: RouteMatch
  query: URLSearchParams
  key: string | undefined
  /** Its number in the journal. */
  request: number
  parsed: ParsedQuery
  account: KeyState | undefined
}

/** The parameters of a request. Parameters that the route does not have hold their default. */
export interface ParsedQuery extends ReturnType<typeof readValues> {
  /** The address of the path as it was sent, or the presale's pool. */
  address: string
  limit: number
}

/** A success and what it cost; `free` frees the heavy slot. */
export type Answer = ReturnType<typeof execute>

/** Checks everything that does not depend on the data. */
export function admit(state: ServiceState, call: Omit<AdmittedCall, 'parsed' | 'account'>): AdmittedCall {
  const { match, query, key } = call
  const { path, operation } = match
  const route = fakeRoutes[operation]
  const { chainId, address = path.pool } = path
  if (address !== undefined && !looksLikeAddress(address))
    throw invalidRequest(`${show(address)} is not an address: 0x and 40 hex digits.`)
  if (chainId !== undefined && chainId !== String(CHAIN_ID))
    throw invalidRequest(`Chain ${show(chainId)} is not served; the only chain is ${CHAIN_ID}.`)
  if (query.has('cursor')) throw invalidRequest('No route accepts a cursor; page with limit.')
  const twice = [...query.keys()].find((name) => query.getAll(name).length > 1)
  if (twice !== undefined) throw invalidRequest(`The parameter ${show(twice)} was given more than once.`)
  const parsed = { address: address ?? '', limit: readLimit(route, query), ...readValues(route, query) }
  const account = state.accounts.find(key)
  if (!route.open && !account) {
    const message = key === undefined ? 'A key is required: Authorization: Bearer <key>.' : 'The key is unknown.'
    throw new Rejection(401, 'unauthorized', message)
  }
  if (key !== undefined && account) state.rateLimit.check(key, state.now())
  // What is charged for the items of a list is known later.
  checkCredits(account, priceOf(operation, parsed.addresses.length))
  return { ...call, parsed, account }
}

/** Checks the rest, and charges. It is synchronous, so that two calls cannot spend the same credits. */
export function execute(
  state: ServiceState,
  call: AdmittedCall,
  result: QueryResult | undefined,
  shouldCharge: boolean,
) {
  const { match, key, request, parsed } = call
  // Other calls may have been charged since this one was admitted.
  const account = state.accounts.find(key)
  const { operation } = match
  const route = fakeRoutes[operation]
  const items = countItems(operation, result?.data, parsed)
  const cost = priceOf(operation, items)
  checkCredits(account, cost)
  if (!result) throw notFound(`${operation} knows nothing at ${parsed.address}.`)
  const free = route.heavy ? state.heavySlots.tryAcquire() : () => {}
  if (!free) throw state.heavySlots.busy()

  const answer = { data: result.data, text: result.text, cursor: result.cursor ?? null, free }
  if (route.free || !account || key === undefined) return { ...answer, receipt: undefined, charge: undefined }
  if (!shouldCharge) return { ...answer, receipt: { cost: 0, remaining: account.credits }, charge: undefined }
  const remaining = account.credits - cost
  state.accounts.set(key, remaining)
  const charge = { key, operation, items, credits: cost, delivered: false, at: state.now(), request }
  state.ledger.add(charge, cost)
  return { ...answer, receipt: { cost, remaining }, charge }
}

/** The items that are charged. Without validation a stub may return anything. */
function countItems(operation: FakeOperation, data: unknown, { addresses }: ParsedQuery): number {
  if (operation === 'prices.batch') return addresses.length
  const { balances } = Object(data) as { balances?: object | null }
  return Array.isArray(data) ? data.length : Object.keys(balances ?? {}).length
}

/** The slots of the heavy routes, shared by all keys. */
export class HeavySlots extends Semaphore {
  busy(): Rejection {
    const message = `The heavy routes are at their limit of ${this.size} calls in flight across all keys. Nothing was charged.`
    return new Rejection(503, 'server_busy', message, [RETRY_AFTER])
  }
}

function readLimit({ maxLimit, defaultLimit = 0 }: Route, query: URLSearchParams): number {
  const limit = query.get('limit') ?? String(defaultLimit)
  if (maxLimit !== undefined && (!/^[1-9]\d*$/.test(limit) || Number(limit) > maxLimit)) {
    const message = `limit is a whole number from 1 to ${maxLimit} here, not ${show(limit)}.`
    throw new Rejection(400, 'invalid_limit', message)
  }
  return Number(limit)
}

function readValues(route: Route, query: URLSearchParams) {
  const given = (name: QueryName) => (route.query?.includes(name) ? query.get(name) : null)
  const oneOf = <T extends string>(name: QueryName, allowed: readonly T[], value: string): T => {
    const found = allowed.find((one) => one === value)
    if (found !== undefined) return found
    throw invalidRequest(`${name} is one of ${allowed.join(', ')}, not ${show(given(name))}.`)
  }
  const bucket: Bucket = oneOf('bucket', QUERY_VALUES.bucket, given('bucket') ?? '1h')
  const duration: Duration = oneOf('duration', QUERY_VALUES.duration, given('duration')?.toUpperCase() ?? 'DAY')
  const currency: Currency = oneOf('currency', QUERY_VALUES.currency, given('currency') ?? 'USD')
  const version = oneOf('version', QUERY_VALUES.version, given('version') ?? '2') === '2' ? (2 as const) : (3 as const)
  const token = given('token') ?? undefined
  if (token !== undefined && !looksLikeAddress(token)) throw invalidRequest(`token ${show(token)} is not an address.`)
  const addresses = route.query?.includes('addresses') ? readAddresses(given('addresses') ?? '') : []
  return { bucket, duration, currency, version, token, addresses }
}

function readAddresses(list: string): string[] {
  if (list === '') throw invalidRequest('addresses is required: 1 to 50, comma-separated.')
  const addresses = list.split(',')
  if (addresses.length > MAX_ADDRESSES)
    throw invalidRequest(`addresses lists ${addresses.length}; the maximum is ${MAX_ADDRESSES}.`)
  const wrong = addresses.find((address) => !looksLikeAddress(address))
  if (wrong !== undefined) throw invalidRequest(`addresses holds ${show(wrong)}, which is not an address.`)
  return addresses
}

function checkCredits(account: KeyState | undefined, cost: number): void {
  if (!account || account.credits >= cost) return
  const message = `This call costs ${cost} credits and the key has ${account.credits}. Nothing was executed and nothing was charged.`
  throw new Rejection(402, 'insufficient_credits', message)
}
