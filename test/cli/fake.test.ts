import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createFakeService } from 'etn-market/fake'
import { expect, onTestFinished, test } from 'vitest'
import { run } from '../../src/cli/program.ts'
import { type Child, follow } from '../support/child.ts'
import { within } from '../support/wait.ts'
import { createHost, PROGRAM } from './program.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** Starts `etn-market fake` in a process of its own. */
function startProcess(args: string[]): Child & { readonly listening: Promise<string> } {
  const child = follow(spawn(process.execPath, [PROGRAM, 'fake', ...args], { cwd: ROOT }))
  onTestFinished(() => void child.process.kill('SIGKILL'))
  return { ...child, listening: listeningOn(child.printed) }
}

/** Starts it within this process. */
async function start(args: string[], env: Record<string, string> = {}) {
  const host = createHost({ folder: ROOT, env })
  onTestFinished(() => void host.emit('SIGTERM'))
  expect(await run(['fake', ...args], host), host.printed().stderr).toBeUndefined()
  return host
}

/** The URL in what a fake prints. */
async function listeningOn(printed: () => string): Promise<string> {
  await expect.poll(printed).toMatch(/Listening on \S+/)
  return /Listening on (\S+)/.exec(printed())?.[1] ?? ''
}

function file(name: string, content: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'etn-market-cli-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, name), content)
  return join(folder, name)
}

test('`fake` prints documents with --json, one a line', async () => {
  const host = await start(['--port', '0', '--json', '--log'])
  const { url, key } = JSON.parse(host.printed().stdout)
  expect((await fetch(`${url}/openapi.json`)).status).toBe(200)
  expect((await fetch(`${url}/me`, { headers: { authorization: `Bearer ${key}` } })).status).toBe(200)
  const logged = () => host.printed().stdout.split('\n')[1] ?? ''
  await expect.poll(logged).not.toBe('')
  expect(JSON.parse(logged()).log).toContain('GET /openapi.json: 200')
  host.emit('SIGTERM')
  expect(await host.exited()).toBe(0)
})

test('`fake` prints its URL and a key', async () => {
  const { stdout } = (await start(['--port', '0'])).printed()
  const [, url = '', key = ''] = /^Listening on (\S+)\nKey: (\S+)\n$/.exec(stdout) ?? []
  expect((await fetch(`${url}/prices/etn`, { headers: { authorization: `Bearer ${key}` } })).status).toBe(200)
})

test('serves the world and the keys that it is given, and ends at once on SIGTERM, a request under way or not', async () => {
  const world = join(ROOT, 'examples/fake-server/world.json')
  const args = ['--port', '0', '--world', world, '--key', 'mine=75', '--key', 'other=1', '--control-token', 'sesame']
  const child = startProcess(args)
  const url = await child.listening
  const { tokens } = JSON.parse(readFileSync(world, 'utf8'))
  const get = () => fetch(`${url}/prices/52014/${tokens[0].address}`, { headers: { authorization: 'Bearer mine' } })
  expect((await (await get()).json()).data.usd).toBe('0.019')
  expect((await get()).status).toBe(402)
  const control = (path: string, init: RequestInit = {}) => fetch(new URL(`/_fake/${path}`, url), init)
  const headers = { 'x-fake-control-token': 'sesame' }
  expect((await control('ledger')).status).toBe(403)
  expect(Object.keys(await (await control('keys', { headers })).json())).toEqual(['mine', 'other'])
  await control('faults', { method: 'POST', headers, body: '{"never":true}' })
  const hanging = get().catch((error: Error) => error.message)
  const hit = async () => (await (await control('faults', { headers })).json())[0].hits
  await expect.poll(hit).toBe(1)
  child.process.kill('SIGTERM')
  const { code } = await child.ended()
  expect(await within('the request under way', hanging)).toBe('fetch failed')
  expect(code).toBe(0)
  expect(child.printed()).not.toContain('sesame')
})

test('plays a tape, limits the calls, reads the token from the environment, logs, and ends at once on SIGINT', async () => {
  const entries = [{ operation: 'etn.price', params: {}, data: { usd: '0.5' } }]
  const tape = file('tape.json', JSON.stringify({ format: 'etn-market-tape', version: 1, entries }))
  const args = ['--port', '0', '--log', '--tape', tape, '--on-missing', 'world', '--requests-per-minute', '2']
  const host = await start([...args, '--key', 'k=99'], { ETN_MARKET_CONTROL_TOKEN: 'sesame' })
  const url = await listeningOn(() => host.printed().stdout)
  expect((await fetch(new URL('/_fake/ledger', url))).status).toBe(403)
  const get = (path: string) => fetch(url + path, { headers: { authorization: 'Bearer k' } })
  expect((await (await get('/prices/etn')).json()).data).toEqual({ usd: '0.5' })
  expect((await get('/nft/stats')).status).toBe(200)
  expect((await get('/prices/etn')).status).toBe(429)
  await expect.poll(() => host.printed().stdout).toContain('#2 GET /nft/stats: 200, 25 credits')
  host.emit('SIGINT')
  expect(await host.exited()).toBe(0)
})

test.each<[string, string[], RegExp]>([
  [
    'a port that is no number',
    ['--port', 'x'],
    /^option '--port <port>' argument 'x' is invalid\. It must be a whole number\.$/,
  ],
  [
    'a key without credits',
    ['--key', 'mine'],
    / argument 'mine' is invalid\. It must be name=credits, for example mine=10000\.$/,
  ],
  [
    'a file that does not exist',
    ['--world', '/nowhere/world.json'],
    /^--world \/nowhere\/world\.json: there is no such file or folder\.$/,
  ],
  ['a wrong world', ['--world', '{"tokens":[{"address":"0x1"}]}'], /^world\.tokens\[0\]\.address is an address/],
  ['a world that is a list', ['--world', '[]'], /^world takes an object/],
  ['a file that is no JSON', ['--tape', '{'], /^--tape .*JSON/],
  ['a file that is no tape', ['--tape', '{}'], /^tape is an object that record\(\) made/],
  ['an unknown source', ['--on-missing', 'sky'], /^onMissing is one of error, world, not "sky"/],
  [
    'a port that there is none of',
    ['--port', '65536'],
    / argument '65536' is invalid\. It must be a number from 0 to 65535\.$/,
  ],
  ['an unknown option', ['--prot', '1'], /^unknown option '--prot'/],
])('reports %s on one line, and exits with 2', async (_, args, message) => {
  const host = createHost({ folder: ROOT })
  const given = args.map((arg) => (/^[[{]/.test(arg) ? file('given.json', arg) : arg))
  expect(await run(['fake', ...given], host)).toBe(2)
  const { stdout, stderr } = host.printed()
  expect([stdout, stderr.replace(/^error: (.*)\n$/, '$1')]).toEqual(['', expect.stringMatching(message)])
})

test('reports a port that is taken', async () => {
  const fake = createFakeService()
  onTestFinished(() => fake.close())
  const { port } = await fake.listen()
  const host = createHost({ folder: ROOT })
  expect(await run(['fake', '--port', String(port)], host)).toBe(1)
  expect(host.printed().stderr).toMatch(/^error: .*EADDRINUSE.*\n$/)
})
