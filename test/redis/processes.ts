import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { within } from '../support/wait.ts'
import type { Report, Start, Task } from './member-process.ts'
import { OPTIONS, type useFleet } from './setup.ts'

type TaskOf<T> = T extends Task ? Omit<T, 'id'> : never

/** A member in a process of its own. */
export interface MemberProcess {
  readonly child: ChildProcess
  /** Resolves with the report of a task; a process that ends before makes an empty one. */
  run(task: TaskOf<Task>): Promise<Report>
  kill(): Promise<void>
  pause(): void
  resume(): void
}

/** Several processes start at once, on a machine that may be busy. */
export const LEASE_MS = 3_000
export const TIMES = { leaseMs: LEASE_MS, timeoutMs: 2_000 }
/** All credits of a test are spent before. */
const MAX_TASK_MS = 45_000

/** Starts members of the fleet of a test. The fake service listens for them. */
export function useProcesses(setup: ReturnType<typeof useFleet>): (options?: object) => MemberProcess {
  let program: MemberProgram
  let baseUrl = ''
  beforeAll(async () => {
    program = await buildMember()
  })
  afterAll(() => program.close())
  beforeEach(async () => {
    baseUrl = (await setup.fake.listen()).url
  })
  return (options = {}) => {
    const shared = { redisPort: setup.server.port, baseUrl, apiKey: setup.fake.key }
    const member = program.start({ ...shared, options: { ...OPTIONS, ...TIMES, ...options } })
    setup.onEnd(() => member.kill())
    return member
  }
}

interface MemberProgram {
  start(start: Start): MemberProcess
  close(): void
}

/** Bundles the program once. */
async function buildMember(): Promise<MemberProgram> {
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
  child.once('exit', () => {
    for (const [id, report] of waiting) report({ id })
  })
  return {
    child,
    run(task) {
      const id = ++tasks
      const report = new Promise<Report>((resolve) => {
        waiting.set(id, resolve)
        child.send({ ...task, id })
      })
      return within(`the report of ${JSON.stringify(task)}`, report, { limitMs: MAX_TASK_MS })
    },
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
