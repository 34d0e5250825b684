import { looksLikeAddress } from '../address.ts'
import type { Match } from './match.ts'
import { invalidLimit, invalidRequest, type Refusal } from './refusal.ts'
import { CHAIN_ID, fakeRoutes, MAX_ADDRESSES, type QueryName, type Route } from './routes.ts'

const BUCKETS = ['1m', '15m', '1h', '4h', '1d'] as const
const CURRENCIES = ['USD', 'ETN'] as const
const DURATIONS = ['HOUR', 'DAY', 'WEEK', 'MONTH', 'YEAR'] as const
const VERSIONS = ['2', '3'] as const

export type Bucket = (typeof BUCKETS)[number]
export type Currency = (typeof CURRENCIES)[number]
export type Duration = (typeof DURATIONS)[number]

/** A question that passed every check of its form. Parameters that a route does not have hold their default. */
export interface Question {
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

export type Checked = { question: Question; refusal?: undefined } | { question?: undefined; refusal: Refusal }

/** Checks the form of a request in the service's order: address pattern, chain, `limit`, then the other parameters. */
export function check({ operation, path }: Match, query: URLSearchParams): Checked {
  const route = fakeRoutes[operation]
  const refusal = checkAddress(path) ?? checkChain(path) ?? checkNames(query) ?? checkLimit(route, query)
  return refusal ? { refusal } : readQuery(route, path, query)
}

function checkAddress(path: Record<string, string>): Refusal | undefined {
  for (const name of ['address', 'pool']) {
    const value = path[name]
    if (value === undefined || looksLikeAddress(value)) continue
    return invalidRequest(`"${value}" is not an address: 0x and 40 hex digits.`)
  }
  return undefined
}

function checkChain({ chainId }: Record<string, string>): Refusal | undefined {
  if (chainId === undefined || chainId === String(CHAIN_ID)) return undefined
  return invalidRequest(`Chain "${chainId}" is not served; the only chain is ${CHAIN_ID}.`)
}

function checkNames(query: URLSearchParams): Refusal | undefined {
  if (query.has('cursor')) return invalidRequest('No route accepts a cursor; page with limit.')
  for (const name of query.keys()) {
    if (query.getAll(name).length > 1) return invalidRequest(`The parameter ${name} was given more than once.`)
  }
  return undefined
}

function checkLimit({ maxLimit }: Route, query: URLSearchParams): Refusal | undefined {
  const given = query.get('limit')
  if (given === null || maxLimit === undefined) return undefined
  if (/^[1-9]\d*$/.test(given) && Number(given) <= maxLimit) return undefined
  return invalidLimit(`limit is a whole number from 1 to ${maxLimit} here, not "${given}".`)
}

function readQuery(route: Route, path: Record<string, string>, query: URLSearchParams): Checked {
  const asked = (name: QueryName) => (route.query?.includes(name) ? query.get(name) : null)
  const duration = asked('duration')?.toUpperCase() ?? 'DAY'
  const bucket = asked('bucket') ?? '1h'
  const currency = asked('currency') ?? 'USD'
  const version = asked('version') ?? '2'
  const token = asked('token')
  if (!oneOf(BUCKETS, bucket)) return wrongValue('bucket', BUCKETS, bucket)
  if (!oneOf(DURATIONS, duration)) return wrongValue('duration', DURATIONS, asked('duration'))
  if (!oneOf(CURRENCIES, currency)) return wrongValue('currency', CURRENCIES, currency)
  if (!oneOf(VERSIONS, version)) return wrongValue('version', VERSIONS, version)
  if (token !== null && !looksLikeAddress(token))
    return { refusal: invalidRequest(`token "${token}" is not an address.`) }
  const addresses = route.query?.includes('addresses') ? (query.get('addresses') ?? '').split(',') : []
  const refusal = route.query?.includes('addresses') ? checkAddresses(addresses) : undefined
  if (refusal) return { refusal }
  const limit = Number(query.get('limit') ?? route.defaultLimit ?? 0)
  const question = { addresses, limit, bucket, currency, duration, version: version === '2' ? 2 : 3 } as const
  return { question: { ...question, address: path.address ?? path.pool ?? '', token: token ?? undefined } }
}

function checkAddresses(addresses: string[]): Refusal | undefined {
  if (addresses.length === 1 && addresses[0] === '')
    return invalidRequest('addresses is required: 1 to 50, comma-separated.')
  if (addresses.length > MAX_ADDRESSES) {
    return invalidRequest(`addresses lists ${addresses.length}; at most ${MAX_ADDRESSES} are taken.`)
  }
  const wrong = addresses.find((address) => !looksLikeAddress(address))
  return wrong === undefined ? undefined : invalidRequest(`addresses holds "${wrong}", which is not an address.`)
}

function oneOf<T extends string>(allowed: readonly T[], value: string): value is T {
  return allowed.some((one) => one === value)
}

function wrongValue(name: string, allowed: readonly string[], value: string | null): Checked {
  return { refusal: invalidRequest(`${name} is one of ${allowed.join(', ')}, not "${value}".`) }
}
