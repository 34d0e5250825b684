import { PartialBatchError, ResponseError } from '../errors/api.ts'
import { type EtnMarketError, isEtnMarketError } from '../errors/base.ts'
import type { TokenPrice } from '../generated/types.ts'
import { isObject } from '../operations/type-guards.ts'
import type { ValidatedParams } from '../operations/validate-params.ts'
import type { Answer, ChunkResult, PlannedRequest } from './types.ts'

export const BATCH = 'prices.batch'

/** What arrived of a batch, and what did not. */
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
  results: readonly ChunkResult[],
): MergedBatch {
  const chunks = new Map<string, PriceOf>()
  let priceOf: PriceOf = (address) => chunks.get(address)?.(address)
  const errors: EtnMarketError[] = []
  for (const [index, request] of requests.entries()) {
    const result = results[index]
    if (result?.answer !== undefined) {
      const priceOfChunk = readChunk(result.answer.envelope.data)
      if (priceOfChunk === undefined) errors.push(shapeError(result.answer))
      else if (requests.length === 1) priceOf = priceOfChunk
      else for (const address of request.addresses) chunks.set(address, priceOfChunk)
    } else if (result !== undefined) {
      if (!isEtnMarketError(result.error)) throw result.error
      errors.push(result.error)
    }
  }
  const prices: MergedBatch['prices'] = {}
  const missing = new Set<string>()
  const addresses = values.addresses as readonly string[]
  const requested = requests.reduce((sum, request) => sum + request.addresses.length, 0)
  const completed = addresses.length > requested ? new Set<TokenPrice>() : undefined
  for (const [index, address] of addresses.entries()) {
    const price = priceOf(address)
    const input = originalInputs[index] ?? address
    if (price === undefined) missing.add(input)
    else prices[input] = price && withAddress(price, input, completed)
  }
  return { prices, missing: [...missing], errors }
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
function shapeError({ envelope, status, totals, from }: Answer): ResponseError {
  const message = `${BATCH}: the answer is not an object of prices by address. The call was paid for and is not retried; the body is in error.body.`
  const { attempts, charge, credits } = totals
  const paid = from === 'shared' ? { attempts, shared: true } : { attempts, charge, credits }
  return new ResponseError(message, {
    code: 'unexpected_shape',
    operation: BATCH,
    status,
    body: envelope.data,
    ...paid,
  })
}

const byLowerCase = (prices: Readonly<Record<string, unknown>>) =>
  new Map(Object.entries(prices).map(([address, price]) => [address.toLowerCase(), price]))

/** The price of an address in lower case: null for a token without one, undefined where its request failed. */
type PriceOf = (address: string) => TokenPrice | null | undefined

/** The service keys its answer by lower-cased address, and leaves out a token without a price. */
function readChunk(data: unknown): PriceOf | undefined {
  if (!isObject(data)) return undefined
  let otherCase: Map<string, unknown> | undefined
  return (address) => {
    // No prototype has an address as a property, so that nothing but own properties is found.
    let price = data[address]
    if (price === undefined) {
      otherCase ??= byLowerCase(data)
      price = otherCase.get(address)
    }
    return isObject(price) ? (price as unknown as TokenPrice) : null
  }
}

/**
 * The price with its address: the service's own where it sends one, else as the caller wrote it. It is completed in place, because
 * copies cost more than all the rest; a second spelling of an address gets a copy.
 * @param completed the prices that were completed before; undefined if no address comes twice
 */
function withAddress(price: TokenPrice, input: string, completed: Set<TokenPrice> | undefined): TokenPrice {
  if (completed?.has(price)) return price.address === input ? price : { ...price, address: input }
  if (price.address !== undefined) return price
  price.address = input
  completed?.add(price)
  return price
}
