import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { compile, ROOT } from './code-blocks.ts'

const GUIDES = ['src/proxy/GUIDE.md', 'src/react/GUIDE.md', 'src/cli/GUIDE.md']

/** What the guides use of frameworks that are not installed here. */
const FRAMEWORKS = `
declare module 'hono' {
  interface Context { req: { raw: Request }; header(name: string, value: string): void; html(text: string): Response }
  type Handler = (context: Context) => Response | Promise<Response>
  export class Hono { all(path: string, handler: Handler): void; get(path: string, handler: Handler): void }
}
declare module 'express' {
  import type { IncomingMessage, ServerResponse } from 'node:http'
  type Handler = (request: express.Request, response: ServerResponse) => unknown
  function express(): { use(path: string, handler: Handler): void; get(path: string, handler: Handler): void }
  namespace express { interface Request extends IncomingMessage { method: string; originalUrl: string } }
  export default express
}
declare module '@tanstack/react-query' {
  interface Options<Data, Failure> { queryFn(context: object): Promise<Data>; throwOnError?: (error: Failure, query: unknown) => boolean }
  export function useQuery<Data, Failure>(options: Options<Data, Failure>): { data?: Data; error: Failure | null }
}
declare module 'next/server' {
  export interface NextRequest extends Request {}
  export class NextResponse extends Response { static next(): NextResponse }
}
`

mkdirSync(join(ROOT, 'coverage'), { recursive: true })
const folder = mkdtempSync(join(ROOT, 'coverage/guides-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Writes the blocks of a guide, each under the name that it states. */
function writeBlocks(guide: string): void {
  const text = readFileSync(join(ROOT, guide), 'utf8')
  const blocks = [...text.matchAll(/^```tsx? file=(\S+)\n(.*?)^```$/gms)]
  // A block without a name would not be compiled.
  expect(blocks.length).toBe([...text.matchAll(/^```tsx?/gm)].length)
  expect(blocks.length).toBeGreaterThan(0)
  for (const [, file = '', code = ''] of blocks) {
    const path = join(folder, guide.replaceAll('/', '-'), file)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, `${code}\nexport {}\n`)
  }
}

test('the blocks of code of the guides compile, imports included', { timeout: 120_000 }, () => {
  for (const guide of GUIDES) writeBlocks(guide)
  writeFileSync(join(folder, 'frameworks.d.ts'), FRAMEWORKS)
  const { stdout, status } = compile(folder, { jsx: 'react-jsx' }, ['**/*.ts', '**/*.tsx'])
  expect({ stdout, status }).toEqual({ stdout: '', status: 0 })
})
