import { abortReason, type CancellationSignal, LightAbortController } from '../../concurrency/cancellation.ts'
import type { Lifetime } from '../feed.ts'
import type { FeedInternals } from '../feed-internals.ts'
import type { RecurringRequest } from './requester.ts'

export interface LatestValueStream<T> {
  /** Whether a read waits for a value. */
  readonly isAwaited: boolean
  /** @param read returns the value, which replaces an unread one of the same key; called when it is read, because it may have waited */
  push(key: unknown, read: () => T): void
  drop(key: unknown): void
  /** Ends the iteration. With an error, the next read rejects with its reason. */
  end(error?: { reason: unknown }): void
}

/** What fills a stream. */
export interface StreamSource {
  /** The reader ends the iteration. */
  stop(): void
  /** Called with the keys of a value that is dropped and of the oldest one that stays. */
  onDrop?(key: unknown, next: unknown): void
  /** A read begins to wait. */
  onWait?(): void
}

export interface StreamOptions<T> {
  readonly signal: AbortSignal | undefined
  readonly lifetime: Lifetime
  /** Begins to fill it, unless it has ended already. */
  start(stream: LatestValueStream<T>): StreamSource
  /** Beyond this number the oldest unread value is dropped. @default none is */
  readonly maxUnread?: number
  /** Whether all is read before the end, unless the signal aborts. @default false */
  readonly keepsUnread?: boolean
}

/** An async iterator that keeps only the newest unread value of each key. */
export function iterateLatest<T extends object>(options: StreamOptions<T>): AsyncIterableIterator<T> {
  const { signal, lifetime, start, maxUnread = Number.POSITIVE_INFINITY, keepsUnread } = options
  /** By key, oldest first. */
  const unread = new Map<unknown, () => T>()
  const reads: { resolve(result: IteratorResult<T, undefined>): void; reject(error: unknown): void }[] = []
  let ended: { error?: { reason: unknown } | undefined } | undefined
  let source: StreamSource | undefined
  const done = { done: true, value: undefined } as const

  const stream: LatestValueStream<T> = {
    get isAwaited() {
      return reads.length > 0
    },
    drop: (key) => void unread.delete(key),
    push(key, read) {
      if (ended) return
      const pending = reads.shift()
      if (pending) pending.resolve({ done: false, value: read() })
      else unread.set(key, read)
      if (unread.size <= maxUnread) return
      const [oldest, next] = unread.keys()
      unread.delete(oldest)
      source?.onDrop?.(oldest, next)
    },
    end(error) {
      if (ended) return
      const [first, ...others] = reads.splice(0)
      // Only one read rejects.
      ended = { error: first ? undefined : error }
      if (!keepsUnread || signal?.aborted) unread.clear()
      if (error) first?.reject(error.reason)
      else first?.resolve(done)
      for (const read of others) read.resolve(done)
    },
  }
  const iterator: AsyncIterableIterator<T> = {
    [Symbol.asyncIterator]: () => iterator,
    async next() {
      for (const [key, read] of unread) {
        unread.delete(key)
        return { done: false, value: read() }
      }
      if (ended === undefined) {
        const read = new Promise<IteratorResult<T, undefined>>((resolve, reject) => reads.push({ resolve, reject }))
        source?.onWait?.()
        return read
      }
      const { error } = ended
      ended = {}
      if (error) throw error.reason
      return done
    },
    async return() {
      source?.stop()
      unread.clear()
      stream.end()
      return done
    },
  }
  if (signal?.aborted) stream.end({ reason: abortReason(signal) })
  else if (lifetime.aborted) stream.end(lifetime.error)
  else source = start(stream)
  return iterator
}

/** Publishes what returns the newest value, until `signal` aborts or it calls `fail`. */
export type Follow<T> = (
  publish: (read: () => T) => void,
  signal: CancellationSignal,
  fail: (error: unknown) => void,
) => Promise<void>

/** Follows something while an iteration lasts, which yields the newest value. @param planned what is requested meanwhile, for `feed.explain` */
export function followLatest<T extends object>(
  { lifetime, recurring }: Pick<FeedInternals, 'lifetime' | 'recurring'>,
  signal: AbortSignal | undefined,
  planned: RecurringRequest,
  follow: Follow<T>,
): AsyncIterable<T> {
  const start = (stream: LatestValueStream<T>) => {
    const controller = new LightAbortController()
    // Each iteration is a request of its own.
    const one = { ...planned }
    const end = (error?: { reason: unknown }) => {
      stopListening()
      recurring.delete(one)
      stream.end(error)
      controller.abort(abortReason(undefined))
    }
    const fail = (reason: unknown) => end({ reason })
    const stopListening = lifetime.onEnd(signal, end)
    recurring.add(one)
    follow((read) => stream.push('', read), controller, fail).catch(fail)
    return { stop: end }
  }
  return { [Symbol.asyncIterator]: () => iterateLatest({ signal, lifetime, start }) }
}
