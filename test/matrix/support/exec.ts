import { spawn } from 'node:child_process'

export interface ExecResult {
  code: number | null
  stdout: string
  stderr: string
  /** From the last output on stdout to the exit of the process, without the time in which this process had no turn, either. */
  exitMs: number
}

/**
 * The environment without the variables that change the client, Node or React. Vite sets NODE_ENV for the process that it builds in, while
 * other checks start programs from there.
 */
export const cleanEnv = (): NodeJS.ProcessEnv => {
  const {
    ETN_MARKET_API_KEY: _key,
    ETN_MARKET_BASE_URL: _url,
    NODE_OPTIONS: _options,
    NODE_ENV: _mode,
    ...env
  } = process.env
  return { ...env, NO_COLOR: '1' }
}

const TICK_MS = 50

/** Runs a program until it exits, and kills it after `limitMs`. */
export function exec(
  command: string,
  args: readonly string[],
  { cwd, env = {}, limitMs = 120_000 }: { cwd?: string; env?: Record<string, string>; limitMs?: number } = {},
): Promise<ExecResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env: { ...cleanEnv(), ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
    let [stdout, stderr, lastOutputAt, ticks] = ['', '', Date.now(), 0]
    child.stdout.on('data', (chunk) => {
      stdout += chunk
      lastOutputAt = Date.now()
      ticks = 0
    })
    const ticking = setInterval(() => ticks++, TICK_MS)
    child.stderr.on('data', (chunk) => {
      stderr += chunk
    })
    const timer = setTimeout(() => {
      stderr += `\n(killed after ${limitMs} ms)`
      child.kill('SIGKILL')
    }, limitMs)
    child.once('error', (error) => {
      clearInterval(ticking)
      reject(error)
    })
    child.once('close', (code) => {
      clearTimeout(timer)
      clearInterval(ticking)
      resolve({ code, stdout, stderr, exitMs: Math.min(Date.now() - lastOutputAt, (ticks + 1) * TICK_MS) })
    })
  })
}

/** Runs a program and returns its output. Throws if it fails. */
export async function execOrThrow(command: string, args: readonly string[], options?: Parameters<typeof exec>[2]) {
  const { code, stdout, stderr } = await exec(command, args, options)
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} exited with ${code}:\n${tail(stdout + stderr)}`)
  return stdout
}

/** The last lines of a long text. */
export function tail(text: string, lines = 15): string {
  return text.trim().split('\n').slice(-lines).join('\n')
}
