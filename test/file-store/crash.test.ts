import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { createFileStore } from 'etn-market/node'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Ended, follow, run } from '../support/child.ts'
import { testProperty } from '../support/property.ts'

let folder = ''
let program = ''

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'file-store-crash-'))
  program = join(folder, 'child.mjs')
  const child = fileURLToPath(new URL('./crash-child.ts', import.meta.url))
  await build({ entryPoints: [child], outfile: program, bundle: true, platform: 'node', format: 'esm' })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Groups of keys that are set at the same time, one group after the other. */
type Groups = readonly (readonly number[])[]

const runChild = (path: string, killAt: number, groups: Groups): Promise<Ended> =>
  run(process.execPath, [program, path, String(killAt), JSON.stringify(groups)])

const stateAfter = (groups: Groups) =>
  Object.fromEntries(groups.flatMap((keys, value) => keys.map((key) => [key, String(value)])))

/** Opens what a killed process left, as the next one does. */
async function read(path: string): Promise<Record<string, string>> {
  const store = createFileStore(path)
  const found = Object.fromEntries(
    [0, 1, 2, 3].flatMap((key) => {
      const value = store.get(String(key))
      return value === undefined ? [] : [[key, value]]
    }),
  )
  await store.close()
  return found
}

/** What was acknowledged, or that and what was in flight. */
async function expectWhole(path: string, { stdout }: Ended, groups: Groups): Promise<void> {
  const done = stdout.split('\n').filter((line) => line.startsWith('done')).length
  const found = await read(path)
  expect([stateAfter(groups.slice(0, done)), stateAfter(groups.slice(0, done + 1))]).toContainEqual(found)
  // Nothing of the crash is in the way, and the next process cleans up what it left.
  const store = createFileStore(path)
  await store.set('0', 'after')
  await store.close()
  expect(readdirSync(join(path, '..'))).toEqual(['state.json'])
}

test('killed at any step of a write, the store has what was acknowledged, or that and what was in flight', async () => {
  const groups = [[0, 1], [1]]
  const alive = await runChild(join(mkdtempSync(join(folder, 'alive-')), 'state.json'), 0, groups)
  const steps = Number(/steps (\d+)/.exec(alive.stdout)?.[1])
  expect(steps).toBeGreaterThan(12)
  for (let killAt = 1; killAt <= steps; killAt++) {
    const path = join(mkdtempSync(join(folder, 'killed-')), 'state.json')
    const ended = await runChild(path, killAt, groups)
    expect(ended.code, `step ${killAt}`).toBe(null)
    await expectWhole(path, ended, groups)
  }
})

test('of processes that find the lock of a dead one at the same time, one gets the file', async () => {
  const path = join(mkdtempSync(join(folder, 'race-')), 'state.json')
  const start = () => follow(spawn(process.execPath, [program, path, '0', '[]']))
  const first = start()
  await expect.poll(first.printed).toContain('steps')
  first.process.kill('SIGKILL')
  await first.ended()
  const others = Array.from({ length: 5 }, start)
  const printed = () => others.map((other) => other.printed())
  await expect.poll(() => printed().every((text) => /steps|store_in_use/.test(text))).toBe(true)
  const holders = others.filter((other) => other.printed().includes('steps'))
  expect(holders.length, printed().join('\n')).toBe(1)
  const pid = holders[0]?.process.pid
  expect(printed().filter((text) => text.includes(`pid: ${pid}`)).length).toBe(4)
  for (const other of others) other.process.kill('SIGKILL')
  await Promise.all(others.map((other) => other.ended()))
})

const UNSHARE = ['-pf', '--kill-child', '--mount-proc', process.execPath]
/** Whether this machine lets a process have numbers of its own, as a container has. */
const canUnshare = spawnSync('/usr/bin/unshare', [...UNSHARE, '-e', '']).status === 0

test.skipIf(!canUnshare)(
  'a process of another container with the same host name keeps its lock while it lives',
  async () => {
    const path = join(mkdtempSync(join(folder, 'container-')), 'state.json')
    const first = follow(spawn('/usr/bin/unshare', [...UNSHARE, program, path, '0', '[]']))
    await expect.poll(first.printed).toContain('steps')
    expect(() => createFileStore(path)).toThrow(expect.objectContaining({ code: 'store_in_use', pid: 1 }))
    first.process.kill('SIGKILL')
    await first.ended()
  },
)

testProperty(
  'whatever is set and whenever the process is killed, nothing acknowledged is lost',
  fc.asyncProperty(
    fc.array(fc.array(fc.nat(3), { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 6 }),
    fc.integer({ min: 1, max: 60 }),
    async (groups, killAt) => {
      const path = join(mkdtempSync(join(folder, 'random-')), 'state.json')
      await expectWhole(path, await runChild(path, killAt, groups), groups)
    },
  ),
  { cases: 8 },
)
