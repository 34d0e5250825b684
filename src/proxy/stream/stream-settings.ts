import { invalidOption, rejectUnknown, requireMilliseconds } from '../../errors/input.ts'
import { checkWindow } from '../credit-window.ts'
import { readTokens } from '../rules.ts'
import type { CreditWindow, ProxyStreamOptions, ProxyWithFeed } from '../types.ts'
import { type FeedInternals, feedInternalsOf } from './feed-access.ts'

export interface StreamSettings {
  readonly feed: ProxyWithFeed['feed']
  readonly internals: FeedInternals
  /** The addresses that may be streamed, in lower case. */
  readonly addresses: 'listed' | 'any' | ReadonlySet<string>
  /** Undefined where streams count like calls. */
  readonly perVisitor: CreditWindow | undefined
  readonly maxAddresses: number
  readonly maxPerVisitor: number
  readonly minEveryMs: number
  readonly heartbeatMs: number
}

const OPTIONS = ['addresses', 'perVisitor', 'maxAddresses', 'maxPerVisitor', 'minEveryMs', 'heartbeatMs']
/** They make a URL of 6.5 kB; most servers take 8 kB. */
const MAX_ADDRESSES = 150

/** @throws InvalidRequestError for an option that is unknown or not accepted */
export function readStreamSettings(feed: ProxyWithFeed['feed'], options: ProxyStreamOptions = {}): StreamSettings {
  rejectUnknown('stream option', options, OPTIONS)
  const internals = typeof feed === 'object' && feed !== null ? feedInternalsOf(feed) : undefined
  if (internals === undefined) throw invalidOption('feed', feed, 'a feed made by createPriceFeed')
  const { addresses = 'listed', perVisitor, maxPerVisitor = 3 } = options
  const { maxAddresses = MAX_ADDRESSES, minEveryMs = 5_000, heartbeatMs = 15_000 } = options
  if (perVisitor !== undefined) checkWindow('stream.perVisitor', perVisitor)
  return {
    feed,
    internals,
    addresses: addresses === 'any' ? addresses : readTokens('stream.addresses', addresses),
    perVisitor,
    maxAddresses: requireCount('stream.maxAddresses', maxAddresses, MAX_ADDRESSES),
    maxPerVisitor: requireCount('stream.maxPerVisitor', maxPerVisitor),
    minEveryMs: requireMilliseconds('stream.minEveryMs', minEveryMs),
    heartbeatMs: requireMilliseconds('stream.heartbeatMs', heartbeatMs),
  }
}

function requireCount(name: string, value: number, max = Number.MAX_SAFE_INTEGER): number {
  if (Number.isSafeInteger(value) && value > 0 && value <= max) return value
  throw invalidOption(name, value, max === MAX_ADDRESSES ? `a whole number from 1 to ${max}` : 'a whole number above 0')
}
