/* A process that changes a file store, prints what was acknowledged, and kills itself at the step of the file system whose number it is given. */
import { writeSync } from 'node:fs'
import files from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { createFileStore } from '../../src/file-store/file-store.ts'

const [path = '', killAt, changes = '[]'] = process.argv.slice(2)
const STEPS = ['open', 'rename', 'rm', 'stat'] as const
const STEPS_OF_A_FILE = ['writeFile', 'sync', 'close'] as const

let passed = 0
/** One more step begins. */
function step(): void {
  passed++
  if (passed === Number(killAt)) process.kill(process.pid, 'SIGKILL')
}

function countSteps(target: object, names: readonly string[], onResult: (result: unknown) => void = () => {}): void {
  for (const name of names) {
    const original = (target as Record<string, (...args: unknown[]) => Promise<unknown>>)[name]
    const counted = async (...args: unknown[]) => {
      step()
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

/** Each number of a group is a key that is set at the same time as the others. */
const groups = JSON.parse(changes) as number[][]
const isHolder = changes === '[]'
const store = createFileStore(path)
for (const [value, keys] of groups.entries()) {
  writeSync(1, `begun ${value}\n`)
  await Promise.all(keys.map((key) => store.set(String(key), String(value))))
  writeSync(1, `done ${value}\n`)
}
// Holds the file until it is killed.
if (isHolder) setInterval(() => {}, 60_000)
else await store.close()
writeSync(1, `steps ${passed}\n`)
