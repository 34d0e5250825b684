import { join } from 'node:path'
import { expect, test } from 'vitest'
import { packed } from '../package/pack.ts'
import { createScene } from './program.ts'

test('the packed program runs in another folder and calls a service', async () => {
  const { runProcess, fake } = await createScene()
  const program = join(packed.project, 'node_modules/etn-market/dist/cli.js')
  const { code, stdout } = await runProcess(['call', 'etn.price', '--json'], { program })
  expect([code, Object.keys(JSON.parse(stdout))]).toEqual([0, ['usd']])
  expect(fake.charged()).toBe(25)
  expect((await runProcess(['--version'], { program })).stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
})
