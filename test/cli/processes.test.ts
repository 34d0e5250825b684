import { spawnSync } from 'node:child_process'
import { closeSync, existsSync, openSync } from 'node:fs'
import { fakeTokens } from 'etn-market/fake'
import { expect, test } from 'vitest'
import { createScene, PROGRAM } from './program.ts'

const { BOLT: first } = fakeTokens
const tokens: readonly string[] = Object.values(fakeTokens)
const LOCKS = 2_000

// SIGINT is Ctrl-C in `terminal`.
test('SIGTERM exits with 143, and prints what may have been charged', async () => {
  const { runProcess, fake } = await createScene()
  fake.fault({ never: true })
  const { code, stderr, stdout } = await runProcess(['call', 'token.price', '--address', first], {
    onStart: async (child) => {
      await expect.poll(() => fake.journal().length).toBe(1)
      child.kill('SIGTERM')
    },
  })
  expect([code, stdout]).toEqual([143, ''])
  expect(stderr).toContain('Charged: 0 credits ($0), and perhaps up to 50 more for lost answers.')
  expect(stderr.trim().split('\n').at(-1)).toBe('error: interrupted')
})

test('a closed pipe ends the program silently', async () => {
  const { runProcess } = await createScene()
  const { code, stderr } = await runProcess(['call', 'token.list', '--limit', '100'], {
    onStart: (child) => void child.stdout?.destroy(),
  })
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('rror')])
})

test.runIf(existsSync('/dev/full'))('an output that takes nothing more is an error', async () => {
  const { env, folder } = await createScene()
  const full = openSync('/dev/full', 'w')
  const { status, stderr } = spawnSync(process.execPath, [PROGRAM, 'cost', 'etn.price'], {
    stdio: ['ignore', full, 'pipe'],
    encoding: 'utf8',
    env: { ...env, TMPDIR: folder },
  })
  closeSync(full)
  expect([status, stderr]).toEqual([1, expect.stringMatching(/^error: standard output: the disk is full\. .*\n$/)])
})

test('a sweep that is killed leaves no lock, one that runs has it, and both keep what was paid for', async () => {
  const { run, runProcess, fake } = await createScene()
  fake.fault({ operation: 'locks.get', nth: [4, 5], never: true })
  const sweep = ['sweep', 'locks', ...tokens, '--resume', 'locks.jsonl', '--yes']
  const charged = () => fake.charged()
  const killed = await runProcess(sweep, {
    onStart: async (child) => {
      await expect.poll(() => fake.journal().length).toBe(5)
      const other = await run(sweep)
      expect([other.code, other.stderr]).toEqual([
        1,
        'error: journal locks.jsonl: another sweep is using it. Nothing was sent.\n',
      ])
      child.kill('SIGKILL')
    },
  })
  expect(killed.code).toBe(null)
  const paid = charged()
  const { stdout } = await run(sweep)
  const [, stored = '0'] = /\((\d+) from the journal\)/.exec(stdout) ?? []
  expect(stdout).toContain('10 of 10 done')
  // The two in flight were lost with the process.
  expect(Number(stored)).toBeGreaterThanOrEqual(paid / LOCKS - 2)
  expect(charged() - paid).toBe((10 - Number(stored)) * LOCKS)
})

test('a plan that is killed in a sweep counts what may have been charged, goes on, and buys nothing twice', async () => {
  const { runProcess, fake, folder, write } = await createScene()
  const limit = 60_000
  write(
    'plan.yaml',
    `creditsPerDay: ${limit}\nlines:\n  - { operation: locks.get, addresses: [${tokens.join(', ')}], every: 1d }\n`,
  )
  fake.fault({ operation: 'locks.get', nth: [4, 5], never: true })
  const plan = ['run', 'plan.yaml', '--yes']
  const killed = await runProcess(plan, {
    onStart: async (child) => {
      await expect.poll(() => fake.journal().length).toBe(5)
      child.kill('SIGKILL')
    },
  })
  expect(killed.code).toBe(null)
  const paid = fake.charged()
  expect(paid).toBe(5 * LOCKS)
  const { code, stdout } = await runProcess(plan, {
    onStart: async (child, printed) => {
      await expect.poll(printed).toContain('10 of 10 done')
      child.kill('SIGTERM')
    },
  })
  expect(code).toBe(0)
  expect(stdout).toMatch(/10 of 10 done \(3 from the journal\), 0 failed, 14,000 credits/)
  // The answers to two were lost with the process. They may have been charged, and were.
  expect(fake.charged()).toBe(12 * LOCKS)
  expect(stdout).toMatch(/^1 line, 20,000 of 60,000 credits a day, 10,000 spent today/)
  expect(stdout).toContain('Stopped. Today: 20,000 and perhaps 4,000 more of 60,000 credits.')
  expect(existsSync(`${folder}/plan.yaml.state.json.lock`)).toBe(false)
})

test('a terminal that is closed (SIGHUP) ends a run as SIGTERM does', async () => {
  const { runProcess, fake, write } = await createScene()
  write('plan.yaml', 'creditsPerDay: 5000\nlines:\n  - { operation: etn.price, every: 1h }\n')
  const { code, stdout } = await runProcess(['run', 'plan.yaml'], {
    onStart: async (child) => {
      await expect.poll(() => fake.charged()).toBe(25)
      child.kill('SIGHUP')
    },
  })
  expect([code, stdout]).toEqual([0, expect.stringContaining('Stopped. Today: 25 of 5,000 credits.')])
})

test.skipIf(process.platform === 'win32').each([
  ['plan /dev/stdin', 'cat | "$@" plan /dev/stdin'],
  ['plan <(…)', '"$@" plan <(cat)'],
])('`%s` reads a plan, and its addresses where it runs', async (_, command) => {
  const { runProcess, write } = await createScene()
  write('tokens.txt', first)
  const input = 'lines:\n  - { operation: locks.get, addresses: tokens.txt, once: night }\n'
  const { code, stdout, stderr } = await runProcess([], { shell: ['bash', '-c', command, 'bash'], input })
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toContain('A day: 2,000 credits ($0.002), 1 request.')
})

test('`run /dev/stdin`, which has no place for its state, is refused', async () => {
  const { runProcess } = await createScene()
  const input = 'creditsPerDay: 5000\nlines:\n  - { operation: etn.price, every: 1h }\n'
  const { code, stderr } = await runProcess(['run', '/dev/stdin'], {
    shell: ['bash', '-c', 'cat | "$@"', 'bash'],
    input,
  })
  expect([code, stderr]).toEqual([2, expect.stringContaining('/dev/stdin: it is a device or a pipe, and the state')])
})

test('a second signal ends a run at once, and says what may have been charged', async () => {
  const { runProcess, fake, write } = await createScene()
  write('plan.yaml', 'creditsPerDay: 5000\nlines:\n  - { operation: etn.price, every: 1h }\n')
  fake.fault({ never: true, times: Number.POSITIVE_INFINITY })
  const { code, stderr } = await runProcess(['run', 'plan.yaml'], {
    onStart: async (child, printed) => {
      await expect.poll(() => fake.journal().length).toBe(1)
      child.kill('SIGINT')
      await expect.poll(printed).toContain('Waiting for the calls in flight')
      // One that follows at once counts as the same press.
      await new Promise((resolve) => setTimeout(resolve, 600))
      expect(child.exitCode).toBe(null)
      child.kill('SIGINT')
    },
  })
  expect([code, stderr]).toEqual([130, expect.stringContaining('perhaps up to 25 more for lost answers')])
})
