import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { createFileStore } from 'etn-market/node'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { follow, run } from '../support/child.ts'
import { testProperty } from '../support/property.ts'
import type { Plan, Report } from './crash-child.ts'

let folder = ''
let program = ''

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'file-store-crash-'))
  program = join(folder, 'child.mjs')
  const child = fileURLToPath(new URL('./crash-child.ts', import.meta.url))
  await build({ entryPoints: [child], outfile: program, bundle: true, platform: 'node', format: 'esm' })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const makePath = () => join(mkdtempSync(join(folder, 'store-')), 'state.json')
const start = (path: string) => follow(spawn(process.execPath, [program, 'hold', path]))

async function carryOut(plans: readonly Plan[]): Promise<Report[]> {
  const { code, stdout } = await run(process.execPath, [program, JSON.stringify(plans)])
  expect(code).toBe(null)
  return JSON.parse(stdout) as Report[]
}

const stateAfter = (groups: Plan['groups']) =>
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

/** Kills a process, and expects what was acknowledged, or that and what was in flight. */
async function expectWhole(plans: readonly Plan[]): Promise<void> {
  const reports = await carryOut(plans)
  for (const [index, { path, groups, killAt }] of plans.entries()) {
    const { done = 0 } = reports[index] ?? {}
    const found = await read(path)
    const expected = [stateAfter(groups.slice(0, done)), stateAfter(groups.slice(0, done + 1))]
    expect(expected, `step ${killAt}`).toContainEqual(found)
    // Nothing of the crash is in the way, and the next process cleans up what it left.
    const store = createFileStore(path)
    await store.set('0', 'after')
    await store.close()
    expect(readdirSync(join(path, '..'))).toEqual(['state.json'])
  }
}

test('killed at any step of a write, the store has what was acknowledged, or that and what was in flight', async () => {
  const groups = [[0, 1], [1]]
  const [{ steps } = { steps: 0 }] = await carryOut([{ path: makePath(), groups }])
  expect(steps).toBeGreaterThan(12)
  await expectWhole(Array.from({ length: steps }, (_, index) => ({ path: makePath(), groups, killAt: index + 1 })))
})

test('of processes that find the lock of a dead one at the same time, one gets the file', async () => {
  const path = makePath()
  const first = start(path)
  await expect.poll(first.printed).toContain('held')
  first.process.kill('SIGKILL')
  await first.ended()
  const others = Array.from({ length: 5 }, () => start(path))
  const printed = () => others.map((other) => other.printed())
  await expect.poll(() => printed().every((text) => /held|pid: \d+\s/.test(text))).toBe(true)
  const holders = others.filter((other) => other.printed().includes('held'))
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
    const path = makePath()
    const first = follow(spawn('/usr/bin/unshare', [...UNSHARE, program, 'hold', path]))
    await expect.poll(first.printed).toContain('held')
    expect(() => createFileStore(path)).toThrow(expect.objectContaining({ code: 'store_in_use', pid: 1 }))
    first.process.kill('SIGKILL')
    await first.ended()
  },
)

const plan = fc.record({
  groups: fc.array(fc.array(fc.nat(3), { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 6 }),
  killAt: fc.integer({ min: 1, max: 60 }),
})

testProperty(
  'whatever is set and whenever the process is killed, nothing acknowledged is lost',
  fc.asyncProperty(fc.array(plan, { minLength: 12, maxLength: 12 }), (plans) =>
    expectWhole(plans.map((one) => ({ ...one, path: makePath() }))),
  ),
  { cases: 1 },
)
