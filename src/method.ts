import type { CostEstimate } from './credits/cost.ts'
import type { PricesBatchParams, TokenPrice } from './generated/types.ts'
import type { CallOptions } from './options.ts'

/** What a call cost and how it went. */
export interface CallMeta {
  readonly credits: {
    /** Worst case that was predicted before the call was sent, in credits; 0 for a free operation. */
    readonly estimated: number
    /** Credits that this call was charged, lost attempts included as far as they told; 0 when it was shared or cached. */
    readonly charged: number
    /** Credits left on the key by the newest answer that the client has seen. */
    readonly remaining: number | undefined
    /** Where `charged` is from: the service's header, our own count of what was returned, or nothing was charged. */
    readonly source: 'header' | 'computed' | 'none'
  }
  /** HTTP requests that were sent, retries included. */
  readonly attempts: number
  /** Requests that the call took without retries: chunks of a batch, 0 when it came from the cache. */
  readonly requests: number
  /** Whether it joined an identical call that was already under way, at least in part. */
  readonly shared: boolean
  /** Whether it was answered from the cache, at least in part. */
  readonly cached: boolean
  readonly durationMs: number
}

/** Data with what it cost. */
export interface WithMeta<Data> {
  readonly data: Data
  readonly meta: CallMeta
}

/** A promise of the data; `.withMeta()` is a promise of the data together with what it cost. It is one call either way. */
export interface ApiPromise<Data> extends Promise<Data> {
  withMeta(): Promise<WithMeta<Data>>
}

/** An operation that needs parameters. */
export interface Method<Params, Data> {
  (params: Params, options?: CallOptions): ApiPromise<Data>
  /** What the call would cost, in credits. Sends nothing; throws what the call would reject with for its parameters. */
  estimate(params: Params): CostEstimate
}

/** An operation whose parameters can be left out. */
export interface OptionalMethod<Params, Data> {
  (params?: Params, options?: CallOptions): ApiPromise<Data>
  /** What the call would cost, in credits. Sends nothing; throws what the call would reject with for its parameters. */
  estimate(params?: Params): CostEstimate
}

/**
 * `prices.batch`: any number of addresses, sent in chunks of 50, answered by the caller's own spelling of each address,
 * with null for a token without a price.
 * @throws PartialBatchError when some of several chunks failed; it holds what was paid for.
 */
export interface PriceBatchMethod {
  <const Address extends string>(
    params: Omit<PricesBatchParams, 'addresses'> & { addresses: readonly Address[] },
    options?: CallOptions,
  ): ApiPromise<Record<Address, TokenPrice | null>>
  /** What the call would cost, in credits. Sends nothing; throws what the call would reject with for its parameters. */
  estimate(params: PricesBatchParams): CostEstimate
}
