import { createRequire } from 'node:module'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { failPacked, packed, readPacked, runPacked } from './pack.ts'

/** What a user of the published package would write; the variants differ only in how it is loaded. */
const USE = `
const address = '0x138dafbda0ccb3d8e39c19edb0510fc31b7c1c77'
const answer = (status, body, headers = {}) => new Response(JSON.stringify(body), { status, headers })
const sent = []
const fetch = async (url, { headers }) => {
  sent.push(url + ' ' + headers.authorization + ' ' + headers['x-hook'])
  if (url.endsWith('/me')) return answer(404, { error: { code: 'NOT_FOUND', message: 'no' } })
  if (url.endsWith('/etn')) return answer(200, { data: { usd: 5 } }, { 'x-credits-cost': '25' })
  return answer(200, { data: { address, usd: '0.5' }, cursor: null }, { 'x-credits-cost': '50', 'x-credits-remaining': '950' })
}
const hook = ({ request }) => request.headers.set('x-hook', '1')
async function use(own, other, { createFakeService }, { mswHandlers }, { createNodeTransport }) {
  const out = {}
  const client = own.createClient({ apiKey: 'esk_live_smoke', baseUrl: 'http://service.test/v1', fetch, hooks: { beforeRequest: [hook] }, budget: { credits: 80 } })
  const { data, meta } = await client.token.price({ address }).withMeta()
  Object.assign(out, { data, credits: meta.credits, spent: client.budget.spent, sent })
  const caught = await client.account.me().catch((error) => error)
  Object.assign(out, {
    error: [caught.name, caught.code, caught instanceof own.NotFoundError, caught instanceof own.ApiError, caught instanceof Error],
    otherCopy: [other.isEtnMarketError(caught), caught instanceof other.EtnMarketError, own.isEtnMarketError(new Error('x'))],
  })
  const strict = await client.etn.price({}, { validate: 'strict' }).catch((error) => error)
  out.mismatch = [strict.name, strict.issues && strict.issues[0] && strict.issues[0].path]
  const refused = await client.token.price({ address }).catch((error) => error)
  out.budget = [refused.name, refused.needed, refused.available, sent.length]
  await client.close()

  const fake = createFakeService({})
  const onFake = own.createClient({ apiKey: fakeKeyOf(fake), baseUrl: fake.baseUrl, fetch: fake.fetch })
  out.fake = [(await onFake.token.list({ limit: 3 })).length, onFake.credits.charged, mswHandlers(fake).length]
  const server = await fake.listen({ port: 0 })
  const overHttp = own.createClient({ apiKey: fakeKeyOf(fake), baseUrl: server.baseUrl ?? server.url })
  out.http = typeof (await overHttp.etn.price()).usd
  await overHttp.close()
  const transport = createNodeTransport()
  const overNode = own.createClient({ apiKey: fakeKeyOf(fake), baseUrl: server.baseUrl ?? server.url, transport })
  out.node = [typeof (await overNode.etn.price()).usd, overNode.credits.charged]
  await overNode.close()
  await transport.close()
  await server.close()
  await fake.close()
  console.log(JSON.stringify(out))
}
`

const EXPECTED = {
  data: { address: '0x138dafbda0ccb3d8e39c19edb0510fc31b7c1c77', usd: '0.5' },
  credits: { estimated: 50, charged: 50, remaining: 950, source: 'header' },
  spent: 50,
  sent: [
    'http://service.test/v1/prices/52014/0x138DAFbDA0CCB3d8E39C19edb0510Fc31b7C1c77 Bearer esk_live_smoke 1',
    'http://service.test/v1/me Bearer esk_live_smoke 1',
    'http://service.test/v1/prices/etn Bearer esk_live_smoke 1',
  ],
  error: ['NotFoundError', 'not_found', true, true, true],
  otherCopy: [true, false, false],
  mismatch: ['ResponseError', 'data.usd'],
  budget: ['BudgetExceededError', 50, 5, 3],
  fake: [3, 115, 1],
  http: 'string',
  node: ['string', 25],
}

const ESM = `
import * as own from 'etn-market'
import * as fake from 'etn-market/fake'
import * as msw from 'etn-market/msw'
import * as node from 'etn-market/node'
import { createRequire } from 'node:module'
const fakeKeyOf = () => fake.fakeKey
${USE}
await use(own, createRequire(import.meta.url)('etn-market'), fake, msw, node)
`

/** msw itself cannot be required where require cannot load ES modules, so it is left out there. */
const cjs = (msw: string) => `
const own = require('etn-market')
const fake = require('etn-market/fake')
const msw = ${msw}
const node = require('etn-market/node')
const fakeKeyOf = () => fake.fakeKey
${USE}
import('etn-market').then((other) => use(own, other, fake, msw, node))
`

const FLAG = '--no-experimental-require-module'
/** What loads without `require(esm)` loads with it, except msw in CommonJS. */
const WITHOUT_REQUIRE_ESM = process.allowedNodeEnvironmentFlags.has(FLAG) ? [FLAG] : []

const VARIANTS = [
  { name: 'as ES modules', file: 'use.mjs', script: ESM, flags: WITHOUT_REQUIRE_ESM },
  { name: 'as CommonJS', file: 'use.cjs', script: cjs("require('etn-market/msw')"), flags: [] },
  {
    name: 'as CommonJS without require(esm)',
    file: 'old.cjs',
    script: cjs('{ mswHandlers: () => [1] }'),
    flags: WITHOUT_REQUIRE_ESM,
  },
]

test.each(VARIANTS)(
  'the packed files, loaded and used by Node $name',
  { timeout: 60_000 },
  ({ file, script, flags }) => {
    expect(JSON.parse(runPacked(file, script, flags))).toEqual(EXPECTED)
  },
)

test('package.json can be imported by require', () => {
  expect(createRequire(join(packed.project, 'use.cjs'))('etn-market/package.json').name).toBe('etn-market')
})

describe('an error that nobody catches', () => {
  const LOAD = {
    mjs: "import { createClient } from 'etn-market'",
    cjs: "const { createClient } = require('etn-market')",
  }

  test.each(['mjs', 'cjs'] as const)('is printed with names and without a long line of source: %s', (extension) => {
    const stderr = failPacked(`uncaught.${extension}`, `${LOAD[extension]}\ncreateClient({ apikey: 'x' })\n`)
    const [, source = '', , message = ''] = stderr.split('\n')
    expect(source).toContain('throw')
    expect(source.length).toBeLessThan(300)
    expect(message + stderr).toMatch(/InvalidRequestError: Unknown option "apikey"/)
    expect(stderr).toMatch(/at \S*rejectUnknown \(.*at \S*createClient \(/s)
  })

  test('no line of CommonJS that throws is longer than 600 characters', () => {
    const paths = packed.files.filter((path) => path.endsWith('.cjs'))
    const lines = paths.flatMap((path) => readPacked(path).split('\n'))
    const throwing = lines.filter((line) => /\bthrow\b/.test(line))
    expect(throwing.length).toBeGreaterThan(100)
    expect(throwing.filter((line) => line.length > 600)).toEqual([])
  })
})
