import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { run } from '../support/child.ts'

test('the example of a feed prints the plan as a table', async () => {
  const cwd = fileURLToPath(new URL('../../', import.meta.url))
  const { stdout } = await run(`${cwd}node_modules/.bin/tsx`, ['examples/feed.ts'], { cwd })
  expect(stdout).toMatch(/in +due +early +requests +credits/)
  expect(stdout).toMatch(/The feed: [\d,]+ credits a day/)
  expect(stdout).not.toMatch(/undefined|NaN|Error/)
})
