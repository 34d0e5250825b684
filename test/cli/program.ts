import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createFakeService, type FakeService, type FakeServiceOptions } from 'etn-market/fake'
import { onTestFinished } from 'vitest'

/** The built program. */
export const PROGRAM = fileURLToPath(new URL('../../dist/cli.js', import.meta.url))
/** What a user types as a key. */
export const KEY = 'esk_live_7Fq9XcT2mWbR4sKd'

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly input?: string
  readonly env?: Readonly<Record<string, string>>
  readonly program?: string
  /** Called when the process runs. */
  onStart?(child: ChildProcess): void
  /** Called with everything on standard output and standard error so far. */
  onOutput?(text: string, child: ChildProcess): void
}

/** A fake that listens, a folder to work in, and the program in it. */
export interface Scene {
  readonly fake: FakeService
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
  /** Runs the program to its end. */
  run(args: readonly string[], options?: RunOptions): Promise<Ended>
  /** Runs it with `--json`, and parses what it prints. */
  json(args: readonly string[], options?: RunOptions): Promise<{ code: number | null; data: unknown }>
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

  const run: Scene['run'] = (args, { input = '', env: changed, program = PROGRAM, onStart, onOutput } = {}) =>
    new Promise((resolve) => {
      const child = spawn(process.execPath, [program, ...args], { cwd: folder, env: { ...env, ...changed } })
      const kill = () => void child.kill('SIGKILL')
      onTestFinished(kill)
      let [stdout, stderr] = ['', '']
      child.stdout.setEncoding('utf8').on('data', (text) => {
        stdout += text
        onOutput?.(stdout + stderr, child)
      })
      child.stderr.setEncoding('utf8').on('data', (text) => {
        stderr += text
        onOutput?.(stdout + stderr, child)
      })
      child.stdin.on('error', () => {}).end(input)
      child.once('close', (code) => resolve({ code, stdout, stderr }))
      onStart?.(child)
    })
  return {
    fake,
    folder,
    env,
    run,
    async json(args, runOptions) {
      const { code, stdout } = await run([...args, '--json'], runOptions)
      return { code, data: JSON.parse(stdout) as unknown }
    },
    write(name, text) {
      const path = join(folder, name)
      writeFileSync(path, text)
      return path
    },
  }
}
