import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from 'etn-market'
import { createFakeService, type FakeService, fakeTokens, type TestContext } from 'etn-market/fake'
import { afterAll, describe, expect, it } from 'vitest'
import { ROOT } from '../package/code-blocks.ts'
import { examples, isVitestTest, writeExample } from './tsdoc-examples.ts'

const address = (digit: string) => `0x${digit.repeat(40)}`

/** The `test` of an example for `node:test`: runs at once, clean-ups included. */
async function runTest(run: (context: TestContext) => Promise<void>): Promise<void> {
  const cleanUps: (() => Promise<void>)[] = []
  try {
    await run({ after: (cleanUp) => void cleanUps.push(cleanUp) })
  } finally {
    for (const cleanUp of cleanUps) await cleanUp()
  }
}

mkdirSync(join(ROOT, 'coverage'), { recursive: true })
const folder = mkdtempSync(join(ROOT, 'coverage/examples-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const files = examples.map((example) => writeExample(folder, example))

// `test/examples/guides.test.ts` compiles them.

describe('the examples in the documentation', () => {
  it('exist for every group of options', () => {
    expect(examples.length).toBeGreaterThan(14)
  })

  for (const [i, example] of examples.entries()) {
    if (isVitestTest(example.code)) continue
    it(`run: ${example.title}`, async () => {
      await using fake: FakeService = createFakeService()
      await using client = createClient({ apiKey: fake.key, fetch: fake.fetch })
      const [MINE, POOL, WALLET, ART, SALE, NEW] = ['a', 'c', 'e', 'd', '1', 'b'].map(address)
      const { run } = await import(files[i] ?? '')
      // An example does not wait for its tests, and while one runs, no other test may have the environment.
      const running: Promise<void>[] = []
      const test = (_: string, body: Parameters<typeof runTest>[0]) => void running.push(runTest(body))
      await run({ fake, client, test, ...fakeTokens, MINE, POOL, WALLET, ART, SALE, NEW })
      await Promise.all(running)
    })
  }
})

// An example with the `test` of `etn-market/vitest` registers a test of its own.
for (const [i, { code }] of examples.entries()) if (isVitestTest(code)) await import(files[i] ?? '')
