import { spawn } from '@lydell/node-pty'
import { fakeTokens } from 'etn-market/fake'
import stringWidth from 'string-width'
import { expect, onTestFinished, test } from 'vitest'
import { run } from '../../src/cli/program.ts'
import { within } from '../support/wait.ts'
import { createHost, createScene, KEY, PROGRAM, type Scene } from './program.ts'

const LOCKS = 2_000
const TOKENS: readonly string[] = Object.values(fakeTokens)

interface TerminalOptions {
  readonly env?: Readonly<Record<string, string>>
  /** What is typed when a text is shown, one after the other. */
  readonly typing?: readonly (readonly [shown: string, typed: string])[]
}

/** The built program on a terminal. */
function openTerminal(scene: Scene, args: readonly string[], { env, typing = [] }: TerminalOptions = {}) {
  const terminal = spawn(process.execPath, [PROGRAM, ...args], {
    cwd: scene.folder,
    env: { ...scene.env, ...env },
    cols: 120,
    rows: 30,
  })
  onTestFinished(() => terminal.kill('SIGKILL'))
  let output = ''
  const left = [...typing]
  const exited = new Promise<{ exitCode: number; signal?: number }>((resolve) => void terminal.onExit(resolve))
  terminal.onData((text) => {
    output += text
    if (left[0] !== undefined && output.includes(left[0][0])) terminal.write(left.shift()?.[1] ?? '')
  })
  return {
    /** Everything that was shown so far, what was typed included. */
    shown: () => output,
    type: (text: string) => terminal.write(text),
    kill: (signal: NodeJS.Signals) => void process.kill(terminal.pid, signal),
    /** Waits for the end of the program. */
    async ended() {
      const ended = await within(`the end of etn-market ${args.join(' ')}`, exited, { state: () => output })
      return { ...ended, output }
    },
  }
}

/** Runs the program on a terminal, to its end. */
const runOnTerminal = (scene: Scene, args: readonly string[], options: TerminalOptions = {}) =>
  openTerminal(scene, args, options).ended()

/** The program within the process of the test, on what it takes for a terminal. */
function startOnTerminal({ folder, env }: Scene, args: readonly string[], columns = 120) {
  const host = createHost({ folder, env: { ...env, NO_COLOR: '1' }, columns })
  const code = run(args, host)
  return { host, ended: () => within(`the end of etn-market ${args.join(' ')}`, code, { state: host.printed }) }
}

/** Whether what the program changed last is as it was: the cursor is shown, and lines wrap. */
function expectRestored(output: string): void {
  expect(output.lastIndexOf('\u001b[?25h')).toBeGreaterThan(output.lastIndexOf('\u001b[?25l'))
  // A prompt leaves wrapping alone.
  expect(output.lastIndexOf('\u001b[?7h')).toBeGreaterThanOrEqual(output.lastIndexOf('\u001b[?7l'))
}

test('asks for a missing key without showing it, and Ctrl-C there is 130', async () => {
  const scene = await createScene()
  const env = { ETN_MARKET_API_KEY: '' }
  const { exitCode, output } = await runOnTerminal(scene, ['account'], { env, typing: [['API key', `${KEY}\r`]] })
  expect([exitCode, output]).toEqual([0, expect.stringContaining('Credits: 10,000,000')])
  expect(output).not.toContain(KEY.slice(0, 8))
  const cancelled = await runOnTerminal(scene, ['account'], { env, typing: [['API key', '\u0003']] })
  expect(cancelled).toMatchObject({ exitCode: 130, signal: 0 })
  expectRestored(cancelled.output)
  expect(scene.fake.journal()).toHaveLength(1)
})

test.each([
  [['demo'], '2. A watch', '\u0003'],
  [['prices', '-'], 'Ctrl-D ends', '0x\u0003'],
])('Ctrl-C ends %j at %j', async (args, shown, typed) => {
  const ended = await runOnTerminal(await createScene(), args, { typing: [[shown, typed]] })
  expect(ended).toMatchObject({ exitCode: 130, signal: 0 })
})

