import { invalidOption, rejectUnknown } from '../../errors/input.ts'
import { isArray } from '../../operations/type-guards.ts'
import { isAddress } from '../../utils/address.ts'
import type { ProxyOptions, ProxyStreamOptions } from '../types.ts'

export interface StreamSettings {
  readonly feed: NonNullable<ProxyOptions['feed']>
  /** The addresses that may be streamed, in lower case; undefined for every address. */
  readonly addresses: ReadonlySet<string> | undefined
  readonly maxAddresses: number
  readonly maxPerVisitor: number
  readonly minEveryMs: number
  readonly heartbeatMs: number
}

const OPTIONS = ['addresses', 'maxAddresses', 'maxPerVisitor', 'minEveryMs', 'heartbeatMs']

/** @throws InvalidRequestError for an option that is unknown or not accepted */
export function readStreamSettings(
  feed: NonNullable<ProxyOptions['feed']>,
  options: ProxyStreamOptions = {},
): StreamSettings {
  rejectUnknown('stream option', options, OPTIONS)
  if (typeof feed?.watch !== 'function') throw invalidOption('feed', feed, 'a feed made by createPriceFeed')
  const { addresses, maxAddresses = 50, maxPerVisitor = 3, minEveryMs = 5_000, heartbeatMs = 15_000 } = options
  if (addresses !== undefined && !(isArray(addresses) && addresses.every(isAddress)))
    throw invalidOption('stream.addresses', addresses, 'a list of addresses')
  return {
    feed,
    addresses: addresses && new Set(addresses.map((address) => address.toLowerCase())),
    maxAddresses: requireCount('stream.maxAddresses', maxAddresses),
    maxPerVisitor: requireCount('stream.maxPerVisitor', maxPerVisitor),
    minEveryMs: requireDuration('stream.minEveryMs', minEveryMs),
    heartbeatMs: requireDuration('stream.heartbeatMs', heartbeatMs),
  }
}

function requireCount(name: string, value: number): number {
  if (Number.isSafeInteger(value) && value > 0) return value
  throw invalidOption(name, value, 'a whole number above 0')
}

function requireDuration(name: string, value: number): number {
  if (typeof value === 'number' && value > 0 && value < Number.POSITIVE_INFINITY) return value
  throw invalidOption(name, value, 'a number of milliseconds above 0')
}
