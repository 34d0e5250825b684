import { type CancellationSignal, raceWithAbort } from '../concurrency/cancellation.ts'
import type { Clock } from '../concurrency/clock.ts'
import { withTimeout } from '../concurrency/with-timeout.ts'
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
const WRITE_MS = 5_000

/** A call of the store of a feed, or what `onTimeout` returns if it takes too long. What it does later is ignored. Every call is bounded here. */
export function callStore<T, U>(
  call: () => T | Promise<T>,
  clock: Clock,
  onTimeout: (message: string) => U,
  ms = READ_MS,
): Promise<T | U> {
  const attempt = async () => await call()
  return withTimeout(attempt(), ms, clock, () => onTimeout(`No answer within ${ms} ms.`))
}

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
      const known = () => readAndCheck(key, check).catch((error) => void fail(messageOf(error)))
      const untilClosed = () => raceWithAbort(known(), closed).catch(() => undefined)
      return (await callStore(untilClosed, clock, fail)) ?? undefined
    },
    write(key, value, ttlMs) {
      const write = () => store.set(key, JSON.stringify(value), ttlMs)
      callStore(write, clock, fail, WRITE_MS).catch((error) => fail(messageOf(error)))
    },
  }
}
