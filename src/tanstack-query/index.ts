/**
 * Query options for TanStack Query, for each operation.
 *
 * @module etn-market/tanstack-query
 */

import { type CallOptions, type Client, checksumAddress, isAddress, type OperationId, operations } from 'etn-market'
import { FRESHNESS_MS } from '../generated/freshness.ts'
import type { EtnQueries, EtnQueriesSettings, EtnQuerySettings } from './types.ts'

export type * from './types.ts'

/** The default of TanStack Query. */
const MIN_GC_MS = 300_000

/**
 * Options for TanStack Query 5 for every operation of a client: `queryKey`, `queryFn`, and how long the data is fresh. Nothing of
 * TanStack Query is loaded.
 *
 * The signal of a query is not read unless `abort` is set, so that a call that has been sent ends and its answer is kept: what an
 * aborted call returned is lost, but may have been charged.
 *
 * @example
 * const queries = etnQueries(client)
 * const options = queries.token.price({ address }) // useQuery(options), queryClient.prefetchQuery(options)
 */
export function etnQueries(client: Client, settings: EtnQueriesSettings = {}): EtnQueries {
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

/** Whether the service takes the value in any case. */
const isInAnyCase = (operation: OperationId, name: string) =>
  operations[operation].params.some((param) => param.name === name && 'anyCase' in param)

/** What is no address stays, and the call rejects it. */
const checksummed = (value: unknown) => (isAddress(value) ? checksumAddress(value) : value)
