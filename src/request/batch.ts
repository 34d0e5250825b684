import type { Address } from '../address.ts'
import { type EtnMarketError, isEtnMarketError } from '../errors/base.ts'
import { PartialBatchError } from '../errors/batch.ts'
import { ResponseError } from '../errors/response.ts'
import { operations } from '../generated/operations.ts'
import type { TokenPrice } from '../generated/types.ts'
import { isObject } from '../guard.ts'
import { sumTallies } from './tally.ts'
import type { Answer, CheckedParams, Part, Tally } from './types.ts'

export const BATCH = 'prices.batch'
const CHUNK = operations[BATCH].credits.maxItems

type Prices = Record<string, TokenPrice | null>

/** The unique addresses in their first order, in chunks that one request takes. */
export function chunkAddresses(addresses: readonly Address[]): (readonly Address[])[] {
  const seen = new Set<string>()
  const unique = addresses.filter(({ spelled }) => seen.size < seen.add(spelled).size)
  const chunks: (readonly Address[])[] = []
  for (let start = 0; start < unique.length; start += CHUNK) chunks.push(unique.slice(start, start + CHUNK))
  return chunks
}

/**
 * One answer in the caller's own spelling, null for a token without a price.
 * @throws PartialBatchError when a chunk of several failed; the error itself when there was only one chunk.
 */
export function mergeChunks(
  { spellings, values }: CheckedParams,
  parts: readonly Part[],
  ends: readonly PromiseSettledResult<Answer>[],
): Prices {
  const found = new Map<string, TokenPrice | null>()
  const errors: EtnMarketError[] = []
  const tallies: Tally[] = []
  parts.forEach((part, index) => {
    const end = ends[index]
    if (end?.status === 'rejected') {
      if (!isEtnMarketError(end.reason)) throw end.reason
      errors.push(end.reason)
      tallies.push({ ...end.reason, computed: false })
    } else if (end !== undefined) {
      tallies.push(end.value.tally)
      const error = readChunk(part, end.value, found)
      if (error !== undefined) errors.push(error)
    }
  })
  const [first] = errors
  if (first !== undefined && ends.length === 1) throw first
  const prices: Prices = {}
  const addresses = values.addresses as readonly Address[]
  addresses.forEach(({ spelled }, index) => {
    const price = found.get(spelled)
    if (price !== undefined) prices[spellings[index] ?? spelled] = price
  })
  if (first === undefined) return prices
  const message = `${BATCH}: ${errors.length} of ${ends.length} requests failed, the first with: ${first.message} What was paid for is in error.prices; ask again for error.missing.`
  throw new PartialBatchError(message, {
    operation: BATCH,
    ...sumTallies(tallies),
    prices,
    missing: [...new Set(spellings)].filter((spelling) => !Object.hasOwn(prices, spelling)),
    errors,
    cause: first,
  })
}

const byLowerCase = (prices: Readonly<Record<string, unknown>>) =>
  new Map(Object.entries(prices).map(([address, price]) => [address.toLowerCase(), price]))

/** The service keys its answer by lower-cased address; a token without a price is absent. What it answered is ours to change. */
function readChunk(
  part: Part,
  { envelope: { data }, tally }: Answer,
  found: Map<string, TokenPrice | null>,
): ResponseError | undefined {
  if (!isObject(data)) {
    const message = `${BATCH}: the answer is not an object of prices by address. It was paid for and is not asked again; it is in error.body.`
    return new ResponseError(message, {
      code: 'unexpected_shape',
      operation: BATCH,
      ...tally,
      body: data,
    })
  }
  let inOtherCase: Map<string, unknown> | undefined
  for (const { spelled, lower } of part.addresses) {
    inOtherCase ??= data[lower] === undefined ? byLowerCase(data) : undefined
    const price = data[lower] ?? inOtherCase?.get(lower)
    found.set(spelled, isObject(price) ? withAddress(price, spelled) : null)
  }
  return undefined
}

/** Added, not copied: a copy of each takes longer than all the rest. What the service says itself stays. */
function withAddress(price: Record<string, unknown>, address: string): TokenPrice {
  price.address ??= address
  return price as unknown as TokenPrice
}
