import { callStore, storedText } from '../concurrency/store-call.ts'
import { messageOf } from '../utils/runtime.ts'
import type { FeedInternals } from './feed-internals.ts'
import type { FeedStore } from './types.ts'

/** Nobody waits long for a store: what it does not have is bought, and a feed that is closed ends. */
const WAIT_MS = 1_000

/** The store of a feed, whose values are checked. If it fails or hangs, the feed continues without it. */
export class CheckedStore {
  readonly #store: FeedStore
  readonly #feed: Pick<FeedInternals, 'clock' | 'emit' | 'lifetime'>
  /** Of keys that are written in order: the newest value that is not yet written, and the write that is under way. */
  readonly #unwritten = new Map<string, () => unknown>()
  readonly #writes = new Map<string, Promise<void>>()

  constructor(store: FeedStore, feed: Pick<FeedInternals, 'clock' | 'emit' | 'lifetime'>) {
    this.#store = store
    this.#feed = feed
  }

  /** Resolves with what `check` makes of the value: undefined if it is invalid or absent, if the store fails or is slow, or the feed is closed. */
  async read<T>(key: string, check: (value: unknown) => T | undefined): Promise<T | undefined> {
    const { clock, lifetime } = this.#feed
    const readAndCheck = async () => {
      const text = storedText(await this.#store.get(key))
      if (text === undefined) return undefined
      const checked = check(JSON.parse(text))
      if (checked === undefined) throw new Error(`The store has an invalid value under ${key}. It is ignored.`)
      return checked
    }
    try {
      return await callStore(readAndCheck, { clock, timeoutMs: WAIT_MS, signal: lifetime })
    } catch (error) {
      this.#fail(error)
      return undefined
    }
  }

  write(key: string, value: unknown, ttlMs: number): void {
    const { clock, lifetime } = this.#feed
    const set = () => this.#store.set(key, JSON.stringify(value), ttlMs)
    callStore(set, { clock, signal: lifetime }).catch((error) => this.#fail(error))
  }

  /** The same, once earlier writes of the key have ended, and also while the feed is closed: `flush` waits for it. */
  writeInOrder(key: string, value: unknown, ttlMs: number): void {
    const text = JSON.stringify(value)
    this.#unwritten.set(key, () => this.#store.set(key, text, ttlMs))
    if (!this.#writes.has(key)) this.#writes.set(key, this.#writeAll(key))
  }

  async flush(): Promise<void> {
    await Promise.all(this.#writes.values())
  }

  async #writeAll(key: string): Promise<void> {
    const { clock } = this.#feed
    for (let set = this.#unwritten.get(key); set; set = this.#unwritten.get(key)) {
      this.#unwritten.delete(key)
      await callStore(set, { clock, timeoutMs: WAIT_MS }).catch((error) => this.#report(error))
    }
    this.#writes.delete(key)
  }

  #fail(error: unknown): void {
    if (!this.#feed.lifetime.aborted) this.#report(error)
  }

  #report(error: unknown): void {
    this.#feed.emit({ type: 'feed.store_failed', message: messageOf(error) })
  }
}
