/**
 * Query options for TanStack Query, for each operation.
 *
 * @module etn-market/tanstack-query
 */

import type { DataTag } from '@tanstack/query-core'
import {
  type CallOptions,
  type Client,
  checksumAddress,
  type EtnMarketError,
  isAddress,
  type OperationData,
  type OperationId,
  type OperationParams,
  operations,
} from 'etn-market'
import { FRESHNESS_MS } from '../generated/freshness.ts'
import { requireKnown } from '../utils/known-options.ts'

/** `queries.group.action(params)` for every operation of the contract. */
export type EtnQueries = {
  readonly [Group in keyof Client as Extract<OperationId, `${Group & string}.${string}`> extends never
    ? never
    : Group]: {
    readonly [Action in keyof Client[Group]]: QueryFactory<Extract<`${Group & string}.${Action & string}`, OperationId>>
  }
}

/** Makes the options of one query. Parameters that can all be left out may be left out. */
export type QueryFactory<Id extends OperationId> =
  Record<never, never> extends OperationParams[Id]
    ? (params?: OperationParams[Id], options?: EtnQuerySettings) => EtnQueryOptions<Id>
    : (params: OperationParams[Id], options?: EtnQuerySettings) => EtnQueryOptions<Id>

/** Settings of one query. */
export interface EtnQuerySettings {
  /** How long the data is fresh and is not bought again, in milliseconds. @default what a proxy keeps it for; 0 for the account, which is free */
  staleTime?: number | undefined
  /** How long unused data is kept, in milliseconds. @default 5 minutes, or `staleTime` if that is longer */
  gcTime?: number | undefined
  /**
   * Whether a call is aborted when nobody waits for it any more. An aborted call may have been charged, and its answer is lost: React's StrictMode
   * and fast navigation then pay twice. @default false
   */
  abort?: boolean | undefined
}

/** Settings of all queries of a client. */
export interface EtnQueriesSettings extends Pick<EtnQuerySettings, 'abort'> {
  /** How long the data of operations is fresh, in milliseconds, where it differs from the default. */
  staleTime?: Partial<Record<OperationId, number>> | undefined
}

/** The key of a query. */
export type EtnQueryKey<Id extends OperationId> = readonly [
  scope: 'etn-market',
  operation: Id,
  params: OperationParams[Id],
]

/** Options for `useQuery`, `useSuspenseQuery`, `prefetchQuery` and everything else that takes query options. */
export interface EtnQueryOptions<Id extends OperationId> {
  /** Equal for equal calls, in any spelling of an address. `getQueryData` knows the type of the data by it. */
  readonly queryKey: DataTag<EtnQueryKey<Id>, OperationData[Id], EtnMarketError>
  /** Calls the operation. */
  readonly queryFn: (context: { readonly signal: AbortSignal }) => Promise<OperationData[Id]>
  /** How long the data is fresh, in milliseconds. */
  readonly staleTime: number
  /** How long unused data is kept, in milliseconds. */
  readonly gcTime: number
  /** The client retries by itself, and knows what that costs. */
  readonly retry: false
  /** A page that is returned to buys nothing by itself. Pass `{ ...options, refetchOnWindowFocus: true }` where it should. */
  readonly refetchOnWindowFocus: false
  /**
   * Returns a batch with the addresses as you wrote them; left out if they are in EIP-55 form. Functions that ignore `select`, such as `fetchQuery`
   * and `getQueryData`, return the addresses in EIP-55 form, so that one batch in two spellings is bought once.
   */
  readonly select?: (data: OperationData[Id]) => OperationData[Id]
  /** Not set. TanStack Query infers the type of errors from it: `useQuery(options).error` is an `EtnMarketError`. */
  readonly throwOnError?: (error: EtnMarketError, query: unknown) => boolean
}

/** The default of TanStack Query. */
const MIN_GC_MS = 300_000

/**
 * Options for TanStack Query 5 for every operation of a client: `queryKey`, `queryFn`, and how long the data is fresh. Nothing of
 * TanStack Query is loaded.
 *
 * The signal of a query is not read unless `abort` is set. So a call that was sent runs to its end, and its answer is kept. The answer to an aborted
 * call is lost, but may have been charged.
 *
 * @example
 * const queries = etnQueries(client)
 * const options = queries.token.price({ address }) // useQuery(options), queryClient.prefetchQuery(options)
 * @throws TypeError for an unknown option
 */
export function etnQueries(client: Client, settings: EtnQueriesSettings = {}): EtnQueries {
  requireKnown('query option', settings, ['staleTime', 'abort'])
  requireKnown('operation of staleTime', settings.staleTime ?? {}, Object.keys(operations))
  const groups: Record<string, Record<string, unknown>> = {}
  for (const operation of Object.keys(operations) as OperationId[]) {
    const [group = '', action = ''] = operation.split('.')
    groups[group] ??= {}
    groups[group][action] = (params?: object, options?: EtnQuerySettings) =>
      toQuery(client, operation, params, settings, options)
  }
  return groups as unknown as EtnQueries
}

type AnyMethod = (params: object, options?: CallOptions) => Promise<unknown>

function toQuery(
  client: Client,
  operation: OperationId,
  params: object = {},
  settings: EtnQueriesSettings,
  options: EtnQuerySettings = {},
) {
  requireKnown('query option', options, ['staleTime', 'gcTime', 'abort'])
  const { abort = settings.abort ?? false } = options
  const { staleTime = settings.staleTime?.[operation] ?? FRESHNESS_MS[operation] } = options
  const { gcTime = Math.max(MIN_GC_MS, staleTime) } = options
  const [group = '', action = ''] = operation.split('.')
  const normalized = normalize(operation, params)
  const call = (callOptions?: CallOptions) => {
    const methods = client[group as keyof Client] as unknown as Record<string, AnyMethod>
    return (methods[action] as AnyMethod)(normalized, callOptions)
  }
  return {
    queryKey: ['etn-market', operation, normalized],
    // To read `signal` is enough to make TanStack Query abort.
    queryFn: abort ? ({ signal }: { signal: AbortSignal }) => call({ signal }) : () => call(),
    staleTime,
    gcTime,
    retry: false,
    // To return to a page would buy what is no longer fresh.
    refetchOnWindowFocus: false,
    ...underSpellings(params),
  }
}

/** What is bought in EIP-55 form has to be found under the addresses as they were given. */
function underSpellings(params: object): { select?: (data: Record<string, unknown>) => Record<string, unknown> } {
  const given: readonly unknown[] = 'addresses' in params && Array.isArray(params.addresses) ? params.addresses : []
  if (given.every((address) => checksummed(address) === address)) return {}
  return {
    select: (data) => Object.fromEntries(given.map((address) => [address, data[String(checksummed(address))]])),
  }
}

/** Equal parameters for equal calls: an address in EIP-55 form, a batch sorted and each address once, `'DAY'` for `'day'`, nothing that is undefined. */
function normalize(operation: OperationId, params: object): object {
  const entries = Object.entries(params).filter(([name, value]) => value !== undefined && name !== 'chainId')
  return Object.fromEntries(
    entries.map(([name, value]) => {
      if (Array.isArray(value)) return [name, [...new Set(value.map(checksummed))].sort()]
      return [name, isInAnyCase(operation, name) ? String(value).toUpperCase() : checksummed(value)]
    }),
  )
}

const isInAnyCase = (operation: OperationId, name: string) =>
  operations[operation].params.some((param) => param.name === name && 'anyCase' in param)

/** What is no address stays, and the call rejects it. */
const checksummed = (value: unknown) => (isAddress(value) ? checksumAddress(value) : value)
