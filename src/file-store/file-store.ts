import { readFileSync, statSync } from 'node:fs'
import { EtnMarketError } from '../errors/base.ts'
import { invalidOption } from '../errors/input.ts'
import { parseJson } from '../utils/json-data.ts'
import { ASYNC_DISPOSE } from '../utils/runtime.ts'
import { createWriteQueue } from '../utils/write-queue.ts'
import { type FileLock, lockFile } from './file-lock.ts'
import { replaceFile } from './replace-file.ts'

/**
 * A file store cannot be opened, read or written. `code` is
 * - `store_in_use`: another process or thread has it, or another store of this one;
 * - `store_unreadable`: the file holds something else, or is damaged;
 * - `store_failed`: the system refused, such as on a full disk; `cause` has its error;
 * - `store_closed`: it was closed.
 */
export class FileStoreError extends EtnMarketError {
  override get name(): string {
    return 'FileStoreError'
  }
  /** The file of the store. */
  readonly path: string
  /** The process that has the store, where it is in use and the process is known. */
  readonly pid?: number

  constructor(message: string, details: { code: string; path: string; pid?: number | undefined; cause?: unknown }) {
    const { path, pid, ...rest } = details
    super(message, rest)
    this.path = path
    if (pid !== undefined) this.pid = pid
  }
}

/** A store of texts in a file: for the `store` of a budget, a feed, a sweep or a cache, or several of them. */
export interface FileStore extends AsyncDisposable {
  /** The text under the key; undefined if there is none, or if its time is over. */
  get(key: string): string | undefined
  /**
   * Resolves when the text is on the disk. `ttl` is in milliseconds.
   * @throws FileStoreError if it cannot be written; the store is then as before.
   */
  set(key: string, value: string, ttl?: number): Promise<void>
  /** Sets a text if there is none under the key, and resolves with whether it did. Then the text is on the disk. */
  add(key: string, value: string, ttl?: number): Promise<boolean>
  /** Resolves with whether there was such a text, when it is gone from the disk. */
  delete(key: string): Promise<boolean>
  /** Writes what is under way, and lets another process have the file. Later calls reject with `store_closed`. */
  close(): Promise<void>
}

/**
 * Opens a store of texts in one JSON file, or makes one. It is for the state of one process, up to a few hundred kilobytes: each change
 * writes the whole file. Changes that are made while the file is being written are written together.
 * - A crash at any moment leaves a file with every change that was resolved.
 * - One thread of one process at a time has the file, by a lock beside it (`<path>.lock`) with a heartbeat. The lock of a process that was killed
 *   is taken over: that of another machine or container, or of a worker thread that has ended, after 5 seconds, for which this call blocks.
 * - A symbolic link stays one.
 * @param path of the file. Its folder must exist.
 * @throws FileStoreError with the code `store_in_use`, `store_unreadable` or `store_failed`
 * @example
 * await using store = createFileStore('bot-state.json')
 * const client = createClient({ budget: { credits: 20_000, windowMs: 86_400_000, store } })
 */
export function createFileStore(path: string): FileStore {
  const lock = acquire(path)
  try {
    return new JsonFileStore(path, lock, readEntries(path))
  } catch (error) {
    lock.release()
    throw error
  }
}

/** A text, and when it ends: unix milliseconds, undefined for never. */
interface Entry {
  readonly value: string
  readonly expires?: number | undefined
}

type Changes = Map<string, Entry | undefined>

const isAlive = (entry: Entry | undefined): entry is Entry =>
  entry !== undefined && (entry.expires === undefined || entry.expires > Date.now())

class JsonFileStore implements FileStore {
  readonly #path: string
  readonly #lock: FileLock
  #entries: ReadonlyMap<string, Entry>
  /** Of the running write, and of the next one. */
  #writing: Changes = new Map()
  #changes: Changes = new Map()
  readonly #queue = createWriteQueue(() => this.#write())
  #closing: Promise<void> | undefined

  constructor(path: string, lock: FileLock, entries: ReadonlyMap<string, Entry>) {
    this.#path = path
    this.#lock = lock
    this.#entries = entries
  }

