import { looksLikeAddress } from '../../utils/address.ts'
import { show } from './check-options.ts'
import { invalidLimit, invalidRequest, type Rejection } from './reply.ts'
import { CHAIN_ID, fakeRoutes, MAX_ADDRESSES, type QueryName, type Route, type RouteMatch } from './routes.ts'

/** Lengths of the period of a candle, shortest first. */
export const BUCKETS: readonly Bucket[] = ['1m', '15m', '1h', '4h', '1d']
const CURRENCIES = ['USD', 'ETN'] as const
const DURATIONS = ['HOUR', 'DAY', 'WEEK', 'MONTH', 'YEAR'] as const
const VERSIONS = ['2', '3'] as const

/** Length of the period of a candle. */
export type Bucket = '1m' | '15m' | '1h' | '4h' | '1d'
export type Currency = (typeof CURRENCIES)[number]
export type Duration = (typeof DURATIONS)[number]

/** The checked parameters of a request. Parameters that the route does not have hold their default. */
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

export type ParseResult = { parsed: ParsedQuery; rejection?: undefined } | { parsed?: undefined; rejection: Rejection }

/** Checks the form of a request in the service's order: address pattern, chain, `limit`, then the other parameters. */
export function parseQuery({ operation, path }: RouteMatch, query: URLSearchParams): ParseResult {
  const route = fakeRoutes[operation]
  const rejection = checkAddress(path) ?? checkChain(path) ?? checkParameterNames(query) ?? checkLimit(route, query)
  return rejection ? { rejection } : readQuery(route, path, query)
}

function checkAddress(path: Record<string, string>): Rejection | undefined {
  for (const name of ['address', 'pool']) {
    const value = path[name]
    if (value === undefined || looksLikeAddress(value)) continue
    return invalidRequest(`${show(value)} is not an address: 0x and 40 hex digits.`)
  }
  return undefined
}

function checkChain({ chainId }: Record<string, string>): Rejection | undefined {
  if (chainId === undefined || chainId === String(CHAIN_ID)) return undefined
  return invalidRequest(`Chain ${show(chainId)} is not served; the only chain is ${CHAIN_ID}.`)
}

function checkParameterNames(query: URLSearchParams): Rejection | undefined {
  if (query.has('cursor')) return invalidRequest('No route accepts a cursor; page with limit.')
  for (const name of query.keys()) {
    if (query.getAll(name).length > 1) return invalidRequest(`The parameter ${show(name)} was given more than once.`)
  }
  return undefined
}

function checkLimit({ maxLimit }: Route, query: URLSearchParams): Rejection | undefined {
  const limit = query.get('limit')
  if (limit === null || maxLimit === undefined) return undefined
  if (/^[1-9]\d*$/.test(limit) && Number(limit) <= maxLimit) return undefined
  return invalidLimit(`limit is a whole number from 1 to ${maxLimit} here, not ${show(limit)}.`)
}

function readQuery(route: Route, path: Record<string, string>, query: URLSearchParams): ParseResult {
  const given = (name: QueryName) => (route.query?.includes(name) ? query.get(name) : null)
  const duration = given('duration')?.toUpperCase() ?? 'DAY'
  const bucket = given('bucket') ?? '1h'
  const currency = given('currency') ?? 'USD'
  const version = given('version') ?? '2'
  const token = given('token')
  if (!oneOf(BUCKETS, bucket)) return wrongValue('bucket', BUCKETS, bucket)
  if (!oneOf(DURATIONS, duration)) return wrongValue('duration', DURATIONS, given('duration'))
  if (!oneOf(CURRENCIES, currency)) return wrongValue('currency', CURRENCIES, currency)
  if (!oneOf(VERSIONS, version)) return wrongValue('version', VERSIONS, version)
  if (token !== null && !looksLikeAddress(token))
    return { rejection: invalidRequest(`token ${show(token)} is not an address.`) }
  const addresses = route.query?.includes('addresses') ? (query.get('addresses') ?? '').split(',') : []
  const rejection = route.query?.includes('addresses') ? checkAddresses(addresses) : undefined
  if (rejection) return { rejection }
  const limit = Number(query.get('limit') ?? route.defaultLimit ?? 0)
  const parsed = { addresses, limit, bucket, currency, duration, version: version === '2' ? 2 : 3 } as const
  return { parsed: { ...parsed, address: path.address ?? path.pool ?? '', token: token ?? undefined } }
}

function checkAddresses(addresses: string[]): Rejection | undefined {
  if (addresses.length === 1 && addresses[0] === '')
    return invalidRequest('addresses is required: 1 to 50, comma-separated.')
  if (addresses.length > MAX_ADDRESSES) {
    return invalidRequest(`addresses lists ${addresses.length}; the maximum is ${MAX_ADDRESSES}.`)
  }
  const wrong = addresses.find((address) => !looksLikeAddress(address))
  return wrong === undefined ? undefined : invalidRequest(`addresses holds ${show(wrong)}, which is not an address.`)
}

function oneOf<T extends string>(allowed: readonly T[], value: string): value is T {
  return allowed.some((one) => one === value)
}

function wrongValue(name: string, allowed: readonly string[], value: string | null): ParseResult {
  return { rejection: invalidRequest(`${name} is one of ${allowed.join(', ')}, not ${show(value)}.`) }
}
