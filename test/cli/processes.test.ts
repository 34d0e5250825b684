import { spawnSync } from 'node:child_process'
import { closeSync, existsSync, openSync } from 'node:fs'
import { fakeTokens } from 'etn-market/fake'
import { expect, test } from 'vitest'
import { createScene, PROGRAM } from './program.ts'

const { BOLT: first } = fakeTokens
const tokens: readonly string[] = Object.values(fakeTokens)
const LOCKS = 2_000

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('%s exits with %i, and prints what may have been charged', async (signal, exitCode) => {
  const { runProcess, fake } = await createScene()
  fake.fault({ never: true })
  const { code, stderr, stdout } = await runProcess(['call', 'token.price', '--address', first], {
    onStart: async (child) => {
      await expect.poll(() => fake.journal().length).toBe(1)
      child.kill(signal)
    },
  })
  expect([code, stdout]).toEqual([exitCode, ''])
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
