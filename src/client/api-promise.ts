import type { CostEstimate } from '../credits/cost.ts'
import type { EtnMarketError } from '../errors/base.ts'
import type { TokenPrice } from '../generated/types.ts'
import type { Sweep, SweepOptions } from './sweep-types.ts'

/** What a call cost and how it went. */
export interface CallMeta {
  /** What the call cost, in credits. */
  readonly credits: {
    /** Worst case that was predicted before the call was sent, in credits; 0 for a free operation. */
    readonly estimated: number
    /** Credits that this call was charged, including lost attempts whose headers arrived; 0 when it was shared or cached. */
    readonly charged: number
    /** Credits left on the key by the newest answer that the client has seen. */
    readonly remaining: number | undefined
    /** Where `charged` comes from: the service's header, or computed from the returned items; `none` if nothing was charged. */
    readonly source: 'header' | 'computed' | 'none'
  }
  /** HTTP requests that were sent, retries included. */
  readonly attempts: number
  /** Requests that the call took without retries: chunks of a batch, 0 when it came from the cache. */
  readonly requests: number
  /** Whether it joined an identical call that was already under way, at least in part. */
  readonly shared: boolean
  /** How long before this call its request was sent, in milliseconds; 0 if it joined none. */
  readonly sharedForMs: number
  /** Whether it was answered from the cache, at least in part. */
  readonly cached: boolean
  /** How long the call took, in milliseconds. */
  readonly durationMs: number
  /** HTTP status of the answer, of the last one for a batch; undefined when it came from the cache. */
  readonly status: number | undefined
  /** Headers of that answer, with names in lower case. */
  readonly headers: Readonly<Record<string, string>> | undefined
}

/** Data with what it cost. */
export interface WithMeta<Data> {
  /** What the call resolves to without `.withMeta()`. */
  readonly data: Data
  /** What the call cost and how it went. */
  readonly meta: CallMeta
}

/** A promise of the data, with other forms of the answer. It is one call, whichever forms are read. */
export interface ApiPromise<Data> extends Promise<Data> {
  /** Resolves to the data together with what the call cost. It is the same call, not a second one. */
  withMeta(): Promise<WithMeta<Data>>
  /**
   * Resolves to a standard `Response` with the status, the headers and the decoded body as the service sent them, to hand on or to store. It is the
   * same call: it costs the same, and rejects with the same errors. For a batch of several requests, the body has the prices of all, and the headers
   * are those of the last. An answer from the cache has status 200 and its content type alone. Headers of the connection are left out; those about
   * the key, such as `X-Credits-Remaining`, are there. Use it in the statement of the call, because an answer is not kept.
   * @throws InvalidRequestError (`answer_not_kept`) when the answer has already come
   * @example return client.token.list({ limit: 20 }).asResponse()
   */
  asResponse(): Promise<Response>
}

/** What every operation has beside its call. `Input` says whether its parameters can be left out. */
export interface OperationTools<Params, Data, Input extends readonly unknown[] = [params: Params]> {
  /** The cost of the call in credits. Sends nothing. Throws the error that the call would reject with for these parameters. */
  estimate(...input: Input): CostEstimate
  /**
   * Calls the operation for each element of a list, several at a time (heavy ones: at most `heavyConcurrency`). Nothing is sent before you iterate
   * the result, which yields results in the order of arrival. With `store`, a second run buys only what is missing. With `maxCredits` the sweep ends
   * before the limit, and `remaining` has the rest.
   * @throws InvalidRequestError for parameters that the call would refuse, before anything is sent
   * @example for await (const { params, data, error } of client.locks.get.many(tokens, { store })) console.log(params, data ?? error)
   */
  many(params: readonly Params[], options?: SweepOptions): Sweep<Params, Data>
}

/** What `prices.batch` resolves to with `partial: 'return'`. */
export interface PartialBatch<Address extends string = string> {
  /** The prices that arrived, keyed by address as the caller wrote it; null for a token without a price. */
  readonly prices: Partial<Record<Address, TokenPrice | null>>
  /** Addresses without an answer. Call again with these only. */
  readonly missing: readonly Address[]
  /** One error for each request that failed. */
  readonly errors: readonly EtnMarketError[]
}
