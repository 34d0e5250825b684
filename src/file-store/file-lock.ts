import { randomUUID } from 'node:crypto'
import {
  closeSync,
  fstatSync,
  futimesSync,
  openSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { threadId } from 'node:worker_threads'
import { parseJson } from '../utils/json-data.ts'
import { tryTo } from '../utils/runtime.ts'
import { isWritable, resolveFile, withFile } from './replace-file.ts'

export interface FileLock {
  /** Whether it is still there: somebody may have deleted its file, or taken it over while this process was stopped. */
  isHeld(): boolean
  release(): void
}

interface LockHolder {
  readonly pid: number
  /** Its thread: 0 is the first one, with which a process ends. */
  readonly thread: number
  readonly host: string
  /** Where its number means something: the boot of a system, and a container of it. Empty where that is not known. */
  readonly system: string
  /** When it was started, as the system counts; empty where that cannot be read. */
  readonly started: string
}

/** The lock, or who has it, where that is known, and whether that is this thread of this process. */
type LockAttempt =
  | { readonly lock: FileLock }
  | { readonly lock?: undefined; readonly holder: LockHolder | undefined; readonly isOwn: boolean }

/** How often the holder of a lock shows that it lives, and after how long without that the lock is taken over. */
const TIMES = { heartbeatMs: 1_000, silenceMs: 5_000 }
const POLL_MS = 20

/**
 * Locks a file by a file beside it, whatever name leads to it. The lock of a process or a thread that has ended is taken over: at once where the
 * number of that process can be looked up, else after `silenceMs` without a heartbeat, for which it blocks.
 * @throws the error of the system if the lock cannot be written
 */
export function lockFile(path: string, times = TIMES): LockAttempt {
  return acquire(`${resolveFile(path)}.lock`, times)
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
  return acquire(hasOneName ? `${target}.lock` : join(tmpdir(), `etn-market-${dev}-${ino}.lock`), TIMES)
}

function acquire(file: string, times: typeof TIMES): LockAttempt {
  const own = JSON.stringify({ ...identify(), id: randomUUID() })
  for (;;) {
    const lock = create(file, own, times)
    if (lock !== undefined) return { lock }
    const found = read(file)
    // It was released meanwhile.
    if (found === undefined) continue
    const holder = parse(found.text)
    const isNear = holder !== undefined && isOfThisSystem(holder)
    const state = (isNear ? lookUp(holder) : undefined) ?? listen(file, found, times.silenceMs)
    if (state === 'alive') return { holder, isOwn: isNear && isThisThread(holder) }
    if (state === 'changed') continue
    // Two processes may find the same dead holder. The one with the lock of the lock removes it; what the other one then finds is alive.
    const takeover = acquire(`${file}.lock`, times)
    if (takeover.lock === undefined) pause()
    else {
      if (read(file)?.text === found.text) rmSync(file, { force: true })
      takeover.lock.release()
    }
  }
}

/** Undefined if the file is there already. */
function create(file: string, own: string, { heartbeatMs }: typeof TIMES): FileLock | undefined {
  let descriptor: number
  try {
    descriptor = openSync(file, 'wx')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined
    throw error
  }
  try {
    writeFileSync(descriptor, own)
  } catch (error) {
    closeSync(descriptor)
    rmSync(file, { force: true })
    throw error
  }
  const isHeld = () => read(file)?.text === own
  const timer = setInterval(() => {
    const seconds = Date.now() / 1_000
    // The open file, not its name: what another process has put there is not touched. It takes no room on a full disk. Where it fails, the next one
    // may succeed: before it writes, a holder looks whether it still has the lock.
    tryTo(() => futimesSync(descriptor, seconds, seconds))
  }, heartbeatMs)
  timer.unref()
  return {
    isHeld,
    release() {
      clearInterval(timer)
      closeSync(descriptor)
      if (isHeld()) rmSync(file, { force: true })
    },
  }
}

/**
 * A container that is started again gives the same numbers to new processes, which began later. Undefined where the process runs and its thread may
 * have ended.
 */
function lookUp(holder: LockHolder): 'alive' | 'dead' | undefined {
  const { pid, thread, started } = holder
  const found = startOf(pid)
  if ((found !== '' && found !== started) || !isRunning(pid)) return 'dead'
  return thread === 0 || isThisThread(holder) ? 'alive' : undefined
}

const isThisThread = ({ pid, thread }: LockHolder): boolean => pid === process.pid && thread === threadId

export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // A process of another user runs, too.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Waits for a heartbeat. No two clocks are compared: that the time of the file changes is enough, whatever it says. */
function listen(file: string, found: LockText, silenceMs: number): 'alive' | 'dead' | 'changed' {
  for (const begun = performance.now(); performance.now() - begun < silenceMs; pause()) {
    const now = read(file)
    if (now?.text !== found.text) return 'changed'
    if (now.changed !== found.changed) return 'alive'
  }
  return 'dead'
}

export function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, POLL_MS)
}

type LockText = NonNullable<ReturnType<typeof read>>

/** Opened anew each time: a file on a network shows what is new when it is opened. */
function read(file: string) {
  try {
    return withFile(file, 'r', (descriptor) => {
      const { mtimeNs } = fstatSync(descriptor, { bigint: true })
      return { text: readFileSync(descriptor, 'utf8'), changed: mtimeNs }
    })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function parse(text: string): LockHolder | undefined {
  const { pid, thread, host, system, started } = Object(parseJson(text))
  return Number.isSafeInteger(pid) && typeof host === 'string' ? { pid, thread, host, system, started } : undefined
}

const isOfThisSystem = ({ system, started }: LockHolder): boolean =>
  typeof started === 'string' && system !== '' && system === identify().system

/** Two containers may have one host name and the same numbers. Linux tells them apart; elsewhere a host has one set of numbers. */
function identify(): LockHolder {
  const { pid } = process
  const own = { pid, thread: threadId, host: hostname(), started: startOf(pid) }
  const boot = tryTo(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim())
  const space = tryTo(() => readlinkSync('/proc/self/ns/pid'))
  return { ...own, system: boot && space ? `${boot} ${space}` : process.platform === 'linux' ? '' : own.host }
}

/** The moment since the boot at which a process began; empty if there is none. */
function startOf(pid: number): string {
  const stat = tryTo(() => readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? ''
  // The name of the program, in brackets, may have spaces. The moment is the 20th field after it.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
}
