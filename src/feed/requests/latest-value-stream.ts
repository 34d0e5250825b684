import type { Lifetime } from '../context.ts'
import type { FeedPrice } from '../watch/types.ts'

interface PendingRead<T> {
  resolve(result: IteratorResult<T, undefined>): void
  reject(error: unknown): void
}

export interface StreamOptions<T> {
  /** Called when the reader ends the iteration. */
  onReturn(): void
  /** Changes a value when it is read, because it may have waited. */
  onRead(value: T): T
  /** What a newer value replaces. @default the input of a price */
  keyOf?(value: T): unknown
  /** The oldest unread value is dropped beyond this number. @default no limit */
  maxUnread?: number
  onDrop?(): void
  /** Whether unread values are read before the end. */
  drains?: boolean
}

/** An async iterator that keeps only the newest unread value of each key. */
export function createLatestValueStream<T extends object = FeedPrice>(options: StreamOptions<T>) {
  const { onReturn, onRead, keyOf = inputOf, maxUnread = Number.POSITIVE_INFINITY, onDrop, drains = false } = options
  /** At most one for each key, oldest first. */
  const unread = new Map<unknown, T>()
  const reads: PendingRead<T>[] = []
  let ended: { error?: { reason: unknown } | undefined } | undefined
  const done = { done: true, value: undefined } as const

  /** Ends the iteration. With an error, the next read rejects with its reason. */
  function end(error?: { reason: unknown }): void {
    if (ended) return
    const [first, ...others] = reads.splice(0)
    // Only one read rejects.
    ended = { error: first ? undefined : error }
    if (!drains) unread.clear()
    if (error) first?.reject(error.reason)
    else first?.resolve(done)
    for (const read of others) read.resolve(done)
  }

  const iterator: AsyncIterableIterator<T> = {
    [Symbol.asyncIterator]: () => iterator,
    async next() {
      const [first] = unread.values()
      if (first !== undefined) {
        unread.delete(keyOf(first))
        return { done: false, value: onRead(first) }
      }
      if (ended === undefined) return new Promise((resolve, reject) => reads.push({ resolve, reject }))
      const { error } = ended
      ended = {}
      if (error) throw error.reason
      return done
    },
    async return() {
      onReturn()
      unread.clear()
      end()
      return done
    },
  }

  return {
    iterator,
    end,
    /** Removes an unread value. */
    drop: (key: unknown) => void unread.delete(key),
    /** Removes every unread value. */
    clear: () => unread.clear(),
    push(value: T): void {
      if (ended) return
      const read = reads.shift()
      if (read) read.resolve({ done: false, value: onRead(value) })
      else unread.set(keyOf(value), value)
      if (unread.size <= maxUnread) return
      const [oldest] = unread.keys()
      unread.delete(oldest)
      onDrop?.()
    },
  }
}

const inputOf = (price: object) => (price as FeedPrice).address

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
      let stopListening = () => {}
      const end = (error?: { reason: unknown }) => {
        stopListening()
        stream.end(error)
        controller.abort()
      }
      const stream = createLatestValueStream<Value>({ onReturn: () => end(), onRead, keyOf: () => '' })
      const fail = (reason: unknown) => end({ reason })
      if (signal?.aborted) fail(signal.reason)
      else if (lifetime.aborted) end()
      else {
        stopListening = lifetime.onEnd(signal, end)
        follow(stream.push, controller.signal, fail).catch(fail)
      }
      return stream.iterator
    },
  }
}
