import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { Report, Start, Task } from './member-process.ts'

type TaskOf<T> = T extends Task ? Omit<T, 'id'> : never

/** A member in a process of its own. */
export interface MemberProcess {
  readonly child: ChildProcess
  /** Resolves with the report of a task; a process that is killed makes none. */
  run(task: TaskOf<Task>): Promise<Report>
  kill(): Promise<void>
  pause(): void
  resume(): void
}

export interface MemberProgram {
  start(start: Start): MemberProcess
  close(): void
}

/** Bundles the program once. */
export async function buildMember(): Promise<MemberProgram> {
  const folder = mkdtempSync(join(tmpdir(), 'etn-market-member-'))
  const outfile = join(folder, 'member.cjs')
  const source = fileURLToPath(new URL('./member-process.ts', import.meta.url))
  await build({ entryPoints: [source], outfile, bundle: true, platform: 'node', format: 'cjs', logLevel: 'error' })
  return {
    start: (start) => startMember(outfile, start),
    close: () => rmSync(folder, { recursive: true, force: true }),
  }
}

function startMember(program: string, start: Start): MemberProcess {
  const child = fork(program, [JSON.stringify(start)], { execArgv: [] })
  const waiting = new Map<number, (report: Report) => void>()
  let tasks = 0
  child.on('message', (report: Report) => {
    waiting.get(report.id)?.(report)
    waiting.delete(report.id)
  })
  return {
    child,
    run: (task) =>
      new Promise((resolve) => {
        const id = ++tasks
        waiting.set(id, resolve)
        child.send({ ...task, id })
      }),
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const exit = once(child, 'exit')
      child.kill('SIGKILL')
      await exit
    },
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
  }
}
