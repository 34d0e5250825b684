import { callStore, type StoreCallOptions } from '../concurrency/call-store.ts'
import { startBackgroundTimer, systemClock } from '../concurrency/clock.ts'
import { exponentialBackoff } from '../utils/time-units.ts'

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

/** Pauses between the tries of a write that failed. */
const MIN_PAUSE_MS = 100
const MAX_PAUSE_MS = 30_000
const MAX_KNOWN = 32

/** Reads and writes one entry. Writes are in order, one at a time. */
export class EntryStore {
  readonly #store: BudgetStore
  readonly #key: string
  readonly #limits: StoreCallOptions
  readonly #snapshot: () => string
  #running: Promise<unknown> = Promise.resolve()
  #queued: Promise<void> | undefined
  #failures = 0
  #stopRetry: (() => void) | undefined
  /** The last texts that were read or written: a write that failed may have arrived, and a store may show an older one for a while. */
  readonly #known: unknown[] = []

  /** @param snapshot returns what to write; it is called when a write begins */
  constructor(store: BudgetStore, key: string, timeoutMs: number, snapshot: () => string) {
    this.#store = store
    this.#key = key
    this.#limits = { clock: systemClock, timeoutMs }
    this.#snapshot = snapshot
  }

  /** The entry as it is stored, or undefined. */
  async read(): Promise<unknown> {
    const text = await this.#get()
    this.#remember(text)
    return text
  }

  /**
   * Resolves when a write that began after this call has succeeded. Calls made while a write runs share the next one. One that failed is tried
   * again while the process lives.
   */
  save(): Promise<void> {
    return callStore(() => this.#enqueue(), this.#limits)
  }

  #enqueue(): Promise<void> {
    this.#queued ??= this.#running.then(() => {
      this.#queued = undefined
      const written = this.#write()
      this.#running = written.catch(() => {})
      return written
    })
    return this.#queued
  }

  /** A write that takes too long is given up. If it ends after all, it may have replaced newer counts, which are written again. */
  async #write(): Promise<void> {
    let isGivenUp = false
    const text = this.#snapshot()
    this.#remember(text)
    const written = this.#set(text)
    written.then(
      () => {
        if (isGivenUp) this.#enqueue().catch(() => {})
      },
      () => {},
    )
    this.#stopRetry?.()
    this.#stopRetry = undefined
    try {
      await callStore(() => written, this.#limits)
      this.#failures = 0
    } catch (error) {
      isGivenUp = true
      this.#writeLater()
      throw error
    }
  }

  /** What is known to be charged is written late rather than never, also when no call follows. */
  #writeLater(): void {
    const pauseMs = exponentialBackoff(this.#failures++, MIN_PAUSE_MS, MAX_PAUSE_MS)
    this.#stopRetry ??= startBackgroundTimer(pauseMs, () => void this.#writeAgain())
  }

  /** Gives up where another budget has written since: it has counted what this one had reserved, and must not lose what it spent. */
  async #writeAgain(): Promise<void> {
    this.#stopRetry = undefined
    try {
      const current = await this.#get()
      if (current !== undefined && !this.#known.includes(current)) return
    } catch {
      this.#writeLater()
      return
    }
    await this.#enqueue().catch(() => {})
  }

  #get(): Promise<unknown> {
    return callStore(() => this.#store.get(this.#key), this.#limits)
  }

  async #set(text: string): Promise<void> {
    const result = await this.#store.set(this.#key, text)
    if (result === false) throw new Error('The store reports that it did not write the entry.')
  }

  #remember(text: unknown): void {
    this.#known.push(text)
    if (this.#known.length > MAX_KNOWN) this.#known.shift()
  }
}
