import { randomUUID } from 'node:crypto'
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { identifyProcess, mayRun, type ProcessIdentity } from './process-identity.ts'
import { resolveFile } from './resolve-file.ts'

/** A lock of a file, which one process has at a time. */
export interface FileLock {
  /** Whether it is still there: somebody may have deleted its file. */
  isHeld(): boolean
  release(): void
}

/** The lock, or who has it. */
export type LockAttempt =
  | { readonly lock: FileLock }
  | {
      readonly lock?: undefined
      /** The process that has it; undefined if that is not known yet. */
      readonly holder: ProcessIdentity | undefined
      /** The file of the lock. */
      readonly lockFile: string
    }

/** A lock file that says nothing is being written, or was left by a crash between two steps; milliseconds. */
const WRITING_MS = 5_000
/** How long, and how often, it waits for another process that takes the lock over. */
const PAUSE_MS = 5
const MAX_TRIES = 100

/**
 * Locks a file by a file beside it, whatever name leads to it. The lock of a process that has ended is taken over.
 * @throws the error of the system if the lock cannot be written
 */
export function lockFile(path: string): LockAttempt {
  return lockBeside(resolveFile(path))
}

function lockBeside(path: string): LockAttempt {
  const file = `${path}.lock`
  const own = JSON.stringify({ ...identifyProcess(), id: randomUUID() })
  let tries = 0
  for (;;) {
    if (create(file, own)) return { lock: createLock(file, own) }
    const found = read(file)
    // It was released meanwhile.
    if (found === undefined) continue
    const holder = parse(found)
    if (holder === undefined ? isYoung(file) : mayRun(holder)) return { holder, lockFile: file }
    // Two processes may find the same dead holder. The one with the lock of the lock removes it; what the other one then finds is alive.
    const takeover = lockBeside(file)
    if (takeover.lock !== undefined) {
      if (read(file) === found) rmSync(file, { force: true })
      takeover.lock.release()
    } else if (tries++ < MAX_TRIES) pause()
    else return takeover
  }
}

/** To take a lock over takes another process less than a millisecond. */
function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS)
}

function createLock(file: string, own: string): FileLock {
  const isHeld = () => read(file) === own
  return {
    isHeld,
    release() {
      if (isHeld()) rmSync(file, { force: true })
    },
  }
}

/** Returns false if the file is there already. */
function create(file: string, text: string): boolean {
  try {
    writeFileSync(file, text, { flag: 'wx' })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function parse(text: string): ProcessIdentity | undefined {
  try {
    const { pid, host, started } = JSON.parse(text)
    return Number.isSafeInteger(pid) && typeof host === 'string' ? { pid, host, started } : undefined
  } catch {
    return undefined
  }
}

function isYoung(file: string): boolean {
  const { mtimeMs } = statSync(file, { throwIfNoEntry: false }) ?? { mtimeMs: 0 }
  return Math.abs(Date.now() - mtimeMs) < WRITING_MS
}
