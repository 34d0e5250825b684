import type { Clock } from '../../concurrency/clock.ts'
import { rejectUnknown } from '../../errors/input.ts'
import type { Lifetime } from '../lifetime.ts'
import type { PriceTable } from '../prices/tracked-price.ts'
import { createLatestValueStream } from '../requests/latest-value-stream.ts'
import { readMinChange } from './min-change.ts'
import type { Subscription, WatchRegistry } from './registry.ts'
import type { FeedPrice, Watch, WatchOptions } from './types.ts'
import {
  groupByAddress,
  type InputsByAddress,
  type RunningWatch,
  readIntervals,
  type ToChecksum,
  type WatchTarget,
  withAge,
} from './watch.ts'

export interface WatchHandleParts {
  readonly clock: Clock
  readonly table: PriceTable
  readonly lifetime: Lifetime
  readonly registry: WatchRegistry
  readonly toChecksum: ToChecksum
}

/** A callback or an iteration, with the watch that runs for it. */
interface Consumer extends RunningWatch {
  /** Drops what was kept of inputs that are no longer watched. */
  forget(input: string): void
}

/** Returns `feed.watch`. */
export function createWatchFunction({ clock, table, lifetime, registry, toChecksum }: WatchHandleParts) {
  return (addresses: string | readonly string[], options: WatchOptions): Watch => {
    rejectUnknown('watch option', options, ['everyMs', 'atLeastEveryMs', 'onPrice', 'onError', 'minChange', 'signal'])
    const { onPrice, onError, minChange, signal } = options
    const createFilter = readMinChange(minChange)
    const intervals = readIntervals(options)
    lifetime.signal.throwIfAborted()
    let target: WatchTarget = { inputs: groupByAddress(addresses, toChecksum), ...intervals }
    const consumers = new Set<Consumer>()

    function start(
      { onPrice, onEnd, forget }: Pick<Subscription, 'onPrice' | 'onEnd'> & Pick<Consumer, 'forget'>,
      endsIfRefused: boolean,
    ): Consumer {
      const subscription: Subscription = {
        signal,
        onError,
        endsIfRefused,
        onPrice,
        onEnd(error) {
          consumers.delete(consumer)
          onEnd(error)
        },
      }
      const consumer = { ...registry.start(target, subscription), forget }
      consumers.add(consumer)
      return consumer
    }

    function startCallback(callback: (price: FeedPrice) => void): void {
      const filter = createFilter()
      const deliver = (price: FeedPrice) => {
        if (!filter.shouldDeliver(price)) return
        filter.recordDelivery(price)
        return callback(price)
      }
      start({ onPrice: deliver, onEnd() {}, forget: filter.forget }, false)
    }

    function iterate(): AsyncIterableIterator<FeedPrice> {
      const filter = createFilter()
      let consumer: Consumer | undefined
      const deliveredAt = new WeakMap<FeedPrice, number>()
      const stream = createLatestValueStream(
        () => consumer?.stop(),
        (price: FeedPrice) => {
          const now = clock.now()
          const [address = ''] = toChecksum([price.address])
          const read = withAge(price, now - (deliveredAt.get(price) ?? now), target.everyMs, table.find(address))
          filter.recordDelivery(read)
          return read
        },
      )
      const onPrice = (price: FeedPrice) => {
        deliveredAt.set(price, clock.now())
        if (filter.shouldDeliver(price)) stream.push(price)
        // The price is back near the one that was read last.
        else stream.drop(price.address)
      }
      const forget = (input: string) => {
        filter.forget(input)
        stream.drop(input)
      }
      if (signal?.aborted) stream.end({ reason: signal.reason })
      else if (lifetime.signal.aborted) stream.end()
      else consumer = start({ onPrice, onEnd: stream.end, forget }, true)
      return stream.iterator
    }

    if (onPrice && !signal?.aborted) startCallback(onPrice)
    return {
      stop() {
        for (const consumer of [...consumers]) consumer.stop()
      },
      update(changes) {
        rejectUnknown('watch update', changes, ['addresses', 'everyMs', 'atLeastEveryMs'])
        lifetime.signal.throwIfAborted()
        const { everyMs = target.everyMs, atLeastEveryMs = target.atLeastEveryMs } = changes
        const intervals = readIntervals({ everyMs, atLeastEveryMs })
        const before = target.inputs
        const inputs = changes.addresses === undefined ? before : groupByAddress(changes.addresses, toChecksum)
        target = { inputs, ...intervals }
        const removed = missingInputs(before, inputs)
        for (const consumer of [...consumers]) {
          consumer.update(target)
          for (const input of removed) consumer.forget(input)
        }
      },
      [Symbol.asyncIterator]: iterate,
    }
  }
}

/** The inputs of `before` that are not in `after`. */
function missingInputs(before: InputsByAddress, after: InputsByAddress): string[] {
  return [...before].flatMap(([address, inputs]) => inputs.filter((input) => !after.get(address)?.includes(input)))
}
