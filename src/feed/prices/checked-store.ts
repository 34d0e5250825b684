import { type CancellationSignal, raceWithAbort } from '../../concurrency/cancellation.ts'
import type { Clock } from '../../concurrency/clock.ts'
import { withTimeout } from '../../concurrency/with-timeout.ts'
import { type FeedEvent, messageOf } from '../events.ts'
import type { FeedStore } from '../types.ts'

/** A store whose values are checked. If it fails or hangs, the feed continues without it. */
export interface CheckedStore {
  /**
   * Resolves with what `check` returns for the parsed value; undefined if there is none, or if the store fails or is slow, or
   * the feed is closed.
   * `check` throws for an invalid value.
   */
  read<T>(key: string, check: (value: unknown) => T): Promise<T | undefined>
  write(key: string, value: unknown, ttlMs: number): void
}

const TIMEOUT_MS = 1_000

export function createCheckedStore(
  store: FeedStore,
  clock: Clock,
  emit: (event: FeedEvent) => void,
  closed: CancellationSignal,
): CheckedStore {
  const failed = (error: unknown) => emit({ type: 'feed.store_failed', message: messageOf(error) })
  const attempt = async <T>(work: () => T) => await work()

  return {
    async read(key, check) {
      const value = attempt(async () => {
        const text: unknown = await store.get(key)
        if (text === undefined || text === null) return undefined
        if (typeof text !== 'string') throw new Error(`The store has a value under ${key} that is no text.`)
        return check(JSON.parse(text))
      }).catch((error) => void failed(error))
      // A read that ends later is ignored.
      const untilClosed = raceWithAbort(value, closed).catch(() => undefined)
      const first = await withTimeout(untilClosed, TIMEOUT_MS, clock, () =>
        failed(`No answer within ${TIMEOUT_MS} ms.`),
      )
      return first ?? undefined
    },
    write(key, value, ttlMs) {
      attempt(() => store.set(key, JSON.stringify(value), ttlMs)).catch(failed)
    },
  }
}
