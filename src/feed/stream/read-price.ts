import type { TokenPrice } from '../../generated/types.ts'
import { isNumber, isObject } from '../../operations/type-guards.ts'
import type { FeedClock } from '../feed-clock.ts'
import type { KnownPrice } from '../prices/tracked-price.ts'

/** A price of a stream, and the address that it is for. */
export interface StreamedPrice extends KnownPrice {
  readonly address: string
}

/** Reads the data of an event. The age counts from now, so that the clocks of page and server may differ. */
export function readPrice(data: string, clock: FeedClock): StreamedPrice | undefined {
  const price = parse(data)
  if (!isObject(price) || typeof price.address !== 'string' || !isNumber(price.ageMs) || price.ageMs < 0)
    return undefined
  const { address, ageMs, at, stale, ...fields } = price
  if (!isAmount(fields.usd) || !isAmount(fields.etn)) return undefined
  const isKnown = fields.usd !== null || fields.etn !== null
  const requestedAt = clock.now() - ageMs
  return {
    address,
    at: requestedAt,
    requestedAt: clock.toUnix(requestedAt),
    price: isKnown ? ({ address, ...fields } as TokenPrice) : null,
  }
}

const isAmount = (value: unknown) => value === null || typeof value === 'string'

function parse(data: string): unknown {
  try {
    return JSON.parse(data)
  } catch {
    return undefined
  }
}
