import { callSafely, type FeedEvent, messageOf } from '../events.ts'
import { codeOf, isKeyRefused } from '../failures.ts'
import type { Lifetime } from '../lifetime.ts'
import type { PlannedWatch } from '../schedule/explain.ts'
import type { FeedPrice } from './types.ts'
import { type RunningWatch, startWatch, type WatchParts, type WatchTarget } from './watch.ts'

export interface WatchRegistryParts extends WatchParts {
  readonly lifetime: Lifetime
  emit(event: FeedEvent): void
}

/** Who a watch is for. */
export interface Subscription {
  readonly signal: AbortSignal | undefined
  /** Receives failures, and what `onPrice` throws. Without it, failures raise an event. */
  readonly onError: ((error: unknown) => void) | undefined
  /** Whether a refused key ends the watch. */
  readonly endsIfRefused: boolean
  onPrice(price: FeedPrice): void
  /** Called once at the end, with an error unless the watch was stopped or the feed closed. */
  onEnd(error?: { reason: unknown }): void
}

/** The running watches of a feed. */
export interface WatchRegistry {
  readonly size: number
  /** The number of addresses and the interval of each watch. */
  planned(): readonly PlannedWatch[]
  /** Starts a watch that ends by `stop`, by its signal, or with the feed. */
  start(target: WatchTarget, subscription: Subscription): RunningWatch
}

export function createWatchRegistry(parts: WatchRegistryParts): WatchRegistry {
  const running = new Map<RunningWatch, PlannedWatch>()
  const { lifetime, emit } = parts

  return {
    get size() {
      return running.size
    },
    planned: () => [...running.values()],
    start(initial, { signal, onPrice, onError, onEnd, endsIfRefused }) {
      let target = initial
      const callbacks = {
        onPrice,
        onThrow: (error: unknown) => callSafely(onError, error),
        onFailure(error: unknown) {
          if (onError) callSafely(onError, error)
          else
            emit({
              type: 'feed.watch_failed',
              addresses: [...target.inputs.keys()],
              code: codeOf(error),
              message: messageOf(error),
            })
          if (endsIfRefused && isKeyRefused(error)) end({ reason: error })
        },
      }
      const watch = startWatch(initial, callbacks, parts)
      running.set(watch, toPlanned(initial))
      const end = (error?: { reason: unknown }) => {
        if (!running.delete(watch)) return
        watch.stop()
        stopListening()
        stopOnClose()
        onEnd(error)
      }
      const stopListening = lifetime.onAbort(signal, () => end({ reason: signal?.reason }))
      const stopOnClose = lifetime.onClose(() => end())
      return {
        stop: end,
        update(next) {
          if (!running.has(watch)) return
          target = next
          running.set(watch, toPlanned(next))
          watch.update(next)
        },
      }
    },
  }
}

function toPlanned({ inputs, everyMs, atLeastEveryMs }: WatchTarget): PlannedWatch {
  return { addresses: inputs.size, everyMs, atLeastEveryMs }
}
