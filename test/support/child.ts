import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { within } from './wait.ts'

/** How a process has ended. */
export interface Ended {
  /** `null` after a signal. */
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A process whose output is collected. */
export interface Child {
  readonly process: ChildProcess
  /** Everything printed so far, on both streams in the order in which it arrived. */
  printed(): string
  /** Waits until it has printed what matches. Rejects with what it printed if it ends before or takes too long. */
  prints(pattern: RegExp, limitMs?: number): Promise<RegExpExecArray>
  /** Waits for its end; the error of one that takes too long has what it printed. */
  ended(limitMs?: number): Promise<Ended>
}

export interface RunOptions extends SpawnOptions {
  /** Written to its standard input. */
  readonly input?: string
  /** @default 30_000 */
  readonly limitMs?: number
}

/** Runs a program until it ends. One that takes too long is killed, and the error has what it printed. */
export async function run(file: string, args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  const { input, limitMs, ...spawnOptions } = options
  const child = follow(spawn(file, args, spawnOptions))
  // A program may end before it has read all of its input.
  child.process.stdin?.on('error', () => {}).end(input)
  try {
    return await child.ended(limitMs)
  } finally {
    child.process.kill('SIGKILL')
  }
}

/** Collects what a process prints. */
export function follow(process: ChildProcess): Child {
  let [stdout, stderr, both] = ['', '', '']
  process.stdout?.setEncoding('utf8').on('data', (text) => {
    stdout += text
    both += text
  })
  process.stderr?.setEncoding('utf8').on('data', (text) => {
    stderr += text
    both += text
  })
  const closed = new Promise<Ended>((resolve, reject) => {
    process.once('error', reject)
    process.once('close', (code) => resolve({ code, stdout, stderr }))
  })
  // The caller that waits gets the failure.
  closed.catch(() => {})
  const command = process.spawnargs.join(' ')
  const options = (limitMs?: number) => ({ state: () => both, ...(limitMs && { limitMs }) })
  const ended = (limitMs?: number) => within(`the end of \`${command}\``, closed, options(limitMs))
  const prints = (pattern: RegExp, limitMs?: number) => {
    const found = new Promise<RegExpExecArray>((resolve, reject) => {
      const look = () => {
        const match = pattern.exec(both)
        if (match) resolve(match)
      }
      for (const stream of [process.stdout, process.stderr]) stream?.on('data', look)
      closed.then(({ code }) => reject(new Error(`\`${command}\` ended with ${code}: ${both}`)), reject)
      look()
    })
    return within(`${pattern} of \`${command}\``, found, options(limitMs))
  }
  return { process, printed: () => both, prints, ended }
}
