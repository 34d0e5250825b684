import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

test('the Python suite starts the fake as a program and steers it', async () => {
  const env = { ...process.env, ETN_MARKET_FAKE: `${process.execPath} --import tsx ${ROOT}src/cli/index.ts fake` }
  const args = ['-m', 'unittest', '-v', `${ROOT}examples/fake-server/test_bot.py`]
  const report = await new Promise<string>((resolve) => {
    execFile('python3', args, { cwd: ROOT, env }, (_, stdout, stderr) => resolve(stdout + stderr))
  })
  expect(report).toMatch(/Ran 4 tests in/)
  expect(report).toMatch(/^OK$/m)
}, 60_000)
