import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from 'etn-market'
import { createFakeService, type FakeService, fakeTokens, type TestContext } from 'etn-market/fake'
import { afterAll, describe, expect, it } from 'vitest'
import { compile, ROOT } from '../package/code-blocks.ts'

const address = (digit: string) => `0x${digit.repeat(40)}`

/** What an example may use without declaring it. */
const NAMES = ['fake', 'client', 'test', 'BOLT', 'CORE', 'MINE', 'POOL', 'WALLET', 'ART', 'SALE', 'NEW'] as const
const IMPORTS = [
  "import { createClient, type Client } from 'etn-market'",
  "import { createFakeService, type FakeService, record, type TestContext, useFakeService } from 'etn-market/fake'",
  "import { mswHandlers } from 'etn-market/msw'",
  "import { setupServer } from 'msw/node'",
]
const TYPES: Partial<Record<(typeof NAMES)[number], string>> = {
  fake: 'FakeService',
  client: 'Client',
  test: '(name: string, run: (context: TestContext) => Promise<void>) => void',
}

interface Example {
  title: string
  code: string
}

/** The `@example` blocks of the fake, its fixtures and its handlers. */
const examples: Example[] = ['fake', 'vitest', 'msw'].flatMap((entry) =>
  readdirSync(join(ROOT, 'src', entry), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .flatMap((path) => {
      const text = readFileSync(join(ROOT, 'src', entry, path), 'utf8')
      return [...text.matchAll(/^ *\* @example\n(.*?)(?=^ *\*(?: @|\/))/gms)].map(({ index, 1: block = '' }) => ({
        title: `${entry}/${path}:${text.slice(0, index).split('\n').length}`,
        code: block.replace(/^ *\* ?/gm, ''),
      }))
    }),
)

mkdirSync(join(ROOT, 'coverage'), { recursive: true })
const folder = mkdtempSync(join(ROOT, 'coverage/examples-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Writes an example as a module that exports a function, or whole if it is a test of vitest. */
function fileOf({ code }: Example, position: number): string {
  const file = join(folder, `example-${position}.ts`)
  const parameters = `{ ${NAMES.join(', ')} }: { ${NAMES.map((name) => `${name}: ${TYPES[name] ?? 'string'}`).join('; ')} }`
  const text = isVitestTest(code)
    ? code
    : `${IMPORTS.join('\n')}\nexport async function run(${parameters}) {\n{\n${code}\n}\n}`
  writeFileSync(file, text)
  return file
}

function isVitestTest(code: string): boolean {
  return code.includes("from 'etn-market/vitest'")
}

/** The `test` of an example for `node:test`: runs at once, clean-ups included. */
async function runTest(run: (context: TestContext) => Promise<void>): Promise<void> {
  const cleanUps: (() => Promise<void>)[] = []
  try {
    await run({ after: (cleanUp) => void cleanUps.push(cleanUp) })
  } finally {
    for (const cleanUp of cleanUps) await cleanUp()
  }
}

const files = examples.map(fileOf)

describe('the examples in the documentation', () => {
  it('exist for every group of options', () => {
    expect(examples.length).toBeGreaterThan(14)
  })

  it('compile', () => {
    const { status, stdout } = compile(folder)
    const errors = stdout.replace(/\S*example-(\d+)\.ts/g, (file, position) => examples[position]?.title ?? file)
    expect({ status, errors }).toEqual({ status: 0, errors: '' })
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