  get(key: string): string | undefined {
    this.#requireOpen()
    const newest = [this.#changes, this.#writing].find((changed) => changed.has(key)) ?? this.#entries
    const entry = newest.get(key)
    return isAlive(entry) ? entry.value : undefined
  }

  async set(key: string, value: string, ttl?: number): Promise<void> {
    this.#requireOpen()
    // Another value would make the file unreadable.
    if (typeof value !== 'string') throw invalidOption('value', value, 'a text')
    await this.#change(key, { value, ...(Number.isFinite(ttl) && { expires: Date.now() + Number(ttl) }) })
  }

  async add(key: string, value: string, ttl?: number): Promise<boolean> {
    if (this.get(key) !== undefined) return false
    await this.set(key, value, ttl)
    return true
  }

  async delete(key: string): Promise<boolean> {
    if (this.get(key) === undefined) return false
    await this.#change(key, undefined)
    return true
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  [ASYNC_DISPOSE](): Promise<void> {
    return this.close()
  }

  #requireOpen(): void {
    if (this.#closing === undefined) return
    throw new FileStoreError(`${this.#path}: the store is closed.`, { code: 'store_closed', path: this.#path })
  }

  #change(key: string, entry: Entry | undefined): Promise<void> {
    this.#changes.set(key, entry)
    return this.#queue.write()
  }

  async #write(): Promise<void> {
    this.#writing = this.#changes
    this.#changes = new Map()
    const changed = [...new Map([...this.#entries, ...this.#writing])]
    const next = new Map(changed.filter((one): one is [string, Entry] => isAlive(one[1])))
    try {
      // Another process would be overwritten.
      if (!this.#lock.isHeld()) throw new Error('its lock was taken away')
      await replaceFile(this.#path, formatEntries(next))
      this.#entries = next
    } catch (error) {
      throw failedError(this.#path, 'written', error)
    } finally {
      this.#writing = new Map()
    }
  }

  async #close(): Promise<void> {
    // The call that made a change rejects with its error.
    await this.#queue.idle()
    this.#lock.release()
  }
}

function acquire(path: string): FileLock {
  let attempt: ReturnType<typeof lockFile>
  try {
    attempt = lockFile(path)
  } catch (error) {
    throw failedError(path, 'locked', error)
  }
  if (attempt.lock !== undefined) return attempt.lock
  const { pid, host } = attempt.holder ?? {}
  const message = attempt.isOwn
    ? `this process (${pid}) has it: share one store, or close the first one.`
    : `${pid === undefined ? 'another process' : `process ${pid} of ${host}`} has it. Use one thread of one process for each file.`
  throw new FileStoreError(`${path}: ${message}`, { code: 'store_in_use', path, pid })
}

function failedError(path: string, what: 'read' | 'written' | 'locked', cause: unknown): FileStoreError {
  const { message } = cause as Error
  return new FileStoreError(`${path}: it cannot be ${what}: ${message}.`, { code: 'store_failed', path, cause })
}

const FORMAT = 'etn-market file store 1'

/** One entry a line, so that a person can read it. */
function formatEntries(entries: ReadonlyMap<string, Entry>): string {
  const lines = [...entries].map(([key, entry]) => `${JSON.stringify(key)}:${JSON.stringify(entry)}`)
  return `{"format":"${FORMAT}","entries":{\n${lines.join(',\n')}\n}}\n`
}

/** What is no whole file of a store is an error: with no entries, what was spent would be forgotten. @throws FileStoreError */
export function readEntries(path: string): Map<string, Entry> {
  let text: string
  try {
    // As bigints: the numbers of a pipe keep `realpathSync` of Node 20 from following links.
    if (statSync(path, { bigint: true, throwIfNoEntry: false })?.isFile() === false)
      throw new Error('it is no regular file')
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Map()
    throw failedError(path, 'read', error)
  }
  const { format, entries } = Object(parseJson(text))
  const list = Object.entries<Entry>(Object(entries))
  if (format === FORMAT && entries && list.every(isEntry)) return new Map(list)
  const advice = 'Restore it from a backup, or move it away to begin without what it counted.'
  const message = `${path}: it is damaged, or no file of a store. It was left as it is. ${advice}`
  throw new FileStoreError(message, { code: 'store_unreadable', path })
}

function isEntry([, entry]: [string, unknown]): boolean {
  const { value, expires } = Object(entry)
  return typeof value === 'string' && (expires === undefined || typeof expires === 'number')
}
