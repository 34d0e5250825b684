import { callStore } from '../concurrency/call-store.ts'
import type { CancellationSignal } from '../concurrency/cancellation.ts'
import type { Clock } from '../concurrency/clock.ts'
import { type FeedEvent, messageOf } from './events.ts'
import type { FeedStore } from './types.ts'

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

/** What is known may be read, or bought: nobody waits long for a store. */
const READ_MS = 1_000

export function createCheckedStore(
  store: FeedStore,
  clock: Clock,
  emit: (event: FeedEvent) => void,
  closed: CancellationSignal,
): CheckedStore {
  const fail = (message: string) => emit({ type: 'feed.store_failed', message })

  async function readAndCheck<T>(key: string, check: (value: unknown) => T): Promise<T | undefined> {
    const text: unknown = await store.get(key)
    if (text === undefined || text === null) return undefined
    if (typeof text !== 'string') throw new Error(`The store has a value under ${key} that is no text.`)
    return check(JSON.parse(text))
  }

  return {
    async read(key, check) {
      try {
        return await callStore(() => readAndCheck(key, check), { clock, timeoutMs: READ_MS, signal: closed })
      } catch (error) {
        if (!closed.aborted) fail(messageOf(error))
        return undefined
      }
    },
    write(key, value, ttlMs) {
      const written = callStore(() => store.set(key, JSON.stringify(value), ttlMs), { clock, signal: closed })
      written.catch((error) => {
        if (!closed.aborted) fail(messageOf(error))
      })
    },
  }
}
