import { spawn } from '@lydell/node-pty'
import { fakeTokens } from 'etn-market/fake'
import { expect, onTestFinished, test } from 'vitest'
import { createScene, KEY, PROGRAM, type Scene } from './program.ts'

/** Runs the program on a terminal. `answer` gets everything that is shown so far and returns what is typed next. */
async function runOnTerminal(
  { folder, env }: Scene,
  args: readonly string[],
  changed: Readonly<Record<string, string>>,
  answer: (shown: string) => string | undefined,
) {
  const terminal = spawn(process.execPath, [PROGRAM, ...args], {
    cwd: folder,
    env: { ...env, ...changed },
    cols: 120,
    rows: 30,
  })
  onTestFinished(() => terminal.kill('SIGKILL'))
  let output = ''
  const ended = new Promise<{ exitCode: number; signal?: number }>((resolve) => void terminal.onExit(resolve))
  terminal.onData((text) => {
    output += text
    const typed = answer(output)
    if (typed !== undefined) terminal.write(typed)
  })
  const { exitCode, signal } = await ended
  return { exitCode, signal, output }
}

/** Types each answer once, when its question is shown. */
function replies(...steps: readonly (readonly [question: string, typed: string])[]) {
  const left = [...steps]
  return (shown: string): string | undefined => {
    if (left[0] === undefined || !shown.includes(left[0][0])) return undefined
    return left.shift()?.[1]
  }
}

test('asks for a missing key without showing it, and Ctrl-C there is 130', async () => {
  const scene = await createScene()
  const noKey = { ETN_MARKET_API_KEY: '' }
  const { exitCode, output } = await runOnTerminal(scene, ['account'], noKey, replies(['API key', `${KEY}\r`]))
  expect([exitCode, output]).toEqual([0, expect.stringContaining('Credits: 10,000,000')])
  expect(output).not.toContain(KEY.slice(0, 8))
  const cancelled = await runOnTerminal(scene, ['account'], noKey, replies(['API key', '\u0003']))
  expect(cancelled).toMatchObject({ exitCode: 130, signal: 0 })
  expect(cancelled.output.lastIndexOf('\u001b[?25h')).toBeGreaterThan(cancelled.output.lastIndexOf('\u001b[?25l'))
  expect(scene.fake.journal()).toHaveLength(1)
})

test('Ctrl-C ends the wait for addresses on standard input', async () => {
  const scene = await createScene()
  const { exitCode, signal } = await runOnTerminal(scene, ['prices', '-'], {}, replies(['Ctrl-D ends', '0x\u0003']))
  expect({ exitCode, signal }).toEqual({ exitCode: 130, signal: 0 })
})

test('asks above 10,000 credits, about --max-credits where that is given', async () => {
  const scene = await createScene()
  const sweep = ['sweep', 'locks', ...Object.values(fakeTokens), '--resume', 'locks.jsonl']
  const refused = await runOnTerminal(scene, sweep, {}, replies(['Spend up to 20,000 credits', 'n']))
  expect([refused.exitCode, refused.output]).toEqual([
    1,
    expect.stringContaining('error: not confirmed. Nothing was sent.'),
  ])
  expect(scene.fake.journal()).toEqual([])
  const limited = ['--max-credits', '12000']
  const confirmed = await runOnTerminal(scene, [...sweep, ...limited], {}, replies(['Spend up to 12,000 credits', 'y']))
  expect(confirmed.exitCode).toBe(1)
  expect(scene.fake.charged()).toBe(12_000)
})

test('colours are for a terminal, and NO_COLOR declines them', async () => {
  const scene = await createScene()
  const plan = ['candles', fakeTokens.BOLT, '--limit', '5']
  const colored = await runOnTerminal(scene, plan, {}, () => undefined)
  expect(colored.output).toContain('\u001b[36m')
  const plain = await runOnTerminal(scene, plan, { NO_COLOR: '1' }, () => undefined)
  expect(plain.output).not.toContain('\u001b[')
  expect((await scene.run(plan)).stdout).not.toContain('\u001b[')
})
