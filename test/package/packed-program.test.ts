import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fakeTokens } from 'etn-market/fake'
import { expect, test } from 'vitest'
import { createScene } from '../cli/program.ts'
import { packed } from './pack.ts'

test('the packed program runs in another folder and calls a service', async () => {
  const { runProcess, fake } = await createScene()
  const program = join(packed.project, 'node_modules/etn-market/dist/cli.js')
  const { code, stdout } = await runProcess(['call', 'etn.price', '--json'], { program })
  expect([code, Object.keys(JSON.parse(stdout))]).toEqual([0, ['usd']])
  expect(fake.charged()).toBe(25)
  expect((await runProcess(['--version'], { program })).stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
})

const hasSqlite = process.getBuiltinModule('node:sqlite' as 'node:fs') !== undefined

test.runIf(!hasSqlite)('without SQLite the program says how to install it, and sends nothing', async () => {
  const { runProcess, fake, folder } = await createScene()
  const modules = join(folder, 'node_modules')
  cpSync(join(packed.project, 'node_modules'), modules, { recursive: true, verbatimSymlinks: true })
  rmSync(join(modules, 'node-sqlite3-wasm'))
  const program = join(modules, 'etn-market/dist/cli.js')
  const { code, stderr } = await runProcess(['candles', fakeTokens.BOLT, '--sync', 'bolt.sqlite'], { program })
  expect([code, stderr]).toEqual([2, expect.stringContaining('`npm install node-sqlite3-wasm`, use Node 22.13')])
  expect(fake.journal()).toEqual([])
})
