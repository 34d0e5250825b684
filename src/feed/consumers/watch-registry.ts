import { isEtnMarketError } from '../../errors/base.ts'
import { invalidOption, rejectUnknown } from '../../errors/input.ts'
import { callSafely, type FeedEvent, messageOf } from '../events.ts'
import type { PlannedWatch } from '../schedule/explain.ts'
import type { FeedPrice, Watch, WatchOptions } from '../types.ts'
import { createLatestValueStream } from './latest-value-stream.ts'
import type { Lifetime } from './lifetime.ts'
import { type InputsByAddress, startWatch, type WatchCallbacks, type WatchParts } from './watch.ts'

export interface WatchRegistryParts extends WatchParts {
  readonly lifetime: Lifetime
  emit(event: FeedEvent): void
  /** Returns the EIP-55 form of addresses; throws the client's error for an invalid one. */
  toChecksum(addresses: readonly string[]): string[]
}

/** The running watches of a feed. */
export interface WatchRegistry {
  readonly size: number
  /** The number of addresses and the interval of each watch. */
  planned(): readonly PlannedWatch[]
  watch(addresses: string | readonly string[], options: WatchOptions): Watch
}

type OnEnd = (error?: { reason: unknown }) => void

export function createWatchRegistry(parts: WatchRegistryParts): WatchRegistry {
  const running = new Set<PlannedWatch>()
  const { lifetime, emit } = parts

  /** Starts a watch that ends by the returned function, by its signal, or with the feed. */
  function start(
    inputs: InputsByAddress,
    { everyMs, signal }: WatchOptions,
    callbacks: WatchCallbacks,
    onEnd: OnEnd,
  ): OnEnd {
    const planned = { addresses: inputs.size, everyMs }
    const stop = startWatch(inputs, everyMs, callbacks, parts)
    running.add(planned)
    const end: OnEnd = (error) => {
      if (!running.delete(planned)) return
      stop()
      stopListening()
      stopOnClose()
      onEnd(error)
    }
    const stopListening = lifetime.onAbort(signal, () => end({ reason: signal?.reason }))
    const stopOnClose = lifetime.onClose(() => end())
    return end
  }

  return {
    get size() {
      return running.size
    },
    planned: () => [...running],
    watch(addresses, options) {
      rejectUnknown('watch option', options, ['everyMs', 'onPrice', 'onError', 'signal'])
      const { everyMs, onPrice, onError, signal } = options
      if (!(typeof everyMs === 'number' && everyMs > 0 && everyMs < Number.POSITIVE_INFINITY))
        throw invalidOption('everyMs', everyMs, 'a number of milliseconds above 0')
      lifetime.signal.throwIfAborted()
      const inputs = groupByAddress(typeof addresses === 'string' ? [addresses] : addresses, parts.toChecksum)
      const ends = new Set<() => void>()
      const onFailure = (error: unknown) => {
        if (onError) callSafely(onError, error)
        else emit({ type: 'feed.watch_failed', addresses: [...inputs.keys()], ...describeError(error) })
      }
      const add = (
        callback: WatchCallbacks['onPrice'],
        onEnd: OnEnd = () => {},
        endsBy: (error: unknown) => boolean = () => false,
      ) => {
        const callbacks = {
          onPrice: callback,
          onThrow: (error: unknown) => callSafely(onError, error),
          onFailure(error: unknown) {
            onFailure(error)
            if (endsBy(error)) endWith({ reason: error })
          },
        }
        const endWith = start(inputs, options, callbacks, (error) => {
          ends.delete(end)
          onEnd(error)
        })
        const end = () => endWith()
        ends.add(end)
        return end
      }
      if (onPrice && !signal?.aborted) add(onPrice)
      return {
        stop() {
          for (const end of [...ends]) end()
        },
        [Symbol.asyncIterator]() {
          let end = () => {}
          const stream = createLatestValueStream(
            () => end(),
            (price) => ageOf(price, parts.clock.now(), everyMs),
          )
          if (signal?.aborted) stream.end({ reason: signal.reason })
          else if (lifetime.signal.aborted) stream.end()
          else end = add(stream.push, stream.end, isRefused)
          return stream.iterator
        },
      }
    },
  }
}

/** No later attempt succeeds with the same key. */
function isRefused(error: unknown): boolean {
  return isEtnMarketError(error) && /^(Authentication|Permission)Error$/.test(error.name)
}

function describeError(error: unknown): { code: string; message: string } {
  return { code: isEtnMarketError(error) ? error.code : 'unknown', message: messageOf(error) }
}

/** The price with its age at the time when it is read. */
function ageOf(price: FeedPrice, now: number, everyMs: number): FeedPrice {
  const ageMs = now - price.at
  return ageMs === price.ageMs ? price : { ...price, ageMs, stale: price.stale || ageMs > everyMs }
}

/** Each address once, with the different inputs that name it. */
function groupByAddress(
  inputs: readonly string[],
  toChecksum: (addresses: readonly string[]) => string[],
): InputsByAddress {
  const groups = new Map<string, string[]>()
  const addresses = toChecksum(inputs)
  for (const [index, input] of inputs.entries()) {
    const address = addresses[index] ?? input
    const group = groups.get(address) ?? []
    if (!group.includes(input)) group.push(input)
    groups.set(address, group)
  }
  return groups
}
