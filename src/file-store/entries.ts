import { readFileSync, statSync } from 'node:fs'
import { FileStoreError } from './file-store-error.ts'

/** A text, and when it ends: unix milliseconds, undefined for never. */
export interface Entry {
  readonly value: string
  readonly expires?: number | undefined
}

const FORMAT = 'etn-market file store 1'

/**
 * The entries of a file; none where there is no file. Anything that is no whole file of a store is an error: with no entries, what was
 * spent would be forgotten.
 * @throws FileStoreError
 */
export function readEntries(path: string): Map<string, Entry> {
  const text = readText(path)
  if (text === undefined) return new Map()
  const entries = parseEntries(text)
  if (entries !== undefined) return entries
  throw new FileStoreError(
    `${path}: it is damaged, or no file of a store. It was left as it is. Restore it from a backup, or move it away to begin without what it counted.`,
    { code: 'store_unreadable', path },
  )
}

/** One entry a line, so that a person can read it. */
export function formatEntries(entries: ReadonlyMap<string, Entry>): string {
  const lines = [...entries].map(([key, entry]) => `${JSON.stringify(key)}:${JSON.stringify(entry)}`)
  return `{"format":"${FORMAT}","entries":{\n${lines.join(',\n')}\n}}\n`
}

function readText(path: string): string | undefined {
  try {
    // As bigints: the numbers of a pipe keep `realpathSync` of Node 20 from following links.
    if (statSync(path, { bigint: true, throwIfNoEntry: false })?.isFile() === false)
      throw new Error('it is no regular file')
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw failedError(path, 'read', error)
  }
}

/** The error of a file that the system did not let us read, write or lock. */
export function failedError(path: string, what: 'read' | 'written' | 'locked', cause: unknown): FileStoreError {
  const { message } = cause as Error
  return new FileStoreError(`${path}: it cannot be ${what}: ${message}.`, { code: 'store_failed', path, cause })
}

function parseEntries(text: string): Map<string, Entry> | undefined {
  try {
    const { format, entries } = JSON.parse(text)
    const list = Object.entries(entries as Record<string, Entry>)
    return format === FORMAT && list.every(([, entry]) => isEntry(entry)) ? new Map(list) : undefined
  } catch {
    return undefined
  }
}

function isEntry({ value, expires }: Entry): boolean {
  return typeof value === 'string' && (expires === undefined || typeof expires === 'number')
}
