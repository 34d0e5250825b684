import type { Lifetime } from '../context.ts'

interface PendingRead<T> {
  resolve(result: IteratorResult<T, undefined>): void
  reject(error: unknown): void
}

export interface StreamOptions {
  /** Called when the reader ends the iteration. */
  onReturn(): void
  /** The oldest unread value is dropped beyond this number. @default no limit */
  maxUnread?: number
  onDrop?(): void
  /** Whether unread values are read before the end. */
  drains?: boolean
}

/** An async iterator that keeps only the newest unread value of each key. */
export function createLatestValueStream<T extends object>(options: StreamOptions) {
  const { onReturn, maxUnread = Number.POSITIVE_INFINITY, onDrop, drains = false } = options
  /** By key, oldest first. A value is made when it is read, because it may have waited. */
  const unread = new Map<unknown, () => T>()
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
      for (const [key, read] of unread) {
        unread.delete(key)
        return { done: false, value: read() }
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
    drop: (key: unknown) => void unread.delete(key),
    clear: () => unread.clear(),
    /** @param read returns the value, which replaces an unread one of the same key */
    push(key: unknown, read: () => T): void {
      if (ended) return
      const pending = reads.shift()
      if (pending) pending.resolve({ done: false, value: read() })
      else unread.set(key, read)
      if (unread.size <= maxUnread) return
      const [oldest] = unread.keys()
      unread.delete(oldest)
      onDrop?.()
    },
  }
}

export interface FollowOptions<Value extends object> {
  readonly signal: AbortSignal | undefined
  readonly lifetime: Lifetime
  /** Publishes what returns the newest value, until `signal` aborts or it calls `fail`. */
  follow(publish: (read: () => Value) => void, signal: AbortSignal, fail: (error: unknown) => void): Promise<void>
}

/** Follows something while an iteration lasts. The iteration yields the newest value; a slow reader misses older ones. */
export function followLatest<Value extends object>(options: FollowOptions<Value>): AsyncIterable<Value> {
  const { signal, lifetime, follow } = options
  return {
    [Symbol.asyncIterator]() {
      const controller = new AbortController()
      let stopListening = () => {}
      const end = (error?: { reason: unknown }) => {
        stopListening()
        stream.end(error)
        controller.abort()
      }
      const stream = createLatestValueStream<Value>({ onReturn: () => end() })
      const fail = (reason: unknown) => end({ reason })
      if (signal?.aborted) fail(signal.reason)
      else if (lifetime.aborted) end()
      else {
        stopListening = lifetime.onEnd(signal, end)
        follow((read) => stream.push('', read), controller.signal, fail).catch(fail)
      }
      return stream.iterator
    },
  }
}
