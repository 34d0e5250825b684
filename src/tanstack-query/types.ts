import type { DataTag } from '@tanstack/query-core'
import type { Client, EtnMarketError, OperationData, OperationId, OperationParams } from 'etn-market'

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
   * Whether a call is aborted when nobody waits for it any more. An aborted call may have been charged, and its answer is lost: React's
   * StrictMode and fast navigation then pay twice. @default false
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
   * Gives a batch under the addresses as you wrote them; left out where they are in EIP-55 form. What selects nothing, such as `fetchQuery`
   * and `getQueryData`, has the prices in EIP-55 form, so that one batch in two spellings is bought once.
   */
  readonly select?: (data: OperationData[Id]) => OperationData[Id]
  /** Not set. TanStack Query infers the type of errors from it: `useQuery(options).error` is an `EtnMarketError`. */
  readonly throwOnError?: (error: EtnMarketError, query: unknown) => boolean
}