test('asks above 10,000 credits, about --max-credits where that is given', async () => {
  const scene = await createScene()
  const sweep = ['sweep', 'locks', ...TOKENS, '--resume', 'locks.jsonl']
  const refused = await runOnTerminal(scene, sweep, { typing: [['Spend up to 20,000 credits', 'n']] })
  expect([refused.exitCode, refused.output]).toEqual([
    1,
    expect.stringContaining('error: not confirmed. Nothing was sent.'),
  ])
  expect(scene.fake.journal()).toEqual([])
  const limited = ['--max-credits', '12000']
  const confirmed = await runOnTerminal(scene, [...sweep, ...limited], {
    typing: [['Spend up to 12,000 credits', 'y']],
  })
  expect(confirmed.exitCode).toBe(1)
  expect(scene.fake.charged()).toBe(12_000)
})

test('colours are for a terminal, and NO_COLOR declines them', async () => {
  const scene = await createScene()
  const plan = ['candles', fakeTokens.BOLT, '--limit', '5']
  const columns = 120
  expect((await scene.run(plan, { columns })).stdout).toContain('\u001b[36m')
  expect((await scene.run(plan, { columns, env: { NO_COLOR: '1' } })).stdout).not.toContain('\u001b[')
  expect((await scene.run(plan)).stdout).not.toContain('\u001b[')
})

test('--watch draws a table in place, and Ctrl-C restores the cursor and prints what was charged', async () => {
  const scene = await createScene()
  const watch = ['prices', fakeTokens.BOLT, '--watch', '1m', '--no-symbols', '--yes']
  const { output, ...ended } = await runOnTerminal(scene, watch, { typing: [['Ctrl-C ends', '\u0003']] })
  expect(ended).toMatchObject({ exitCode: 130, signal: 0 })
  expect(output).toContain('\u001b[?7l')
  expectRestored(output)
  expect(output).toContain('Charged: 50 credits ($0.00005)')
  expect(output).toContain('error: interrupted')
})

