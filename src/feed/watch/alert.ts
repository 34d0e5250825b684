import type { Clock } from '../../concurrency/clock.ts'
import { invalidOption, rejectUnknown } from '../../errors/input.ts'
import type { Decimal } from '../../utils/decimal.ts'
import type { Lifetime } from '../lifetime.ts'
import type { PriceTable } from '../prices/tracked-price.ts'
import { createLatestValueStream } from '../requests/latest-value-stream.ts'
import { type Conditions, detectCrossings } from './crossings.ts'
import { readAmount } from './min-change.ts'
import type { WatchRegistry } from './registry.ts'
import type { AlertOptions, FeedAlert, FeedPrice } from './types.ts'
import {
  groupByAddress,
  type RunningWatch,
  readIntervals,
  type ToChecksum,
  type WatchTarget,
  withAge,
} from './watch.ts'

export interface AlertParts {
  readonly clock: Clock
  readonly table: PriceTable
  readonly lifetime: Lifetime
  readonly registry: WatchRegistry
  readonly toChecksum: ToChecksum
}

const OPTIONS = ['above', 'below', 'movePercent', 'withinMs', 'everyMs', 'atLeastEveryMs', 'signal']
const MAX_UNREAD = 1_000

/** Returns `feed.alert`. */
export function createAlertFunction(parts: AlertParts) {
  return (address: string, options: AlertOptions): AsyncIterable<FeedAlert> => {
    rejectUnknown('alert option', options, OPTIONS)
    const intervals = readIntervals(options)
    const conditions = readConditions(options, intervals.everyMs)
    parts.lifetime.signal.throwIfAborted()
    const target = { inputs: groupByAddress([address], parts.toChecksum), ...intervals }
    return { [Symbol.asyncIterator]: () => iterate(target, conditions, options.signal, parts) }
  }
}

/** Each iteration has a watch of its own, and sees its prices from the first one on. */
function iterate(
  target: WatchTarget,
  conditions: Conditions,
  signal: AbortSignal | undefined,
  { clock, table, lifetime, registry }: AlertParts,
): AsyncIterableIterator<FeedAlert> {
  const { everyMs, inputs } = target
  const [address = ''] = inputs.keys()
  const detect = detectCrossings(conditions)
  let watch: RunningWatch | undefined
  let missed = 0
  const oldestAt = clock.now() - everyMs
  let isFirst = true
  const deliveredAt = new WeakMap<FeedPrice, number>()
  const aged = (price: FeedPrice) => {
    const now = clock.now()
    return withAge(price, now - (deliveredAt.get(price) ?? now), everyMs, table.find(address))
  }

  const stream = createLatestValueStream<FeedAlert>(
    () => watch?.stop(),
    ({ condition, price, from }) => {
      const read = { condition, price: aged(price), from: from && aged(from), missed }
      missed = 0
      return read
    },
    { keyOf: (alert) => alert, maxUnread: MAX_UNREAD, onDrop: () => void missed++, drains: true },
  )

  function onPrice(price: FeedPrice): void {
    // A price that was already old at the start says nothing of now.
    const now = clock.now()
    const requestedAt = now - price.ageMs
    if (isFirst && requestedAt < oldestAt) return
    isFirst = false
    deliveredAt.set(price, now)
    for (const crossing of detect(price, requestedAt)) stream.push({ ...crossing, missed: 0 })
  }

  if (signal?.aborted) stream.end({ reason: signal.reason })
  else if (lifetime.signal.aborted) stream.end()
  else watch = registry.start(target, { signal, onError: undefined, endsIfRefused: true, onPrice, onEnd })

  function onEnd(error?: { reason: unknown }): void {
    if (signal?.aborted) stream.clear()
    stream.end(error)
  }
  return stream.iterator
}

function readConditions(options: AlertOptions, everyMs: number): Conditions {
  const { withinMs = Number.POSITIVE_INFINITY } = options
  const above = readOptional('above', options.above)
  const below = readOptional('below', options.below)
  const movePercent = readOptional('movePercent', options.movePercent)
  if (movePercent?.digits === 0n) throw invalidOption('movePercent', options.movePercent, 'above 0')
  if (!above && !below && !movePercent)
    throw invalidOption('alert', options, 'an object with above, below or movePercent')
  if (options.withinMs !== undefined && !(movePercent && typeof withinMs === 'number' && withinMs >= everyMs))
    throw invalidOption('withinMs', withinMs, 'a number of milliseconds, at least everyMs, beside movePercent')
  return { above, below, movePercent, withinMs }
}

function readOptional(name: string, value: unknown): Decimal | undefined {
  return value === undefined ? undefined : readAmount(name, value)
}
