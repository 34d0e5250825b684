import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Readable, Writable } from 'node:stream'
import { statOpenFile } from './files.ts'

/** A stream that the program prints on, a terminal or not. */
export type Output = Writable & {
  readonly isTTY?: boolean
  readonly columns?: number
  readonly rows?: number
  /** What was printed since a write failed, with what failed. */
  unwritten?(): string
}

/** A stream that the program reads. */
export type Input = Readable & { readonly isTTY?: boolean }

/** What the program uses of the process that it runs in: `process`, or what a test gives it instead. */
export interface HostProcess {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdin: Input
  readonly stdout: Output
  readonly stderr: Output
  /** Set by a command that has ended. */
  exitCode?: number | string | null | undefined
  /** The folder that relative paths start at. */
  cwd(): string
  exit(code: number): void
  on(signal: 'SIGINT' | 'SIGTERM', listener: () => void): unknown
  once(signal: 'SIGINT' | 'SIGTERM', listener: () => void): unknown
  off(signal: 'SIGINT' | 'SIGTERM', listener: () => void): unknown
}

/** A file that the user named. */
export interface NamedFile {
  /** As it was written, for messages. */
  readonly name: string
  /** Absolute. */
  readonly path: string
}

export function nameFile(host: Pick<HostProcess, 'cwd'>, name: string): NamedFile {
  return { name, path: resolve(host.cwd(), name) }
}

/**
 * Standard output that leads to a file. The stream of Node takes a part that a full disk wrote for the whole, without an error. What is
 * printed after a failure, and with it, is kept.
 */
export function createFileOutput(descriptor: number): Output {
  const unwritten: string[] = []
  const output = new Writable({
    decodeStrings: false,
    write(chunk: string | Uint8Array, _, done) {
      const text = String(chunk)
      if (unwritten.length > 0) unwritten.push(text)
      else {
        try {
          // Unlike `writeSync`, it goes on where the system takes a part only.
          writeFileSync(descriptor, text)
        } catch (error) {
          unwritten.push(text)
          process.nextTick(() => output.emit('error', error))
        }
      }
      done()
    },
  })
  return Object.assign(output, { unwritten: () => unwritten.join('') })
}

/** The process, with a standard output that reports what it cannot write. */
export function createHost(): HostProcess {
  const { env, stdin, stderr } = process
  return {
    env,
    stdin,
    stdout: leadsToFile(process.stdout) ? createFileOutput(process.stdout.fd) : process.stdout,
    stderr,
    get exitCode() {
      return process.exitCode
    },
    set exitCode(code) {
      process.exitCode = code
    },
    cwd: () => process.cwd(),
    exit: (code) => process.exit(code),
    on: (signal, listener) => process.on(signal, listener),
    once: (signal, listener) => process.once(signal, listener),
    off: (signal, listener) => process.off(signal, listener),
  }
}

/** A device such as `/dev/full` is written as a file is. */
function leadsToFile({ isTTY, fd }: NodeJS.WriteStream & { fd: number }): boolean {
  if (isTTY) return false
  const found = statOpenFile(fd)
  return found.isFile() || found.isCharacterDevice()
}
