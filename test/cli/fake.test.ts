import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const PROGRAM = ['--import', 'tsx', join(ROOT, 'src/cli/index.ts')]

interface Ended {
  code: number | null
  output: string
}

/** Starts `etn-market fake`. Resolves with its first line, or with how it ended. */
function start(args: string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [...PROGRAM, 'fake', ...args], { cwd: ROOT, env: { ...process.env, ...env } })
  onTestFinished(() => void child.kill('SIGKILL'))
  let output = ''
  const listening = new Promise<string>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        output += text
        const [, url] = /Listening on (\S+)/.exec(output) ?? []
        if (url) resolve(url)
      })
    }
  })
  const ended = new Promise<Ended>((resolve) => child.once('close', (code) => resolve({ code, output })))
  return { child: child as ChildProcess, listening, ended }
}

function file(name: string, content: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'etn-market-cli-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, name), content)
  return join(folder, name)
}

describe('etn-market fake', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    'serves the world and the keys that it is given, and ends at once on %s',
    async (signal) => {
      const world = join(ROOT, 'examples/fake-server/world.json')
      const { child, listening, ended } = start([
        '--port',
        '0',
        '--world',
        world,
        '--key',
        'mine=75',
        '--control-token',
        'sesame',
      ])
      const url = await listening
      const { tokens } = JSON.parse(readFileSync(world, 'utf8'))
      const get = () => fetch(`${url}/prices/52014/${tokens[0].address}`, { headers: { authorization: 'Bearer mine' } })
      expect((await (await get()).json()).data.usd).toBe('0.019')
      expect((await get()).status).toBe(402)
      const ledger = new URL('/_fake/ledger', url)
      expect((await fetch(ledger)).status).toBe(403)
      expect((await fetch(ledger, { headers: { 'x-fake-control-token': 'sesame' } })).status).toBe(200)
      const asked = performance.now()
      child.kill(signal)
      const { code, output } = await ended
      expect(code).toBe(0)
      expect(performance.now() - asked).toBeLessThan(2_000)
      expect(output).not.toContain('sesame')
    },
  )

  it('reads the token from the environment, and logs on demand', async () => {
    const { child, listening, ended } = start(['--port', '0', '--log'], { ETN_MARKET_CONTROL_TOKEN: 'sesame' })
    const url = await listening
    expect((await fetch(new URL('/_fake/ledger', url))).status).toBe(403)
    await fetch(`${url}/openapi.json`)
    child.kill()
    expect((await ended).output).toContain('#1 GET /openapi.json: 200')
  })

  it.each<[string, () => string[], RegExp]>([
    ['a port that is no number', () => ['--port', 'x'], /^error: --port is a whole number, not "x"\.$/],
    [
      'a key without credits',
      () => ['--key', 'mine'],
      /^error: --key is name=credits, for example mine=10000, not "mine"\.$/,
    ],
    [
      'a file that does not exist',
      () => ['--world', '/nowhere/world.json'],
      /^error: --world \/nowhere\/world\.json: ENOENT/,
    ],
    [
      'a wrong world',
      () => ['--world', file('world.json', '{"tokens":[{"address":"0x1"}]}')],
      /^error: world\.tokens\[0\]\.address is an address/,
    ],
    ['a file that is no JSON', () => ['--tape', file('tape.json', '{')], /^error: --tape .*JSON/],
    ['an unknown option', () => ['--prot', '1'], /^error: unknown option '--prot'/],
  ])('reports %s without a stack, and exits with 1', async (_, args, message) => {
    const { code, output } = await start(args(), { NODE_OPTIONS: '' }).ended
    expect(code).toBe(1)
    expect(output.trim()).toMatch(message)
    expect(output).not.toMatch(/^\s+at /m)
  })
})
