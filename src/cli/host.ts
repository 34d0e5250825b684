import { resolve } from 'node:path'
import type { Readable, Writable } from 'node:stream'

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
