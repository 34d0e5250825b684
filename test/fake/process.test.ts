import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { follow } from '../support/child.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** Runs a program of its own and returns what it printed, once it has ended by itself. */
async function run(code: string): Promise<string> {
  const args = ['--input-type=module', '-e', `import { createFakeService } from 'etn-market/fake'\n${code}`]
  const child = follow(spawn(process.execPath, args, { cwd: ROOT }))
  onTestFinished(() => void child.process.kill('SIGKILL'))
  expect(await child.ended(), child.printed()).toMatchObject({ code: 0 })
  return child.printed().trim()
}

describe('a program with a fake in it', () => {
  it('ends by itself, listening or not, and the fake prints nothing', async () => {
    const printed = await run(`
      const fake = createFakeService()
      const { url } = await fake.listen()
      const headers = { authorization: 'Bearer ' + fake.key }
      await fetch(url + '/prices/etn', { headers })
      fake.fault({ delayMs: 1e6 })
      fake.fault({ never: true })
      fake.fault({ stall: 3 })
      const signal = new AbortController().signal
      const open = [1, 2].map(() => fake.fetch(fake.baseUrl + '/prices/etn', { headers, signal }).catch(() => {}))
      await fake.fetch(fake.baseUrl + '/prices/etn', { headers, signal })
      await fake.close()
      await Promise.all(open)
      console.log('closed')
      createFakeService().fetch('http://x.example/nowhere')
    `)
    expect(printed).toBe('closed')
  })

  it('does not end before a pending timeout', async () => {
    const printed = await run(`
      const fake = createFakeService()
      fake.fault({ never: true })
      await fake.fetch(fake.baseUrl + '/openapi.json', { signal: AbortSignal.timeout(50) }).catch((error) => console.log(error.name))
    `)
    expect(printed).toBe('TimeoutError')
  })
})
