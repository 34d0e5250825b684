import { invalidOption, rejectUnknown } from '../../errors/input.ts'
import type { Decimal } from '../../utils/decimal.ts'
import type { FeedContext } from '../context.ts'
import { createLatestValueStream } from '../requests/latest-value-stream.ts'
import { type Conditions, type Crossing, detectCrossings } from './crossings.ts'
import { readAmount } from './min-change.ts'
import type { AlertOptions, FeedAlert, FeedPrice } from './types.ts'
import { groupByAddress, RunningWatch, readIntervals, type WatchTarget } from './watch.ts'

const OPTIONS = ['above', 'below', 'movePercent', 'withinMs', 'everyMs', 'atLeastEveryMs', 'signal']
const MAX_UNREAD = 1_000

/** `feed.alert`. */
export function watchAlerts(address: string, options: AlertOptions, context: FeedContext): AsyncIterable<FeedAlert> {
  rejectUnknown('alert option', options, OPTIONS)
  const intervals = readIntervals(options)
  const conditions = readConditions(options, intervals.everyMs)
  context.lifetime.throwIfAborted()
  const target = { inputs: groupByAddress([address], context.toChecksum), ...intervals }
  return { [Symbol.asyncIterator]: () => iterate(target, conditions, options.signal, context) }
}

/** Each iteration has a watch of its own, and sees its prices from the first one on. */
function iterate(
  target: WatchTarget,
  conditions: Conditions,
  signal: AbortSignal | undefined,
  context: FeedContext,
): AsyncIterableIterator<FeedAlert> {
  const { clock, lifetime } = context
  const { everyMs } = target
  const detect = detectCrossings(conditions)
  let watch: RunningWatch | undefined
  let missed = 0
  const oldestAt = clock.now() - everyMs
  let isFirst = true
  const aged = (price: FeedPrice) => watch?.withAge(price) ?? price

  const stream = createLatestValueStream<FeedAlert>({
    onReturn: () => watch?.stop(),
    maxUnread: MAX_UNREAD,
    onDrop: () => void missed++,
    drains: true,
  })

  function read({ condition, price, from }: Crossing): FeedAlert {
    const alert = { condition, price: aged(price), from: from && aged(from), missed }
    missed = 0
    return alert
  }

  function onPrice(price: FeedPrice): void {
    // A price that was already old at the start says nothing of now.
    const requestedAt = clock.now() - price.ageMs
    if (isFirst && requestedAt < oldestAt) return
    isFirst = false
    for (const crossing of detect(price, requestedAt)) stream.push(crossing, () => read(crossing))
  }

  function onEnd(error?: { reason: unknown }): void {
    if (signal?.aborted) stream.clear()
    stream.end(error)
  }

  if (signal?.aborted) stream.end({ reason: signal.reason })
  else if (lifetime.aborted) stream.end()
  else watch = new RunningWatch(target, { signal, onError: undefined, endsIfRefused: true, onPrice, onEnd }, context)
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
