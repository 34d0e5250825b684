import { spawn } from 'node:child_process'

export interface Ended {
  code: number | null
  stdout: string
  stderr: string
  /** From the last text on stdout to the end of the process. */
  exitMs: number
}

/** The environment of a user who has set nothing. */
export const plainEnv = (): NodeJS.ProcessEnv => {
  const { ETN_MARKET_API_KEY: _key, ETN_MARKET_BASE_URL: _url, NODE_OPTIONS: _options, ...env } = process.env
  return { ...env, NO_COLOR: '1' }
}

/** Runs a program to its end, or ends it when it does not end by itself. */
export function execute(
  command: string,
  args: readonly string[],
  { cwd, env = {}, limitMs = 120_000 }: { cwd?: string; env?: Record<string, string>; limitMs?: number } = {},
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env: { ...plainEnv(), ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
    let [stdout, stderr, spokeAt] = ['', '', Date.now()]
    child.stdout.on('data', (chunk) => {
      stdout += chunk
      spokeAt = Date.now()
    })
    child.stderr.on('data', (chunk) => {
      stderr += chunk
    })
    const timer = setTimeout(() => {
      stderr += `\n(did not end by itself within ${limitMs} ms)`
      child.kill('SIGKILL')
    }, limitMs)
    child.once('error', reject)
    child.once('close', (code) => {
      clearTimeout(timer)
      resolve({ code, stdout, stderr, exitMs: Date.now() - spokeAt })
    })
  })
}

/** Runs a program that has to succeed, and returns what it prints. */
export async function must(command: string, args: readonly string[], options?: Parameters<typeof execute>[2]) {
  const { code, stdout, stderr } = await execute(command, args, options)
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}:\n${tail(stdout + stderr)}`)
  return stdout
}

/** The last lines of a long text. */
export function tail(text: string, lines = 15): string {
  return text.trim().split('\n').slice(-lines).join('\n')
}
