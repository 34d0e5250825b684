import type { Lifetime } from '../lifetime.ts'
import { createLatestValueStream } from './latest-value-stream.ts'

export interface FollowOptions<Value extends object> {
  readonly signal: AbortSignal | undefined
  readonly lifetime: Lifetime
  /** Changes a value when it is read after it has waited. */
  onRead(value: Value): Value
  /** Publishes values until `signal` aborts or it calls `fail`. */
  follow(publish: (value: Value) => void, signal: AbortSignal, fail: (error: unknown) => void): Promise<void>
}

/** Follows something while an iteration lasts. The iteration yields the newest value; a slow reader misses older ones. */
export function followLatest<Value extends object>({
  signal,
  lifetime,
  onRead,
  follow,
}: FollowOptions<Value>): AsyncIterable<Value> {
  return {
    [Symbol.asyncIterator]() {
      const controller = new AbortController()
      const stopListening: (() => void)[] = []
      const end = (error?: { reason: unknown }) => {
        for (const stop of stopListening.splice(0)) stop()
        stream.end(error)
        controller.abort()
      }
      const stream = createLatestValueStream<Value>(() => end(), onRead, { keyOf: () => '' })
      const fail = (reason: unknown) => end({ reason })
      if (signal?.aborted) fail(signal.reason)
      else if (lifetime.signal.aborted) end()
      else {
        stopListening.push(
          lifetime.onAbort(signal, () => fail(signal?.reason)),
          lifetime.onClose(() => end()),
        )
        follow(stream.push, controller.signal, fail).catch(fail)
      }
      return stream.iterator
    },
  }
}
