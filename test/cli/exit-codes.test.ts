import { describe, expect, test } from 'vitest'
import { createScene, KEY } from './program.ts'

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
    ...[
      'call etn.price',
      'prices 0x043fAa1b5C5FC9a7dc35171f290c29ECDE0cCff1',
      'candles 0x043fAa1b5C5FC9a7dc35171f290c29ECDE0cCff1',
      'portfolio 0x043fAa1b5C5FC9a7dc35171f290c29ECDE0cCff1',
      'verify',
      'account',
      'sweep locks 0x043fAa1b5C5FC9a7dc35171f290c29ECDE0cCff1',
    ].flatMap((command): [string[], string][] => [
      [[...command.split(' '), '--key-file', 'nowhere'], '--key-file nowhere: there is no such file or folder.'],
      [
        [...command.split(' '), '--base-url', 'nonsense'],
        'Invalid --base-url: nonsense. It must be an http or https URL.',
      ],
    ]),
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
