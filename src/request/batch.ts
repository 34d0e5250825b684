import { type EtnMarketError, isEtnMarketError } from '../errors/base.ts'
import { PartialBatchError } from '../errors/batch.ts'
import { ResponseError } from '../errors/response.ts'
import { operations } from '../generated/operations.ts'
import type { TokenPrice } from '../generated/types.ts'
import { sumTallies } from './tally.ts'
import type { Answer, CheckedParams, Part, Tally } from './types.ts'

export const BATCH = 'prices.batch'
const CHUNK = operations[BATCH].credits.maxItems

type Prices = Record<string, TokenPrice | null>

/** The unique addresses in their first order, in chunks that one request takes. */
export function chunkAddresses(addresses: readonly string[]): string[][] {
  const unique = [...new Set(addresses)]
  const chunks: string[][] = []
  for (let start = 0; start < unique.length; start += CHUNK) chunks.push(unique.slice(start, start + CHUNK))
  return chunks
}

/** The caller's own spellings of the addresses, with the one that went out for each. */
export function pairSpellings(params: unknown, { values }: CheckedParams): Map<string, string> {
  const spelled = (params as { addresses: readonly string[] }).addresses
  const sent = values.addresses as readonly string[]
  return new Map(spelled.map((spelling, index) => [spelling, sent[index] ?? spelling]))
}

/**
 * One answer in the caller's own spelling, null for a token without a price.
 * @throws PartialBatchError when a chunk of several failed; the error itself when there was only one chunk.
 */
export function mergeChunks(
  spellings: ReadonlyMap<string, string>,
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
  const missing: string[] = []
  for (const [spelling, address] of spellings) {
    const price = found.get(address)
    if (price === undefined) missing.push(spelling)
    else prices[spelling] = price
  }
  if (first === undefined) return prices
  const { attempts, credits, charge } = sumTallies(tallies)
  const message = `${BATCH}: ${errors.length} of ${ends.length} requests failed, the first with: ${first.message} What was paid for is in error.prices; ask again for error.missing.`
  throw new PartialBatchError(message, {
    operation: BATCH,
    attempts,
    credits,
    charge,
    prices,
    missing,
    errors,
    cause: first,
  })
}

const byLowerCase = (prices: Readonly<Record<string, unknown>>) =>
  new Map(Object.entries(prices).map(([address, price]) => [address.toLowerCase(), price]))

/** The service keys its answer by lower-cased address; a token without a price is absent. */
function readChunk(
  part: Part,
  { envelope: { data }, tally }: Answer,
  found: Map<string, TokenPrice | null>,
): ResponseError | undefined {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) {
    const { attempts, credits, charge } = tally
    const message = `${BATCH}: the answer is not an object of prices by address. It was paid for; it is in error.body.`
    return new ResponseError(message, {
      code: 'unexpected_shape',
      operation: BATCH,
      attempts,
      credits,
      charge,
      body: data,
    })
  }
  const prices = data as Readonly<Record<string, unknown>>
  let inOtherCase: Map<string, unknown> | undefined
  for (const address of part.addresses) {
    const key = address.toLowerCase()
    inOtherCase ??= prices[key] === undefined ? byLowerCase(prices) : undefined
    const price = prices[key] ?? inOtherCase?.get(key)
    found.set(address, typeof price === 'object' && price !== null ? { address, ...price } : null)
  }
  return undefined
}
