import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient, type OperationId, operations } from 'etn-market'
import { createFakeService, type FakeService, fakeRoutes } from 'etn-market/fake'
import { expect, test } from 'vitest'
import { compareOpenApi } from '../../src/cli/compare-contract.ts'
import { createScene, listKnownTokens } from './program.ts'

const everything = Object.keys(operations).sort()
/** Of requests that must be refused, if they were served. */
const COST_OF_PROBES = 605 + 50 + 100

test('comes out clean against the fake, for what it announced, and its tape plays the same answers', async () => {
  const { run, fake, folder } = await createScene()
  listKnownTokens(fake)
  const { code, stdout, stderr } = await run(['verify', '--report', 'report.md', '--tape', 'tape.json'])
  expect(code).toBe(0)
  const announced = stderr.match(/^verify: ([\d,]+) to ([\d,]+) credits/) ?? []
  const [min = 0, max = 0] = announced.slice(1).map((text) => Number(text.replaceAll(',', '')))
  // Everything empty, but five tokens in a batch.
  expect(min).toBe(Object.values(fakeRoutes).reduce((sum, { base }) => sum + base, 5 * 10))
  expect([...stdout.matchAll(/^ok {2}(.*)$/gm)].map(([, operation]) => operation).sort()).toEqual(everything)
  expect(stdout).toMatch(/\n\d+ grades can be raised to observed, \d+ fields not seen: --report lists them\.\n$/)
  // A wallet or a token may have nothing to charge for.
  expect(fake.charged()).toBeGreaterThanOrEqual(min)
  expect(fake.charged()).toBeLessThanOrEqual(max - COST_OF_PROBES)
  const refused = fake.journal().filter(({ status }) => (status ?? 0) >= 400)
  expect(refused.map(({ status }) => status)).toEqual([400, 400, 404])

  const report = readFileSync(join(folder, 'report.md'), 'utf8')
  expect(report).toContain('- `trade.list` `data[].sender`')
  expect(report).not.toMatch(/0x[0-9a-f]{40}/i)
  const tape = JSON.parse(readFileSync(join(folder, 'tape.json'), 'utf8'))
  expect(tape.entries.map(({ operation }: { operation: string }) => operation).sort()).toEqual(everything)
  const replayed = createFakeService({ tape })
  const client = createClient({ apiKey: replayed.key, fetch: replayed.fetch })
  const { params, data } = tape.entries.find(({ operation }: { operation: string }) => operation === 'locks.get')
  expect(await client.locks.get(params)).toEqual(data)
})

type Fields = Record<string, unknown>
type FaultOptions = Parameters<FakeService['fault']>[0]

const dataOf = (body: unknown) => (body as Fields).data

type Stub = (operation: string, answer: (call: { data: Fields }) => unknown, options: object) => void
type Change = (operation: string, field: string, value: unknown) => (fake: FakeService) => void

/** Changes a field of an answer, or of each of its items. */
const changeWith =
  (toAnswer: (data: Fields, changed: Fields) => unknown): Change =>
  (operation, field, value) =>
  (fake) =>
    (fake.stub as unknown as Stub)(operation, ({ data }) => toAnswer(data, { [field]: value }), { validate: false })

const change = changeWith((data, changed) => ({ ...data, ...changed }))
const changeItem = changeWith((data, changed) => (data as unknown as Fields[]).map((item) => ({ ...item, ...changed })))

/** Differences from the contract, and how each is named. */
const PLANTED: [plant: (fake: FakeService) => void, named: string][] = [
  [change('etn.price', 'usd', undefined), 'etn.price|missing: data.usd: absent; its grade is assumed'],
  [change('etn.price', 'eur', '1'), 'etn.price|new: data.eur: string that the contract does not have'],
  [change('token.price', 'usd', 0.5), 'token.price|type: data.usd: string or null (decimal) expected, number found'],
  [change('token.price', 'address', undefined), 'token.price|missing: data.address: a required field is absent'],
  [change('token.get', 'decimals', '18'), 'token.get|type: data.decimals: integer expected, string found'],
  [change('token.get', 'priceUsd', '1'), 'token.get|new: data.priceUsd: string that'],
  [change('token.history', 'prices', {}), 'token.history|type: data.prices: array or null expected, object found'],
  [change('token.history', 'volume', undefined), 'token.history|missing: data.volume: absent'],
  [change('nft.stats', 'updatedAt', 5), 'nft.stats|type: data.updatedAt: string'],
  [change('nft.collection', 'stats', null), 'nft.collection|type: data.stats: object expected, null found'],
  [change('presale.get', 'status', undefined), 'presale.get|missing: data.status: a required field is absent'],
  [change('presale.get', 'kyc', true), 'presale.get|new: data.kyc: boolean that'],
  [change('balances.get', 'updated', '1'), 'balances.get|type: data.updated: integer expected, string found'],
  [change('account.me', 'tier', 7), 'account.me|type: data.tier: string or null expected, integer found'],
  [change('account.me', 'credits', undefined), 'account.me|missing: data.credits: absent'],
  [changeItem('token.candles', 'count', 1.5), 'token.candles|type: data[].count: integer expected, number found'],
  [changeItem('pool.list', 'token0', null), 'pool.list|type: data[].token0: object expected, null found'],
  [changeItem('trade.list', 'sender', undefined), 'trade.list|missing: data[].sender: absent; its grade is assumed'],
  [changeItem('locks.get', 'unlocks', 5), 'locks.get|new: data[].unlocks: integer that'],
  [changeItem('farm.list', 'fee', '3'), 'farm.list|type: data[].fee: number or null expected, string found'],
]

