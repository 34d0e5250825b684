import { rejectUnknown } from '../../errors/input.ts'
import { createLatestValueStream } from '../requests/latest-value-stream.ts'
import { readMinChange } from './min-change.ts'
import type { FeedPrice, Watch, WatchOptions } from './types.ts'
import {
  groupByAddress,
  type InputsByAddress,
  RunningWatch,
  readIntervals,
  type Subscription,
  type WatchContext,
  type WatchTarget,
  withAge,
} from './watch.ts'

/** `feed.watch`: a callback, or any number of iterations, each with a running watch of its own. */
export function watchPrices(
  addresses: string | readonly string[],
  options: WatchOptions,
  context: WatchContext,
): Watch {
  const { clock, lifetime, toChecksum } = context
  rejectUnknown('watch option', options, ['everyMs', 'atLeastEveryMs', 'onPrice', 'onError', 'minChange', 'signal'])
  const { onPrice, onError, minChange, signal } = options
  const createFilter = readMinChange(minChange)
  const intervals = readIntervals(options)
  lifetime.signal.throwIfAborted()
  let target: WatchTarget = { inputs: groupByAddress(addresses, toChecksum), ...intervals }
  /** The running watches, each with what drops what was kept of an input that is no longer watched. */
  const running = new Map<RunningWatch, (input: string) => void>()

  function start(
    subscription: Pick<Subscription, 'onPrice' | 'onEnd' | 'endsIfRefused'>,
    forget: (input: string) => void,
  ): RunningWatch {
    const onEnd = (error?: { reason: unknown }) => {
      running.delete(watch)
      subscription.onEnd(error)
    }
    const watch = new RunningWatch(target, { ...subscription, signal, onError, onEnd }, context)
    running.set(watch, forget)
    return watch
  }

  function startCallback(callback: (price: FeedPrice) => void): void {
    const filter = createFilter()
    const deliver = (price: FeedPrice) => {
      if (!filter.shouldDeliver(price)) return
      filter.recordDelivery(price)
      return callback(price)
    }
    start({ onPrice: deliver, onEnd() {}, endsIfRefused: false }, filter.forget)
  }

  function iterate(): AsyncIterableIterator<FeedPrice> {
    const filter = createFilter()
    let watch: RunningWatch | undefined
    const deliveredAt = new WeakMap<FeedPrice, number>()
    const stream = createLatestValueStream<FeedPrice>({
      onReturn: () => watch?.stop(),
      onRead(price) {
        const now = clock.now()
        const waitedMs = now - (deliveredAt.get(price) ?? now)
        const read = withAge(price, waitedMs, watch?.maxAge(price.address) ?? target.everyMs)
        filter.recordDelivery(read)
        return read
      },
    })
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
    else watch = start({ onPrice, onEnd: stream.end, endsIfRefused: true }, forget)
    return stream.iterator
  }

  if (onPrice && !signal?.aborted) startCallback(onPrice)
  return {
    stop() {
      for (const watch of [...running.keys()]) watch.stop()
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
      for (const [watch, forget] of [...running]) {
        watch.update(target)
        for (const input of removed) forget(input)
      }
    },
    [Symbol.asyncIterator]: iterate,
  }
}

/** The inputs of `before` that are not in `after`. */
function missingInputs(before: InputsByAddress, after: InputsByAddress): string[] {
  return [...before].flatMap(([address, inputs]) => inputs.filter((input) => !after.get(address)?.includes(input)))
}
