/* A process that changes file stores, each up to a step of the file system, prints how far it came, and is killed. Or it holds one store. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { writeSync } from 'node:fs'
import files from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { createFileStore } from '../../src/file-store/file-store.ts'

/** What is done with one store. */
export interface Plan {
  readonly path: string
  /** Groups of keys that are set at the same time, one group after the other. The value is the number of the group. */
  readonly groups: readonly (readonly number[])[]
  /** The step at which the process is killed; without one, the store is closed. */
  readonly killAt?: number
}

/** How many groups were acknowledged, and how many steps were begun. */
export interface Report {
  done: number
  steps: number
}

const STEPS = ['open', 'rename', 'rm', 'stat'] as const
const STEPS_OF_A_FILE = ['writeFile', 'sync', 'close'] as const

const running = new AsyncLocalStorage<() => Promise<void>>()

function countSteps(target: object, names: readonly string[], onResult: (result: unknown) => void = () => {}): void {
  for (const name of names) {
    const original = (target as Record<string, (...args: unknown[]) => Promise<unknown>>)[name]
    const counted = async (...args: unknown[]) => {
      await running.getStore()?.()
      const result = await original?.apply(target, args)
      onResult(result)
      return result
    }
    Object.assign(target, { [name]: counted })
  }
}

countSteps(files, STEPS, (result) => {
  if (typeof result === 'object' && result !== null && 'writeFile' in result) countSteps(result, STEPS_OF_A_FILE)
})
syncBuiltinESMExports()

/** The step of the kill, and what would follow, never ends: the file stays as it is then until the process is killed. */
function carryOut({ path, groups, killAt }: Plan): Promise<Report> {
  const report = { done: 0, steps: 0 }
  return new Promise((resolve, reject) => {
    const step = async () => {
      report.steps++
      if (report.steps !== killAt) return
      resolve(report)
      await new Promise(() => {})
    }
    const change = async () => {
      const store = createFileStore(path)
      for (const [value, keys] of groups.entries()) {
        await Promise.all(keys.map((key) => store.set(String(key), String(value))))
        report.done++
      }
      await store.close()
      resolve(report)
    }
    running.run(step, change).catch(reject)
  })
}

const [what = '', path = ''] = process.argv.slice(2)
if (what === 'hold') {
  createFileStore(path)
  writeSync(1, 'held')
  setInterval(() => {}, 60_000)
} else {
  const reports: Report[] = []
  for (const plan of JSON.parse(what) as Plan[]) reports.push(await carryOut(plan))
  writeSync(1, JSON.stringify(reports))
  process.kill(process.pid, 'SIGKILL')
}
