import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { afterAll, expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
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

test.each(GUIDES)('the blocks of code of %s compile, imports included', { timeout: 120_000 }, (guide) => {
  const text = readFileSync(join(ROOT, guide), 'utf8')
  const blocks = [...text.matchAll(/^```tsx? file=(\S+)\n(.*?)^```$/gms)]
  // A block without a name would not be compiled.
  expect(blocks.length).toBe([...text.matchAll(/^```tsx?/gm)].length)
  expect(blocks.length).toBeGreaterThan(0)
  const files = blocks.map(([, file = '', code = '']) => {
    const path = join(folder, guide.replaceAll('/', '-'), file)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, `${code}\nexport {}\n`)
    return path
  })
  const frameworks = join(folder, 'frameworks.d.ts')
  writeFileSync(frameworks, FRAMEWORKS)
  const config = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile).config
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [] }, ts.sys, ROOT)
  const program = ts.createProgram([...files, frameworks], {
    ...options,
    jsx: ts.JsxEmit.ReactJSX,
    paths: options.paths ?? {},
  })
  const messages = ts.getPreEmitDiagnostics(program).map(({ file, messageText, start }) => {
    const line = file && start !== undefined ? file.getLineAndCharacterOfPosition(start).line + 1 : 0
    return `${file?.fileName.slice(folder.length)}:${line}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`
  })
  expect(messages).toEqual([])
})
