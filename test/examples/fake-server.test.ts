import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { PROGRAM } from '../cli/program.ts'
import { follow } from '../support/child.ts'
import { runPython } from '../support/python.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const FOLDER = `${ROOT}examples/fake-server/`

test('the Python suite starts the fake as a program and steers it', async (context) => {
  const env = { ...process.env, ETN_MARKET_FAKE: [process.execPath, PROGRAM, 'fake'].join(' ') }
  const args = ['-m', 'unittest', '-v', `${FOLDER}test_bot.py`]
  const { stderr: report } = await runPython(context, args, { cwd: ROOT, env, limitMs: 45_000 })
  expect(report).toMatch(/Ran 4 tests in/)
  expect(report).toMatch(/^OK$/m)
})

test('a fake with --exit-with-parent ends when the program that started it is killed', async () => {
  const args = ['-c', '"$0" "$@" & wait', process.execPath, PROGRAM, 'fake', '--port', '0', '--exit-with-parent']
  const parent = follow(spawn('sh', args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] }))
  const [, url = ''] = await parent.prints(/Listening on (\S+)\n/)
  parent.process.kill('SIGKILL')
  // The server holds the other end of the pipe.
  await parent.ended()
  await expect(fetch(`${url}/openapi.json`)).rejects.toThrow('fetch failed')
})

test('a fake with --exit-with-parent ends with its input', async () => {
  const args = [PROGRAM, 'fake', '--port', '0', '--exit-with-parent']
  const child = follow(spawn(process.execPath, args, { cwd: ROOT, stdio: ['pipe', 'pipe', 'inherit'] }))
  await child.prints(/Listening on/)
  child.process.stdin?.end()
  expect(await child.ended()).toMatchObject({ code: 0 })
})

test('the Dockerfile installs this version, and its command serves the world to other machines', async () => {
  const { name, version, bin, engines } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8'))
  const dockerfile = readFileSync(`${FOLDER}Dockerfile`, 'utf8')
  const instructions = new Map(
    dockerfile
      .split('\n')
      .filter((line) => /^[A-Z]/.test(line))
      .map((line) => [line.split(' ')[0], line.slice(line.indexOf(' ') + 1)]),
  )
  expect(instructions.get('RUN')).toBe(`npm install --no-audit --no-fund ${name}@${version}`)
  const [, major] = /^node:(\d+)-/.exec(instructions.get('FROM') ?? '') ?? []
  expect(Number(major)).toBeGreaterThanOrEqual(Number.parseInt(engines.node.slice(2), 10))
  expect(existsSync(FOLDER + instructions.get('COPY')?.split(' ')[0])).toBe(true)
  const [program, ...args]: string[] = JSON.parse(instructions.get('CMD') ?? '[]')
  expect(program).toBe(`node_modules/.bin/${Object.keys(bin)[0]}`)
  expect(args[args.indexOf('--port') + 1]).toBe(instructions.get('EXPOSE'))

  const free = args.map((arg, i) => (args[i - 1] === '--port' ? '0' : arg))
  const env = { ...process.env, ETN_MARKET_CONTROL_TOKEN: 'secret' }
  const child = follow(spawn(process.execPath, [PROGRAM, ...free], { cwd: FOLDER, env }))
  onTestFinished(() => void child.process.kill())
  await expect.poll(child.printed).toMatch(/Listening on \S+/)
  const [, url] = /Listening on (\S+)/.exec(child.printed()) ?? []
  const [token] = JSON.parse(readFileSync(`${FOLDER}world.json`, 'utf8')).tokens
  const price = await fetch(`${url}/prices/52014/${token.address}`, { headers: { authorization: 'Bearer mine' } })
  expect(await price.json()).toMatchObject({ data: { usd: token.usd } })
  expect(price.headers.get('x-credits-remaining')).toBe('9950')
})
