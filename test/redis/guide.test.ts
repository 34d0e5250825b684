import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { useFakeService } from 'etn-market/fake'
import { expect, onTestFinished, test, vi } from 'vitest'
import { codeBlocks, ROOT } from '../package/code-blocks.ts'
import { startRedisServer } from '../support/redis-server.ts'

// `test/examples/guides.test.ts` compiles it.
test('the fleet of the guide runs, and prints what its comment says', async () => {
  const [{ code } = { code: '' }] = codeBlocks(readFileSync(join(ROOT, 'src/redis/GUIDE.md'), 'utf8'), 'ts')
  const [, promised = 'no comment'] = /^console\.log\(.*\) \/\/ (.*)$/m.exec(code) ?? []
  mkdirSync(join(ROOT, 'coverage'), { recursive: true })
  const folder = mkdtempSync(join(ROOT, 'coverage/fleet-guide-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'fleet.ts'), `${code}\nexport {}\n`)

  const redis = await startRedisServer()
  onTestFinished(() => redis.close())
  await useFakeService({ after: onTestFinished })
  vi.stubEnv('REDIS_URL', `redis://127.0.0.1:${redis.port}`)
  const log = vi.spyOn(console, 'log').mockImplementation(() => {})
  onTestFinished(() => {
    log.mockRestore()
    vi.unstubAllEnvs()
  })
  await import(join(folder, 'fleet.ts'))
  expect(log.mock.calls.map((values) => values.join(' '))).toEqual([promised])
})
