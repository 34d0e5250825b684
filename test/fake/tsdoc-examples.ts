import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../package/code-blocks.ts'

/** What an example may use without declaring it. */
const NAMES = ['fake', 'client', 'test', 'BOLT', 'CORE', 'MINE', 'POOL', 'WALLET', 'ART', 'SALE', 'NEW'] as const
const IMPORTS = [
  "import { createClient, type Client } from 'etn-market'",
  "import { createFakeService, type FakeFront, fakeFronts, type FakeService, record, type TestContext, useFakeService } from 'etn-market/fake'",
  "import { mswHandlers } from 'etn-market/msw'",
  "import { setupServer } from 'msw/node'",
]
const TYPES: Partial<Record<(typeof NAMES)[number], string>> = {
  fake: 'FakeService',
  client: 'Client',
  test: '(name: string, run: (context: TestContext) => Promise<void>) => void',
}

interface Example {
  readonly title: string
  readonly code: string
}

/** The `@example` blocks of the fake, its fixtures and its handlers. */
export const examples: readonly Example[] = ['fake', 'vitest', 'msw'].flatMap((entry) =>
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

/** Writes an example as a module that exports a function, or whole if it is a test of vitest; returns its path. */
export function writeExample(folder: string, { title, code }: Example): string {
  const file = join(folder, `${title.replace(/[/:]/g, '-')}.ts`)
  const parameters = `{ ${NAMES.join(', ')} }: { ${NAMES.map((name) => `${name}: ${TYPES[name] ?? 'string'}`).join('; ')} }`
  const text = isVitestTest(code)
    ? code
    : `${IMPORTS.join('\n')}\nexport async function run(${parameters}) {\n{\n${code}\n}\n}`
  writeFileSync(file, text)
  return file
}

export function isVitestTest(code: string): boolean {
  return code.includes("from 'etn-market/vitest'")
}
