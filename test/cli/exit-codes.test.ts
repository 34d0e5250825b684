import { spawnSync } from 'node:child_process'
import { closeSync, existsSync, openSync } from 'node:fs'
import { fakeTokens } from 'etn-market/fake'
import { describe, expect, test } from 'vitest'
import { createScene, KEY, PROGRAM } from './program.ts'

const { BOLT: first } = fakeTokens

describe('exit codes', () => {
  test.each([
    [401, 1],
    [402, 1],
    [403, 1],
    [404, 1],
    [400, 1],
    [429, 3],
    [500, 3],
  ])('status %i is %i', async (status, exitCode) => {
    const { run, fake } = await createScene()
    // A long wait is not slept.
    fake.fault({ status, retryAfter: 3_600, times: 3 })
    const { code, stderr } = await run(['call', 'etn.price', '--base-url', `${(await fake.listen()).url}`])
    expect(code).toBe(exitCode)
    expect(stderr.trim().split('\n')).toHaveLength(2)
  })

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s exits with %i, and prints what may have been charged', async (signal, exitCode) => {
    const { run, fake } = await createScene()
    fake.fault({ never: true })
    const { code, stderr, stdout } = await run(['call', 'token.price', '--address', first], {
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
    const { run } = await createScene()
    const { code, stderr } = await run(['call', 'token.list', '--limit', '100'], {
      onStart: (child) => void child.stdout?.destroy(),
    })
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('rror')])
  })

  test.runIf(existsSync('/dev/full'))('an output that takes nothing more is an error', () => {
    const full = openSync('/dev/full', 'w')
    const { status, stderr } = spawnSync(process.execPath, [PROGRAM, 'cost', 'etn.price'], {
      stdio: ['ignore', full, 'pipe'],
      encoding: 'utf8',
    })
    closeSync(full)
    expect([status, stderr]).toEqual([1, expect.stringMatching(/^error: standard output: ENOSPC.*\n$/)])
  })
})

describe('wrong usage', () => {
  test.each([
    [['x'], "unknown command 'x'. `etn-market --help` lists the commands."],
    [['cots'], "unknown command 'cots'. Did you mean cost?"],
    [['cost', 'token.lst'], 'unknown operation "token.lst". Did you mean token.list?'],
    [['cost', 'x'], /^unknown operation "x"\. Known: etn\.price, .*meta\.openapi\.$/],
    [['call', 'token.list', '--limt', '5'], "unknown option '--limt'. Did you mean --limit?"],
    [['call', 'token.list', '--limit'], /argument missing/],
    [['call', 'token.list', '--limit', '0'], /limit: 0\. It must be a whole number from 1 to 100/],
    [['call', 'token.price', '--address', '0x12'], /invalid address: "0x12"\. It must be 0x and 40 hex digits/],
    [['call', 'token.price', '--limit', '1'], /unknown parameter "limit"\. It takes: chainId, address/],
    [['call', 'etn.price', '--max-credits', 'x'], /'x' is invalid\. It must be a whole number of credits/],
    [['account', '--base-url', 'ftp://x'], /Invalid --base-url: ftp:\/\/x\. It must be an http or https URL/],
    [['account', '--key-file', 'nowhere'], '--key-file nowhere: there is no such file or folder.'],
  ] as [string[], string | RegExp][])('%j is reported on one line, with exit code 2', async (args, message) => {
    const { run } = await createScene()
    const { code, stdout, stderr } = await run(args)
    expect([code, stdout]).toEqual([2, ''])
    const [line = '', ...others] = stderr.trimEnd().split('\n')
    expect(others).toEqual([])
    expect(line.slice('error: '.length)).toMatch(message)
  })

  test('is JSON on standard output with --json, and shows nothing that looks like a key', async () => {
    const { run } = await createScene()
    const { code, stdout, stderr } = await run(['call', KEY, '--json'])
    expect([code, stderr]).toEqual([2, ''])
    expect(JSON.parse(stdout)).toEqual({
      error: { code: 'invalid_usage', message: expect.stringMatching(/^unknown operation "\[redacted\]"/) },
    })
  })

  test('without arguments the help is on standard error', async () => {
    const { run } = await createScene()
    const { code, stdout, stderr } = await run([])
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(/^Usage: etn-market/)
    expect((await run(['--help'])).code).toBe(0)
  })

  test('no key is wrong usage', async () => {
    const { run } = await createScene()
    const { code, stderr } = await run(['account'], { env: { ETN_MARKET_API_KEY: '' } })
    expect([code, stderr]).toEqual([
      2,
      'error: no API key: set ETN_MARKET_API_KEY, or name a file that holds it with --key-file.\n',
    ])
  })
})
