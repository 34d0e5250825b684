import { randomUUID } from 'node:crypto'
import { accessSync, constants, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
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
/** How long, and how often, it waits for another process that writes its lock, or takes one over. */
const PAUSE_MS = 5
const MAX_TRIES = 100

/**
 * Locks a file by a file beside it, whatever name leads to it. The lock of a process that has ended is taken over.
 * @throws the error of the system if the lock cannot be written
 */
export function lockFile(path: string): LockAttempt {
  return acquire(`${resolveFile(path)}.lock`)
}

/**
 * Locks a file that is only appended to. It stays the same file behind each of its hard links, so that these share a lock; one that is
 * replaced would become another file.
 * @throws the error of the system if the lock cannot be written
 */
export function lockAppendedFile(path: string): LockAttempt {
  const target = resolveFile(path)
  const { nlink, dev, ino } = statSync(target, { bigint: true })
  const hasOneName = ino === 0n || (nlink === 1n && isWritable(dirname(target)))
  return acquire(hasOneName ? `${target}.lock` : join(tmpdir(), `etn-market-${dev}-${ino}.lock`))
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}

function acquire(file: string): LockAttempt {
  const own = JSON.stringify({ ...identifyProcess(), id: randomUUID() })
  let tries = 0
  for (;;) {
    if (create(file, own)) return { lock: createLock(file, own) }
    const found = read(file)
    // It was released meanwhile.
    if (found === undefined) continue
    const holder = parse(found)
    const isWriting = holder === undefined && isYoung(file)
    if (isWriting && tries++ < MAX_TRIES) {
      pause()
      continue
    }
    if (isWriting || (holder !== undefined && mayRun(holder))) return { holder, lockFile: file }
    // Two processes may find the same dead holder. The one with the lock of the lock removes it; what the other one then finds is alive.
    const takeover = acquire(`${file}.lock`)
    if (takeover.lock !== undefined) {
      if (read(file) === found) rmSync(file, { force: true })
      takeover.lock.release()
    } else if (tries++ < MAX_TRIES) pause()
    else return takeover
  }
}

/** To write a lock, or to take one over, takes another process less than a millisecond. */
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