/** What does not match the contract. */
function differing(data: unknown) {
  const { operations } = data as { operations: { operation: string; status: string; differences: string[] }[] }
  return operations.filter(({ status }) => status !== 'matches')
}

test('names all of twenty planted differences, and nothing else', async () => {
  const named: string[] = []
  // A stub replaces an earlier one of its operation: the differences of one operation need a run each.
  for (const round of [0, 1]) {
    const { json, fake } = await createScene()
    const ofRound = PLANTED.filter(([, name], index) => {
      const operation = name.split('|')[0]
      return PLANTED.slice(0, index).filter(([, other]) => other.startsWith(`${operation}|`)).length === round
    })
    listKnownTokens(fake)
    for (const [plant] of ofRound) plant(fake)
    const { code, data } = await json(['verify'])
    expect(code).toBe(1)
    named.push(
      ...differing(data).flatMap(({ operation, differences }) => differences.map((line) => `${operation}|${line}`)),
    )
  }
  expect(PLANTED).toHaveLength(20)
  expect(PLANTED.filter(([, name]) => !named.some((line) => line.startsWith(name))).map(([, name]) => name)).toEqual([])
  expect(named).toHaveLength(20)
})

test('reports what could not be asked, what failed, wrong charges, and refusals that are none', async () => {
  const { json, run, fake } = await createScene()
  listKnownTokens(fake)
  fake.stub('presale.list', () => [])
  fake.fault({ operation: 'farm.list', status: 500, retryAfter: 3_600 })
  fake.fault({ operation: 'nft.stats', creditHeaders: 'missing' })
  const { code, data } = await json(['verify'])
  const found = differing(data)
  expect(code).toBe(3)
  expect(found.map(({ operation, status, differences }) => [operation, status, differences])).toEqual([
    ['nft.stats', 'differs', ['X-Credits-Cost is missing', 'X-Credits-Remaining is missing']],
    ['farm.list', 'failed', [expect.stringMatching(/^farm\.list: the service answered 500/)]],
    ['presale.get', 'not_verified', [expect.stringContaining('no presale to ask about')]],
  ])
  const refused = await run(['verify', '--max-credits', '9000'])
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('more than --max-credits 9,000 allows')])
})

const STRAY = 'is there although the call is free'
const UNREADABLE = 'is not one whole number'

test.each<[OperationId, FaultOptions, string]>([
  ['etn.price', { creditHeaders: { remaining: '' } }, `X-Credits-Remaining ${UNREADABLE}`],
  ['etn.price', { creditHeaders: 'duplicate' }, `X-Credits-Cost ${UNREADABLE}`],
  ['etn.price', { creditHeaders: { cost: 'few' } }, `X-Credits-Cost ${UNREADABLE}`],
  ['pool.list', { creditHeaders: { cost: 100 } }, '100 credits charged, not 205'],
  ['account.me', { headers: { 'x-credits-cost': '0' } }, `X-Credits-Cost ${STRAY}`],
  ['meta.openapi', { headers: { 'x-credits-remaining': '9' } }, `X-Credits-Remaining ${STRAY}`],
  // Without its envelope, as a bare list, and as no JSON.
  ['etn.price', { transform: dataOf }, 'missing: data: a required field is absent'],
  ['pool.list', { transform: dataOf }, 'type: the answer: object expected, array found'],
  ['etn.price', { malformed: true }, 'the body is not JSON'],
])('%s with %j is a difference', async (operation, fault, difference) => {
  const { json, fake } = await createScene()
  listKnownTokens(fake)
  fake.fault({ ...fault, operation })
  const { code, data } = await json(['verify'])
  expect(code).toBe(1)
  expect(differing(data)).toMatchObject([
    { operation, status: 'differs', differences: expect.arrayContaining([expect.stringContaining(difference)]) },
  ])
})

test('a refusal with credit headers is a difference, and a balance that is not stated is not printed', async () => {
  const { run, fake } = await createScene()
  listKnownTokens(fake)
  fake.fault({ when: ({ path }) => path.includes('DeaDBeef'), headers: { 'x-credits-cost': '0' } })
  fake.fault({ operation: 'locks.get', creditHeaders: { remaining: '' } })
  const { code, stdout, stderr } = await run(['verify'])
  expect([code, stdout]).toEqual([
    1,
    expect.stringContaining('differs  an unknown token: X-Credits-Cost is there although the call is refused'),
  ])
  expect(stdout.match(/^(differs|failed|not verified) {2}/gm)).toEqual(['differs  ', 'differs  '])
  expect(stderr).toMatch(/\nCharged: 8,\d{3} credits \(\$0\.00\d+\)\.\n$/)
})

test('openapi.json is compared by method and path, whatever path parameters are called', () => {
  const limit = (maximum: number) => ({ name: 'limit', in: 'query', schema: { type: 'integer', maximum } })
  const ours = {
    paths: {
      '/a/{x}': { get: { parameters: [limit(5)] } },
      '/b': { get: {} },
      '/c': { get: { parameters: [limit(1)] } },
    },
  }
  const theirs = {
    components: { parameters: { Limit: limit(9) } },
    paths: {
      '/v1/a/{y}': { get: { parameters: [{ $ref: '#/components/parameters/Limit' }, { name: 'q', in: 'query' }] } },
      '/c': { get: {} },
      '/d': { post: {} },
    },
  }
  expect(compareOpenApi(ours, ours)).toEqual([])
  expect(compareOpenApi(ours, theirs)).toEqual([
    'GET /a/{}: parameter q is new',
    'GET /a/{}: limit is at most 9, not 5',
    "GET /b is missing in the service's document",
    'GET /c: parameter limit is missing',
    "POST /d is new in the service's document",
  ])
})
