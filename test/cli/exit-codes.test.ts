import { fakeTokens } from 'etn-market/fake'
import { expect, test } from 'vitest'
import { createScene, KEY } from './program.ts'

const { BOLT, CORE } = fakeTokens

test.each([400, 401, 402, 403, 404, 429, 500])(
  'the exit code of status %i is 1 for a refusal, else 3',
  async (status) => {
    const { run, fake } = await createScene()
    // A long wait is not slept.
    fake.fault({ status, retryAfter: 3_600, times: 3 })
    const { code, stderr } = await run(['call', 'etn.price', '--base-url', `${(await fake.listen()).url}`])
    expect(code).toBe(status < 429 ? 1 : 3)
    expect(stderr.trim().split('\n')).toHaveLength(2)
  },
)

const OF_THE_SERVICE = [
  'call etn.price',
  `prices ${BOLT}`,
  `candles ${BOLT}`,
  `portfolio ${BOLT}`,
  'verify',
  'account',
  `sweep locks ${BOLT}`,
].flatMap((command): [string, string][] => [
  [`${command} --key-file nowhere`, '--key-file nowhere: there is no such file or folder.'],
  [`${command} --base-url nonsense`, 'Invalid --base-url: nonsense. It must be an http or https URL.'],
])

const NO_KEY = { ETN_MARKET_API_KEY: '' }

test.each<[string, string | RegExp, Record<string, string>?]>([
  ['x', "unknown command 'x'. `etn-market --help` lists the commands."],
  ['cots', "unknown command 'cots'. Did you mean cost?"],
  ['cost token.lst', 'unknown operation "token.lst". Did you mean token.list?'],
  ['cost x', /^error: unknown operation "x"\. Known: etn\.price, .*meta\.openapi\.\n$/],
  ['call token.list --limt 5', "unknown option '--limt'. Did you mean --limit?"],
  ['call token.list --limit', 'argument missing'],
  ['call token.list --limit 0', 'limit: 0. It must be a whole number from 1 to 100'],
  ['call token.price --address 0x12', 'invalid address: "0x12". It must be 0x and 40 hex digits'],
  ['call token.price --limit 1', 'unknown parameter "limit". It takes: chainId, address'],
  ['call etn.price --max-credits x', "'x' is invalid. It must be a whole number."],
  ['plan plan.yaml --daily-limit 0', "'0' is invalid. It must be above 0"],
  ['account --base-url ftp://x', 'Invalid --base-url: ftp://x. It must be an http or https URL'],
  ['prices', "missing required argument 'addresses'"],
  ['prices 0x12', 'invalid address "0x12": an address is 0x and 40 hex digits'],
  [`prices ${BOLT.replace('A', 'a')}`, 'its EIP-55 checksum is wrong'],
  [`prices ${BOLT} --watch 100ms`, 'It must be a duration such as 30s, 5m or 1h, from 1s to 1d'],
  ['portfolio 0x12', 'invalid address: "0x12"'],
  ['sweep lokcs x', 'unknown sweep "lokcs". Did you mean locks?'],
  ['sweep locks nowhere.txt', 'invalid address "nowhere.txt"'],
  [`sweep locks ${BOLT} --limit 4`, 'locks.get: unknown parameter "limit"'],
  [`sweep locks ${BOLT} --resume no/where.jsonl`, 'journal no/where.jsonl: there is no such file or folder.'],
  ['candles', "missing required argument 'addresses'"],
  [`candles ${BOLT} --sync bolt.txt`, 'it must end in .csv, .sqlite or .db'],
  [`candles ${BOLT} --svg no/where.svg`, '--svg no/where.svg: there is no such file or folder.'],
  [`candles ${BOLT} --csv .`, 'it is a folder'],
  [`candles ${BOLT} --bucket 2h`, 'invalid bucket: "2h". It must be one of 1m, 15m, 1h, 4h, 1d.'],
  [`candles ${BOLT} --csv --sync bolt.csv`, '--csv and --sync cannot be given together.'],
  [`candles ${BOLT} ${CORE} --sync bolt.csv`, 'bolt.csv: several tokens need a folder'],
  [`candles ${BOLT} ${CORE} --csv`, '--csv of several tokens needs a folder'],
  [`candles ${BOLT} ${CORE} --svg a.svg`, '--svg takes one token'],
  [`candles ${BOLT} ${CORE} --all-listed`, '--all-listed stands instead of addresses'],
  ['verify --report no/where.md', '--report no/where.md: there is no such file or folder.'],
  ['completion tcsh', 'Allowed choices are bash, zsh, fish.'],
  ['run plan.yaml --max-credits 5', 'use --daily-limit'],
  ['account', 'no API key: set ETN_MARKET_API_KEY, or name a file that holds it with --key-file.', NO_KEY],
  ...OF_THE_SERVICE,
])('%j is reported on one line, with exit code 2, and nothing is sent', async (line, message, env = {}) => {
  const { run, fake } = await createScene()
  const { code, stdout, stderr } = await run(line.split(' '), { env })
  expect([code, stdout, fake.journal()]).toEqual([2, '', []])
  expect(stderr).toMatch(/^error: .*\n$/)
  expect(stderr).toMatch(message)
})

test('wrong usage is JSON on standard output with --json, and shows nothing that looks like a key', async () => {
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
  expect([code, stdout, stderr]).toEqual([2, '', expect.stringMatching(/^Usage: etn-market/)])
  expect((await run(['--help'])).code).toBe(0)
})
