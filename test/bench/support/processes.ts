import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { cpSync, existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
export const BENCH = fileURLToPath(new URL('../', import.meta.url))
export const INSTALLED = join(BENCH, 'node_modules/etn-market')

export const CLIENT_CORE = '0'
export const SERVER_CORE = '1'

/** Whether client and server run on separate cores, so that neither takes CPU time from the other. */
export const isPinned = [CLIENT_CORE, SERVER_CORE].every(
  (core) => spawnSync('taskset', ['-c', core, 'true']).status === 0,
)

/** Copies the built package to where the clients import it from. A later build does not change a run. */
export function install(from = ROOT, target = INSTALLED): void {
  if (!existsSync(join(from, 'dist'))) throw new Error('dist is missing: npm run build.')
  if (!existsSync(join(BENCH, 'node_modules'))) throw new Error('node_modules is missing: npm ci --prefix test/bench.')
  rmSync(target, { recursive: true, force: true })
  for (const part of ['package.json', 'dist']) cpSync(join(from, part), join(target, part), { recursive: true })
}

/** A process of the bench that answers messages. */
export interface Worker {
  /** Resolves with its next message; rejects when it ends before. */
  next<Message>(): Promise<Message>
  send(message: object): void
  /** Ends it, if it still runs. */
  stop(): void
}

/** Runs a script of the bench with the built package, on one core if given. The script reads `job` from the environment. */
export function startWorker(script: string, job: object = {}, core?: string, flags: readonly string[] = []): Worker {
  const command = [process.execPath, '--expose-gc', ...flags, join(BENCH, script)]
  const [program = '', ...args] = core !== undefined && isPinned ? ['taskset', '-c', core, ...command] : command
  const child = spawn(program, args, {
    cwd: BENCH,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, JOB: JSON.stringify(job) },
  })
  const received: unknown[] = []
  const waiting: { resolve: (message: unknown) => void; reject: (error: Error) => void }[] = []
  child.on('message', (message) => {
    const first = waiting.shift()
    if (first) first.resolve(message)
    else received.push(message)
  })
  child.once('exit', (code, signal) => {
    for (const { reject } of waiting.splice(0)) reject(new Error(`${script} ended (${signal ?? code}).`))
  })
  return {
    next: <Message>() =>
      new Promise<Message>((resolve, reject) => {
        if (received.length > 0) resolve(received.shift() as Message)
        else if (hasEnded(child)) reject(new Error(`${script} has ended.`))
        else waiting.push({ resolve: resolve as (message: unknown) => void, reject })
      }),
    send: (message) => void child.send(message),
    stop: () => void (hasEnded(child) || child.kill()),
  }
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null
}

/** Moves a process to one core, where that is possible. */
export function pin(pid: number | undefined, core: string): void {
  if (isPinned && pid !== undefined) spawnSync('taskset', ['-cp', core, `${pid}`])
}

/** Runs a script on the client's core, and returns the figures that it reports. */
export async function measure<Figures>(script: string, job?: object, flags?: readonly string[]): Promise<Figures> {
  const worker = startWorker(script, job, CLIENT_CORE, flags)
  try {
    return await worker.next<Figures>()
  } finally {
    worker.stop()
  }
}

/** The running loopback service. */
export interface Service {
  readonly baseUrl: string
  /** Addresses that the workloads request. */
  readonly addresses: readonly string[]
  stop(): void
}

export async function startService(): Promise<Service> {
  const worker = startWorker('contenders/service.mjs', {}, SERVER_CORE)
  return { ...(await worker.next<Omit<Service, 'stop'>>()), stop: worker.stop }
}
