import { spawn } from 'node:child_process'
import { cleanEnv, tail } from '../support/exec.ts'

const MAX_START_MS = 30_000
const MAX_EXIT_MS = 10_000

/** A server in a process of its own. */
export interface ServerProcess {
  readonly origin: string
  /** Closes its stdin, or sends a signal. @throws unless the process exits by itself, with nothing on stderr */
  close(): Promise<void>
}

export interface ServerCommand {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env?: Record<string, string>
  /** How the process is asked to end. */
  readonly end: 'stdin' | 'SIGTERM'
  /** What the runtime itself writes to stderr. @default nothing */
  readonly notice?: RegExp | undefined
}

/** Starts a server, and waits for its origin on stdout. */
export async function startServer({ command, args, cwd, env, end, notice }: ServerCommand): Promise<ServerProcess> {
  const child = spawn(command, args, { cwd, env: { ...cleanEnv(), ...env }, stdio: ['pipe', 'pipe', 'pipe'] })
  let stderr = ''
  let stdout = ''
  child.stderr.on('data', (part) => {
    stderr += part
  })
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve))
  const kill = () => child.kill('SIGKILL')
  const origin = await new Promise<string>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`did not start: ${tail(stdout + stderr)}`)), MAX_START_MS)
    const settle = () => clearTimeout(timer)
    child.once('error', reject)
    void exited.then((code) => reject(new Error(`exited with ${code}: ${tail(stdout + stderr)}`))).finally(settle)
    child.stdout.on('data', (part) => {
      stdout += part
      const found = /http:\/\/127\.0\.0\.1:\d+/.exec(stdout)?.[0]
      if (found === undefined) return
      settle()
      resolve(found)
    })
  }).catch((error: unknown) => {
    kill()
    throw error
  })
  return {
    origin,
    async close() {
      const timer = setTimeout(kill, MAX_EXIT_MS)
      if (end === 'stdin') child.stdin.end()
      else child.kill(end)
      const code = await exited
      clearTimeout(timer)
      if (notice) stderr = stderr.replace(notice, '')
      if (stderr.trim() !== '') throw new Error(`wrote to stderr: ${tail(stderr)}`)
      if (code !== 0 && end === 'stdin') throw new Error(`did not exit by itself, but with ${code}`)
    },
  }
}
