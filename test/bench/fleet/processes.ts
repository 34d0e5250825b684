import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { isPinned, nodeOnCore } from '../support/cores.ts'
import { BENCH } from '../support/paths.ts'

/** A process of the bench that answers messages. */
export interface Worker {
  /** Resolves with its next message; rejects when it ends before. */
  next<Message>(): Promise<Message>
  send(message: object): void
  /** Ends it, if it still runs. */
  stop(): void
}

/** Runs a script of this folder with the built package, on one core if given. The script reads `job` from the environment. */
export function startWorker(script: string, job: object, core?: string): Worker {
  const path = fileURLToPath(new URL(script, import.meta.url))
  const [program, args] = core === undefined ? [process.execPath, [path]] : nodeOnCore(core, [path])
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
  const exited = new Promise<Error>((resolve) => {
    child.once('exit', (code, signal) => resolve(new Error(`${script} ended (${signal ?? code}).`)))
  })
  void exited.then((error) => {
    for (const { reject } of waiting.splice(0)) reject(error)
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
