import { type ChildProcess, spawn } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { createFakeService, type FakeService, type FakeServiceOptions, fakeTokens } from 'etn-market/fake'
import { onTestFinished } from 'vitest'
import type { HostProcess } from '../../src/cli/host.ts'
import { run as runProgram } from '../../src/cli/program.ts'
import { type Ended, follow } from '../support/child.ts'
import { within } from '../support/wait.ts'

/** The built program. */
export const PROGRAM = fileURLToPath(new URL('../../dist/cli.js', import.meta.url))
/** What a user types as a key. */
export const KEY = 'esk_live_7Fq9XcT2mWbR4sKd'

export interface RunOptions {
  readonly input?: string
  readonly env?: Readonly<Record<string, string>>
  /** The width of the terminal that it prints on; without one, it prints on none. */
  readonly columns?: number
}

export interface ProcessOptions extends Omit<RunOptions, 'columns'> {
  readonly program?: string
  /** A program that runs it, and is given its path and arguments. */
  readonly shell?: readonly [string, ...string[]]
  /** Called when the process runs, with what it has printed. */
  onStart?(child: ChildProcess, printed: () => string): void | Promise<void>
}

/** A fake that listens, a folder to work in, and the program in it. */
export interface Scene {
  readonly fake: FakeService
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
  /** Runs the program to its end, within the process of the test. */
  run(args: readonly string[], options?: RunOptions): Promise<Ended>
  /** Runs it with `--json`, and parses what it prints. */
  json(args: readonly string[], options?: RunOptions): Promise<{ code: number | null; data: unknown }>
  /** Runs the built program to its end, in a process of its own. */
  runProcess(args: readonly string[], options?: ProcessOptions): Promise<Ended>
  /** Writes a file in the folder, and returns its path. */
  write(name: string, text: string): string
}

export async function createScene(options: FakeServiceOptions = {}): Promise<Scene> {
  const fake = createFakeService({ keys: { [KEY]: 10_000_000 }, ...options })
  const folder = mkdtempSync(join(tmpdir(), 'etn-market-program-'))
  onTestFinished(async () => {
    await fake.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const { url } = await fake.listen()
  const { PATH = '' } = process.env
  const own = { ETN_MARKET_API_KEY: KEY, ETN_MARKET_BASE_URL: url, HOME: folder, XDG_CACHE_HOME: join(folder, 'cache') }
  const env = { PATH, TZ: 'UTC', ...own }

  const run: Scene['run'] = async (args, { env: changed, ...options } = {}) => {
    const host = createHost({ folder, env: { ...env, ...changed }, ...options })
    const code = await within(`etn-market ${args.join(' ')}`, runProgram(args, host), { state: host.printed })
    return { code: code ?? null, ...host.printed() }
  }
  return {
    fake,
    folder,
    env,
    run,
    async json(args, runOptions) {
      const { code, stdout } = await run([...args, '--json'], runOptions)
      return { code, data: JSON.parse(stdout) as unknown }
    },
    async runProcess(args, { input = '', env: changed, program = PROGRAM, shell, onStart } = {}) {
      const [file, ...rest] = [...(shell ?? []), process.execPath, program, ...args] as [string, ...string[]]
      const child = spawn(file, rest, { cwd: folder, env: { ...env, ...changed } })
      onTestFinished(() => void child.kill('SIGKILL'))
      const followed = follow(child)
      child.stdin.on('error', () => {}).end(input)
      const [ended] = await Promise.all([followed.ended(), onStart?.(child, followed.printed)])
      return ended
    },
    write(name, text) {
      const path = join(folder, name)
      writeFileSync(path, text)
      return path
    },
  }
}

/** Tokens with a price, candles and locks: the order of the list changes with time. */
export function listKnownTokens(fake: FakeService): void {
  const { BOLT, CORE } = fakeTokens
  fake.stub('token.list', () =>
    [BOLT, CORE].map((address) => ({ address, name: 'N', symbol: 'S', decimals: 18, totalSupply: 5 })),
  )
}

/** A process that is none: what the program prints is collected, and `emit` sends it a signal. */
export interface TestHost extends HostProcess {
  printed(): { stdout: string; stderr: string }
  /** Waits until the program exits of its own accord. */
  exited(): Promise<number>
  emit(signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP'): boolean
}

interface HostOptions extends RunOptions {
  readonly folder: string
}

export function createHost({ folder, input = '', env = {}, columns }: HostOptions): TestHost {
  const printed = { stdout: '', stderr: '' }
  const collect = (name: keyof typeof printed) => {
    const stream = new Writable({
      decodeStrings: false,
      write(text: string, _, done) {
        printed[name] += text
        done()
      },
    })
    return Object.assign(stream, columns !== undefined && { isTTY: true, columns })
  }
  let exit: (code: number) => void = () => {}
  const exited = new Promise<number>((resolve) => {
    exit = resolve
  })
  return Object.assign(new EventEmitter(), {
    env,
    stdin: Readable.from(input === '' ? [] : [input]),
    stdout: collect('stdout'),
    stderr: collect('stderr'),
    cwd: () => folder,
    exit,
    exited: () => within('the exit', exited, { state: () => printed }),
    printed: () => ({ ...printed }),
  })
}