test.each([
  [80, []],
  [80, ['--no-symbols']],
  [40, []],
] as const)('--watch keeps the age in %i columns with %j', async (columns, options) => {
  const scene = await createScene()
  const watch = ['prices', fakeTokens.BOLT, fakeTokens.CORE, '--watch', '1s', '--yes', ...options]
  const { host, ended } = startOnTerminal(scene, watch, columns)
  await expect.poll(() => host.printed().stdout).toMatch(/\d\.\d\d % [^\n]*\n[^\n]*\d\.\d\d % /)
  host.emit('SIGINT')
  await ended()
  const drawn = host
    .printed()
    .stdout.split('\u001b[?7l')
    .slice(1)
    .map((part) => part.split('\u001b[?7h')[0] ?? '')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they begin what moves the cursor
  const lines = drawn.flatMap((part) => part.replace(/\u001b\[[\d?]*[A-Za-z]/g, '').split(/[\r\n]+/))
  expect(Math.max(...lines.map((line) => stringWidth(line)))).toBeLessThanOrEqual(columns)
  const titles = lines.filter((line) => line.includes('USD'))
  expect(titles.length).toBeGreaterThan(1)
  for (const line of titles) expect(line).toMatch(/ age$/)
})

test('Ctrl-C ends the progress bar of a sweep, waits for the calls in flight and keeps their answers', async () => {
  const scene = await createScene()
  const { fake } = scene
  let release = () => {}
  const isReleased = new Promise<boolean>((resolve) => {
    release = () => resolve(true)
  })
  let asked = 0
  const when = () => ++asked > 3 && isReleased
  fake.fault({ operation: 'locks.get', when, delayMs: 0, times: 2 })
  const sweep = ['sweep', 'locks', ...TOKENS, '--resume', 'locks.jsonl', '--yes']
  const terminal = openTerminal(scene, sweep)
  await expect.poll(() => asked).toBe(5)
  await expect.poll(terminal.shown).toContain('0 failed')
  terminal.type('\u0003')
  await expect.poll(terminal.shown).toContain('Waiting for the calls in flight')
  release()
  const { output, ...ended } = await terminal.ended()
  expect(ended).toMatchObject({ exitCode: 130, signal: 0 })
  expectRestored(output)
  expect(output).toMatch(/Charged: [\d,]+ credits \(\$[\d.]+\)\. /)
  const paid = fake.charged()
  expect(paid).toBe(5 * LOCKS)
  fake.reset({ keep: ['keys', 'world'] })
  await scene.run(sweep)
  expect(fake.charged()).toBe(10 * LOCKS - paid)
})

test('Ctrl-C in a cool-down of a sweep sends nothing more and counts what was bought', async () => {
  const scene = await createScene()
  const { fake } = scene
  fake.fault({ operation: 'locks.get', status: 503, code: 'server_busy', retryAfter: 30, nth: [3, 4] })
  const { host, ended } = startOnTerminal(scene, ['sweep', 'locks', ...TOKENS, '--resume', 'a.jsonl', '--yes'])
  await expect.poll(() => fake.journal().some(({ status }) => status === 503)).toBe(true)
  await expect.poll(() => host.printed().stderr).toContain('2/10')
  host.emit('SIGINT')
  expect(await ended()).toBe(130)
  expect(host.printed().stdout).toContain('2 of 10 done, 0 failed, 4,000 credits.')
  expect(host.printed().stdout).toContain('8 left. To go on: run it again with --resume a.jsonl')
  expect(fake.charged()).toBe(2 * LOCKS)
  // Of two calls in flight one or both were refused.
  expect(fake.journal().length).toBeLessThanOrEqual(4)
})

test('a second Ctrl-C restores the terminal and prints what may have been charged', async () => {
  const scene = await createScene()
  const { fake } = scene
  fake.fault({ operation: 'locks.get', nth: [3, 4], never: true })
  const terminal = openTerminal(scene, ['sweep', 'locks', ...TOKENS, '--resume', 'a.jsonl', '--yes'])
  await expect.poll(() => fake.journal().length).toBe(4)
  await expect.poll(terminal.shown).toContain('2/10')
  terminal.type('\u0003')
  await expect.poll(terminal.shown).toContain('Ctrl-C again gives them up.')
  // Two at the same moment are one press that a program in between has passed on.
  await expect
    .poll(() => {
      if (!terminal.shown().includes('Charged: ')) terminal.type('\u0003')
      return terminal.shown()
    })
    .toContain('Charged: ')
  const { exitCode, signal, output } = await terminal.ended()
  expect({ exitCode, signal }).toEqual({ exitCode: 130, signal: 0 })
  expect(output).toContain('Charged: 4,000 credits ($0.004), and perhaps up to 4,000 more for lost answers.')
  expect(output).toContain('\u001b[?7l')
  expectRestored(output)
})

test.skipIf(process.platform === 'win32')(
  'Ctrl-Z gives the shell its cursor and wrapping, and `fg` goes on below',
  async () => {
    const scene = await createScene()
    const watch = ['prices', fakeTokens.BOLT, '--watch', '1s', '--yes', '--no-symbols']
    const terminal = openTerminal(scene, watch, { env: { NO_COLOR: '1' } })
    await expect.poll(terminal.shown).toContain('Ctrl-C ends.')
    terminal.type('\u001a')
    const [hide, show, wrap] = ['\u001b[?25l', '\u001b[?25h', '\u001b[?7h']
    await expect.poll(() => terminal.shown().endsWith(wrap + show)).toBe(true)
    const stopped = terminal.shown().length
    await expect
      .poll(() => {
        terminal.kill('SIGCONT')
        return terminal.shown().slice(stopped)
      })
      .toContain('Ctrl-C ends.')
    // What was drawn before stays: nothing moves the cursor up over what the shell has printed.
    const first = terminal.shown().slice(stopped).split('Ctrl-C ends.')[0] ?? ''
    expect([first.startsWith(hide), first.includes('A\r')]).toEqual([true, false])
    terminal.type('\u0003')
    const { exitCode, output } = await terminal.ended()
    expect(exitCode).toBe(130)
    expectRestored(output)
  },
)
