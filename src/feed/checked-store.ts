import { callStore } from '../concurrency/call-store.ts'
import type { FeedContext } from './context.ts'
import { messageOf } from './failures.ts'
import type { FeedStore } from './types.ts'

/** What is known may be read, or bought: nobody waits long for a store. */
const READ_MS = 1_000

/** A store whose values are checked. If it fails or hangs, the feed continues without it. */
export class CheckedStore {
  readonly #store: FeedStore
  readonly #context: Pick<FeedContext, 'clock' | 'emit' | 'lifetime'>

  constructor(store: FeedStore, context: Pick<FeedContext, 'clock' | 'emit' | 'lifetime'>) {
    this.#store = store
    this.#context = context
  }

  /**
   * Resolves with what `check` returns for the parsed value; undefined if there is none, or if the store fails or is slow, or
   * the feed is closed.
   * @param check throws for an invalid value
   */
  async read<T>(key: string, check: (value: unknown) => T): Promise<T | undefined> {
    const { clock, lifetime } = this.#context
    const readAndCheck = async () => {
      const text: unknown = await this.#store.get(key)
      if (text === undefined || text === null) return undefined
      if (typeof text !== 'string') throw new Error(`The store has a value under ${key} that is no text.`)
      return check(JSON.parse(text))
    }
    try {
      return await callStore(readAndCheck, { clock, timeoutMs: READ_MS, signal: lifetime })
    } catch (error) {
      this.#fail(error)
      return undefined
    }
  }

  write(key: string, value: unknown, ttlMs: number): void {
    const { clock, lifetime } = this.#context
    const set = () => this.#store.set(key, JSON.stringify(value), ttlMs)
    callStore(set, { clock, signal: lifetime }).catch((error) => this.#fail(error))
  }

  #fail(error: unknown): void {
    const { emit, lifetime } = this.#context
    if (!lifetime.aborted) emit({ type: 'feed.store_failed', message: messageOf(error) })
  }
}
