import { fstatSync, writeSync } from 'node:fs'
import { type Readable, Writable } from 'node:stream'

export type Output = Writable & {
  readonly isTTY?: boolean
  readonly columns?: number
  readonly rows?: number
  /** What was printed since a write failed, with what failed. */
  unwritten?(): string
}

type Listen = (signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'SIGTSTP' | 'SIGCONT', listener: () => void) => unknown

/** What the program uses of the process that it runs in: `process`, or what a test gives it instead. */
export interface HostProcess {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdin: Readable & { readonly isTTY?: boolean }
  readonly stdout: Output
  readonly stderr: Output
  /** Set by a command that has ended; a server keeps the process alive. */
  exitCode?: number
  cwd(): string
  exit(code: number): void
  /** Stops the process until it is told to go on, as Ctrl-Z does. */
  suspend?(): void
  /** How long what is in flight may take after SIGTERM or SIGHUP, milliseconds. @default 7_000 */
  readonly graceMs?: number
  readonly on: Listen
  readonly once: Listen
  readonly off: Listen
}

/**
 * Standard output that leads to a file. The stream of Node takes a part that a full disk wrote for the whole, without an error. What could not
 * be printed is kept, and printed first when there is room again.
 */
function createFileOutput(descriptor: number): Output {
  /** What it did not take: the texts from the one that failed on, and what is left of them. */
  let unwritten: string[] = []
  let rest: Buffer = Buffer.alloc(0)
  const output = new Writable({
    decodeStrings: true,
    write(chunk: Buffer, _, done) {
      if (rest.length < MAX_UNWRITTEN_BYTES) {
        unwritten.push(chunk.toString())
        rest = Buffer.concat([rest, chunk])
      }
      try {
        while (rest.length > 0) rest = rest.subarray(writeSync(descriptor, rest))
        unwritten = []
      } catch (error) {
        if (unwritten.length === 1) process.nextTick(() => output.emit('error', error))
      }
      done()
    },
  })
  return Object.assign(output, { unwritten: () => unwritten.join('') })
}

/** What is printed beyond that is lost: a program that runs for weeks would keep too much. */
const MAX_UNWRITTEN_BYTES = 2 ** 24

/** The process, with a standard output that reports what it cannot write. */
export function createHost(): HostProcess {
  const { env, stdin, stderr } = process
  return {
    env,
    stdin,
    stdout: leadsToFile(process.stdout) ? createFileOutput(process.stdout.fd) : process.stdout,
    stderr,
    cwd: () => process.cwd(),
    exit: (code) => process.exit(code),
    ...(process.platform !== 'win32' && { suspend: () => void process.kill(process.pid, 'SIGSTOP') }),
    on: process.on.bind(process),
    once: process.once.bind(process),
    off: process.off.bind(process),
  }
}

/** A device such as `/dev/full` is written as a file is. */
function leadsToFile({ isTTY, fd }: NodeJS.WriteStream & { fd: number }): boolean {
  if (isTTY) return false
  const found = fstatSync(fd, { bigint: true })
  return found.isFile() || found.isCharacterDevice()
}
