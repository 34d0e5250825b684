import { callStore } from '../concurrency/call-store.ts'
import { startBackgroundTimer, systemClock } from '../concurrency/clock.ts'
import { exponentialBackoff } from '../utils/exponential-backoff.ts'

/**
 * Where a budget is kept, so that it outlives the process: Keyv, or anything with its methods, synchronous or not.
 * - It must report failures: a rejected promise, an exception, or `false` from `set`. Keyv 5 hides them unless
 *   `throwOnErrors: true` is set.
 * - It must keep the entry: set no default ttl that is shorter than a window.
 * - One process at a time may use one entry. A plain store has no compare-and-set, so two processes would overwrite
 *   each other's counts and together exceed the limit.
 */
export interface BudgetStore {
  /** The text under the key, or undefined; a promise of it, too. */
  get(key: string): unknown
  /** Stores a text under the key, for `ttl` milliseconds where one is given. */
  set(key: string, value: string, ttl?: number): unknown
  /** Removes the text under the key. */
  delete?(key: string): unknown
}

/** Reads and writes one entry. Writes are in order, one at a time. */
export interface EntryStore {
  /** The entry as it is stored, or undefined. */
  read(): Promise<unknown>
  /**
   * Resolves when a write that began after this call has succeeded. Calls made while a write runs share the next one. One that failed is tried
   * again while the process lives.
   */
  save(): Promise<void>
}

/** Pauses between the tries of a write that failed. */
const MIN_PAUSE_MS = 100
const MAX_PAUSE_MS = 30_000
const MAX_KNOWN = 32

/** `snapshot` returns what to write; it is called when a write begins. */
export function createEntryStore(store: BudgetStore, key: string, limitMs: number, snapshot: () => string): EntryStore {
  const bound = { clock: systemClock, timeoutMs: limitMs }
  let running: Promise<unknown> = Promise.resolve()
  let queued: Promise<void> | undefined
  let failures = 0
  let stopRetry: (() => void) | undefined
  /** The last texts that were read or written: a write that failed may have arrived, and a store may show an older one for a while. */
  const known: unknown[] = []

  async function set(text: string): Promise<void> {
    const result = await store.set(key, text)
    if (result === false) throw new Error('The store reports that it did not write the entry.')
  }

  function remember(text: unknown): void {
    known.push(text)
    if (known.length > MAX_KNOWN) known.shift()
  }

  /** A write that takes too long is given up. If it ends after all, it may have replaced newer counts, which are written again. */
  async function write(): Promise<void> {
    let isGivenUp = false
    const text = snapshot()
    remember(text)
    const written = set(text)
    written.then(
      () => {
        if (isGivenUp) enqueue().catch(() => {})
      },
      () => {},
    )
    stopRetry?.()
    stopRetry = undefined
    try {
      await callStore(() => written, bound)
      failures = 0
    } catch (error) {
      isGivenUp = true
      writeLater()
      throw error
    }
  }

  /** What is known to be charged is written late rather than never, also when no call follows. */
  function writeLater(): void {
    const pauseMs = exponentialBackoff(failures++, MIN_PAUSE_MS, MAX_PAUSE_MS)
    stopRetry ??= startBackgroundTimer(pauseMs, () => void writeAgain())
  }

  /** Gives up where another budget has written since: it has counted what this one had reserved, and must not lose what it spent. */
  async function writeAgain(): Promise<void> {
    stopRetry = undefined
    try {
      const current = await read()
      if (current !== undefined && !known.includes(current)) return
    } catch {
      writeLater()
      return
    }
    await enqueue().catch(() => {})
  }

  function read(): Promise<unknown> {
    return callStore(() => store.get(key), bound)
  }

  function enqueue(): Promise<void> {
    queued ??= running.then(() => {
      queued = undefined
      const written = write()
      running = written.catch(() => {})
      return written
    })
    return queued
  }

  return {
    async read() {
      const text = await read()
      remember(text)
      return text
    },
    save: () => callStore(enqueue, bound),
  }
}
