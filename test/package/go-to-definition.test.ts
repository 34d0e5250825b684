import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, expect, test } from 'vitest'
import { follow } from '../support/child.ts'
import { packed, ROOT, readPacked } from './pack.ts'

const INSTALLED = join(packed.project, 'node_modules/etn-market')

interface Definition {
  readonly file: string
  readonly start: { readonly line: number; readonly offset: number }
}

interface Answer {
  readonly body?: readonly Definition[]
  readonly message?: string
}

const TEXT = `
import { createClient, type ClientOptions, BudgetExceededError } from 'etn-market'
import { createPriceFeed } from 'etn-market/feed'
import { createFakeService } from 'etn-market/fake'
const client = createClient({} satisfies ClientOptions)
client.token.price({ address: '0x' })
createPriceFeed(client, { budget: false }).status().leadMs
createFakeService().credits
new BudgetExceededError('', { needed: 1, available: 0, resetsAt: undefined })
`.trim()

/** TypeScript's server, as editors run it. */
class TypeScriptServer {
  readonly #process: ChildProcessWithoutNullStreams
  /** Rejects with what it printed. */
  readonly #ended: Promise<never>
  readonly #waiting = new Map<number, (answer: Answer) => void>()
  #requests = 0

  constructor() {
    const program = join(ROOT, 'node_modules/typescript/lib/tsserver.js')
    this.#process = spawn(process.execPath, [program, '--disableAutomaticTypingAcquisition'])
    const { printed } = follow(this.#process)
    this.#ended = new Promise((_, reject) => {
      this.#process.once('close', (code) => reject(new Error(`The server has ended with ${code}: ${printed()}`)))
    })
    this.#ended.catch(() => {})
    // What waits for an answer reports the end.
    this.#process.stdin.on('error', () => {})
    createInterface({ input: this.#process.stdout }).on('line', (line) => {
      const answer = line.startsWith('{') ? JSON.parse(line) : {}
      this.#waiting.get(answer.request_seq)?.(answer)
    })
  }

  open(file: string): void {
    writeFileSync(file, TEXT)
    this.#send('open', { file })
  }

  /** Where "Go to definition" leads from the last place of a name in an open file. */
  async definitionOf(name: string, file: string): Promise<{ path: string; text: string }> {
    const before = TEXT.slice(0, TEXT.lastIndexOf(name))
    const place = { line: before.split('\n').length, offset: before.length - before.lastIndexOf('\n') }
    const id = this.#send('definition', { file, ...place })
    const answered = new Promise<Answer>((resolve) => this.#waiting.set(id, resolve))
    const { body: [found] = [], message } = await Promise.race([answered, this.#ended])
    if (found === undefined) throw new Error(`${name} in ${file} has no definition: ${message}`)
    const line = readFileSync(found.file, 'utf8').split('\n')[found.start.line - 1] ?? ''
    return { path: relative(INSTALLED, found.file), text: line.slice(found.start.offset - 1) }
  }

  close(): void {
    this.#process.kill()
  }

  #send(command: string, args: object): number {
    const seq = ++this.#requests
    this.#process.stdin.write(`${JSON.stringify({ seq, type: 'request', command, arguments: args })}\n`)
    return seq
  }
}

const server = new TypeScriptServer()
afterAll(() => server.close())

/** Functions, methods, types, members and classes, with their files. */
const SOURCES = {
  createClient: 'src/client/client.ts',
  price: 'src/generated/methods.ts',
  ClientOptions: 'src/client/options.ts',
  createPriceFeed: 'src/feed/feed.ts',
  leadMs: 'src/feed/types.ts',
  createFakeService: 'src/fake/service.ts',
  BudgetExceededError: 'src/errors/budget.ts',
}

test.each(['mts', 'cts'])(
  'in a file of .%s, "Go to definition" opens the source',
  async (extension) => {
    const file = join(packed.project, `definition.${extension}`)
    server.open(file)
    for (const [name, path] of Object.entries(SOURCES)) {
      const found = await server.definitionOf(name, file)
      expect(found.path).toBe(path)
      expect(found.text.slice(0, name.length)).toBe(name)
    }
  },
  60_000,
)

test('every source that a map of the declarations names is published, with what it imports', () => {
  const named = packed.files
    .filter((path) => path.endsWith('.map'))
    .flatMap((path) => {
      const { sources } = JSON.parse(readPacked(path)) as { sources: string[] }
      return sources.map((source) => join(dirname(path), source))
    })
  expect(named.length).toBeGreaterThan(0)
  const needed = new Set(named)
  for (const path of needed) {
    if (!packed.files.includes(path)) continue
    const imports = readPacked(path).matchAll(/(?:from|import\() ?'(\.[^']+)'/g)
    for (const [, name = ''] of imports) needed.add(join(dirname(path), name))
  }
  expect([...needed].filter((path) => !packed.files.includes(path))).toEqual([])
})
