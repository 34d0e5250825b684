import type { Clock } from '../concurrency/clock.ts'
import { Semaphore } from '../concurrency/semaphore.ts'
import { PartialBatchError, ResponseError, TimeoutError } from '../errors/api.ts'
import { type EtnMarketError, isEtnMarketError } from '../errors/base.ts'
import { StarterFailure } from '../errors/budget.ts'
import type { TokenPrice } from '../generated/types.ts'
import { isObject } from '../operations/type-guards.ts'
import type { ValidatedParams } from '../operations/validate-params.ts'
import type { TransportFailure } from '../transport/transport.ts'
import type { PaidResult } from './billing.ts'
import type { CallLifetime } from './call-lifetime.ts'
import type { PlannedRequest } from './plan-requests.ts'

export const BATCH = 'prices.batch'

/** After so many requests in a row that timed out, nothing more of the call is sent. */
const MAX_TIMEOUTS = 3

/**
 * What the requests of a call that takes several have in common: what they reserve before the first of them is sent, and how they get on.
 * While other calls make progress, its deadline stands still, and a silent service would never end it.
 */
export class Batch {
  readonly slots: Semaphore
  readonly #lifetime: CallLifetime
  readonly #clock: Clock
  readonly #reserving: Promise<void>[] = []
  #needed = 0
  #isReserved = false
  #answeredAt: number
  #timeouts = 0

  /** @param lifetime that of the call, which ends where its requests do not all fit */
  constructor(lifetime: CallLifetime, clock: Clock, concurrency: number) {
    this.slots = new Semaphore(concurrency)
    this.#lifetime = lifetime
    this.#clock = clock
    this.#answeredAt = clock.monotonic()
  }

  get needed(): number {
    return this.#needed
  }

  /**
   * Resolves when every request of the batch has its worst case reserved. All of them are added in one turn; one that is added later, to
   * ask anew, waits for its own alone.
   * @throws StarterFailure with the first refusal
   */
  async addReservation(reserve: () => Promise<void> | undefined, credits: number): Promise<void> {
    const reserving = new Promise<void>((resolve) => resolve(reserve()))
    this.#needed += credits
    this.#reserving.push(reserving)
    // Meanwhile the others are added.
    await Promise.allSettled([reserving])
    const results = await Promise.allSettled(this.#isReserved ? [reserving] : this.#reserving)
    const refused = results.find(({ status }) => status === 'rejected') as PromiseRejectedResult | undefined
    if (refused === undefined) {
      this.#isReserved = true
      return
    }
    const reason = refused.reason instanceof StarterFailure ? refused.reason.reason : refused.reason
    if (!this.#isReserved) this.#lifetime.endEarly(reason)
    throw new StarterFailure(reason)
  }

  recordAnswer(): void {
    this.#answeredAt = this.#clock.monotonic()
  }

  recordEnd(hasAnswer: boolean, failure: TransportFailure['kind'] | undefined): void {
    if (this.#timeouts >= MAX_TIMEOUTS) return
    this.#timeouts = failure === 'timeout' ? this.#timeouts + 1 : 0
    if (hasAnswer && failure !== 'timeout') this.recordAnswer()
  }

  /** Time until no answer has come for the length of a deadline. Milliseconds. */
  stallsInMs(): number {
    return this.#answeredAt + this.#lifetime.deadlineMs - this.#clock.monotonic()
  }

  /** @throws StarterFailure when so many requests in a row have timed out that nothing more is sent */
  throwIfStopped(): void {
    if (this.#timeouts < MAX_TIMEOUTS) return
    const message = `prices.batch: ${MAX_TIMEOUTS} requests in a row timed out, so nothing more was sent. Try again later.`
    throw new StarterFailure(new TimeoutError(message, { code: 'batch_stopped', operation: 'prices.batch' }))
  }
}

export interface MergedBatch {
  /** Keyed by address as the caller wrote it; null for a token without a price. */
  readonly prices: Record<string, TokenPrice | null>
  /** Addresses of requests that failed, as the caller wrote them. */
  readonly missing: readonly string[]
  readonly errors: readonly EtnMarketError[]
}

/** Merges the answers to the chunks of a batch. @throws an error that is not the library's own, such as the reason of a signal */
export function mergeBatch(
  { originalInputs, values }: ValidatedParams,
  requests: readonly PlannedRequest[],
  results: readonly PaidResult[],
): MergedBatch {
  const errors: EtnMarketError[] = []
  const chunks = results.map((result, index) => {
    const { addresses } = requests[index] as PlannedRequest
    const { answer, error } = result
    if (answer === undefined && !isEtnMarketError(error)) throw error
    const data = isObject(answer?.envelope.data) ? answer.envelope.data : undefined
    if (data === undefined) errors.push(answer === undefined ? (error as EtnMarketError) : shapeError(result))
    return { data, size: addresses.length, last: addresses.at(-1) ?? '' }
  })
  const wanted = values.addresses as readonly string[]
  // An address that is asked for in several spellings has a price for each.
  const isUnique = wanted.length === chunks.reduce((sum, { size }) => sum + size, 0)
  const prices: MergedBatch['prices'] = {}
  const missing = new Set<string>()
  for (const [index, address] of wanted.entries()) {
    const input = originalInputs[index] ?? address
    // Their addresses are sorted.
    const data = chunks.find(({ last }) => address <= last)?.data
    if (data === undefined) missing.add(input)
    else prices[input] = priceOf(data, address, input, isUnique)
  }
  return { prices, missing: [...missing], errors }
}

/** The price of an address in a chunk: the service leaves out a token without one. It is completed in place where nobody else reads it. */
function priceOf(
  data: Readonly<Record<string, unknown>>,
  address: string,
  input: string,
  isUnique: boolean,
): TokenPrice | null {
  // The service keys its answer by lower-cased address.
  const key = Object.hasOwn(data, address) ? address : Object.keys(data).find((one) => one.toLowerCase() === address)
  const price = key === undefined ? null : (data[key] as TokenPrice | null)
  if (!isObject(price)) return null
  // The service's own spelling where it sends one, else the caller's.
  if (price.address !== undefined) return price
  return isUnique ? Object.assign(price, { address: input }) : { ...price, address: input }
}

/** @throws the error of the only request of a batch, or PartialBatchError when some of several failed */
export function requireWhole({ prices, missing, errors }: MergedBatch, requests: number): MergedBatch['prices'] {
  const [first] = errors
  if (first === undefined) return prices
  if (requests === 1) throw first
  const message = `${BATCH}: ${errors.length} of ${requests} requests failed, the first with: ${first.message} error.prices has what was paid for; call again with error.missing.`
  throw new PartialBatchError(message, { operation: BATCH, prices, missing, errors, cause: first })
}

/** Its credits are those of the request that was answered, unless another call pays for them. */
function shapeError({ answer, paid, isShared }: PaidResult): ResponseError {
  const message = `${BATCH}: the answer is not an object of prices by address. The call was paid for and is not retried; the body is in error.body.`
  const { attempts, charge, credits } = paid
  return new ResponseError(message, {
    code: 'unexpected_shape',
    operation: BATCH,
    status: answer?.status,
    body: answer?.envelope.data,
    attempts,
    charge,
    credits,
    ...(isShared && { shared: true }),
  })
}
