import { invalidOption } from '../errors/input.ts'
import { ASYNC_DISPOSE } from '../utils/runtime.ts'
import { type Entry, failedError, formatEntries, readEntries } from './entries.ts'
import { type FileLock, lockFile } from './file-lock.ts'
import { FileStoreError } from './file-store-error.ts'
import { replaceFile } from './replace-file.ts'

/** A store of texts in a file: for the `store` of a budget, a feed, a sweep or a cache, or several of them. */
export interface FileStore extends AsyncDisposable {
  /** The text under the key; undefined if there is none, or if its time is over. */
  get(key: string): string | undefined
  /**
   * Resolves when the text is on the disk. `ttl` is in milliseconds.
   * @throws FileStoreError if it cannot be written; the store is then as before.
   */
  set(key: string, value: string, ttl?: number): Promise<void>
  /** Resolves with whether there was such a text, when it is gone from the disk. */
  delete(key: string): Promise<boolean>
  /** Writes what is under way, and lets another process have the file. Later calls reject with `store_closed`. */
  close(): Promise<void>
}

/**
 * Opens a store of texts in one JSON file, or makes one. It is for the state of one process, up to a few hundred kilobytes: each change
 * writes the whole file. Changes that are made while the file is being written are written together.
 * - A crash at any moment leaves a file with every change that was resolved.
 * - One process at a time has the file, by a lock beside it (`<path>.lock`) with a heartbeat. The lock of a process that was killed is taken
 *   over: that of another machine or container after 5 seconds, for which this call blocks.
 * - A symbolic link stays one.
 * @param path of the file. Its folder must exist.
 * @throws FileStoreError with the code `store_in_use`, `store_unreadable` or `store_failed`
 * @example
 * await using store = createFileStore('bot-state.json')
 * const client = createClient({ budget: { credits: 20_000, windowMs: 86_400_000, store } })
 */
export function createFileStore(path: string): FileStore {
  const lock = acquire(path)
  let entries: ReadonlyMap<string, Entry>
  try {
    entries = readEntries(path)
  } catch (error) {
    lock.release()
    throw error
  }
  /** What the running write, and the next one, change; undefined for a deleted entry. */
  let writing: Changes = new Map()
  let changes: Changes = new Map()
  let running: Promise<unknown> = Promise.resolve()
  let queued: Promise<void> | undefined
  let closing: Promise<void> | undefined

  function find(key: string): Entry | undefined {
    const newest = [changes, writing].find((changed) => changed.has(key)) ?? entries
    const entry = newest.get(key)
    return entry && isAlive(entry) ? entry : undefined
  }

  function requireOpen(): void {
    if (closing !== undefined) throw new FileStoreError(`${path}: the store is closed.`, { code: 'store_closed', path })
  }

  function change(key: string, entry: Entry | undefined): Promise<void> {
    changes.set(key, entry)
    queued ??= running.then(() => {
      const written = write()
      running = written.catch(() => {})
      return written
    })
    return queued
  }

  async function write(): Promise<void> {
    queued = undefined
    writing = changes
    changes = new Map()
    const next = new Map([...new Map([...entries, ...writing])].filter(isKept))
    try {
      // Another process would be overwritten.
      if (!lock.isHeld()) throw new Error('its lock was taken away')
      await replaceFile(path, formatEntries(next))
      entries = next
    } catch (error) {
      throw failedError(path, 'written', error)
    } finally {
      writing = new Map()
    }
  }

  async function close(): Promise<void> {
    // The call that made a change rejects with its error.
    await queued?.catch(() => {})
    await running
    lock.release()
  }

  const store: FileStore = {
    get(key) {
      requireOpen()
      return find(key)?.value
    },
    async set(key, value, ttl) {
      requireOpen()
      // Another value would make the file unreadable.
      if (typeof value !== 'string') throw invalidOption('value', value, 'a text')
      await change(key, { value, ...(Number.isFinite(ttl) && { expires: Date.now() + Number(ttl) }) })
    },
    async delete(key) {
      requireOpen()
      if (find(key) === undefined) return false
      await change(key, undefined)
      return true
    },
    close: () => {
      closing ??= close()
      return closing
    },
    [ASYNC_DISPOSE]: () => store.close(),
  }
  return store
}

type Changes = Map<string, Entry | undefined>

const isAlive = ({ expires }: Entry) => expires === undefined || expires > Date.now()
const isKept = (change: [string, Entry | undefined]): change is [string, Entry] =>
  change[1] !== undefined && isAlive(change[1])

function acquire(path: string): FileLock {
  const attempt = lockOrFail(path)
  if (attempt.lock !== undefined) return attempt.lock
  const { pid, host } = attempt.holder ?? {}
  const message = attempt.isOwn
    ? `this process (${pid}) has it: share one store, or close the first one.`
    : `${pid === undefined ? 'another process' : `process ${pid} of ${host}`} has it. Use one process for each file.`
  throw new FileStoreError(`${path}: ${message}`, { code: 'store_in_use', path, pid })
}

function lockOrFail(path: string): ReturnType<typeof lockFile> {
  try {
    return lockFile(path)
  } catch (error) {
    throw failedError(path, 'locked', error)
  }
}
