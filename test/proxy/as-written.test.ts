import { describe, expect, test } from 'vitest'
import { createVirtualClock } from '../support/clock.ts'
import { BASE, batchPath, errorOf, pricePath, setupProxy, TOKENS } from './setup.ts'
import { setupStream } from './stream-setup.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const DAY = 86_400_000
const [TOKEN = ''] = TOKENS
const remaining = ({ headers }: Response) => headers.get('x-credits-remaining')

describe('visitorCookie', () => {
  const withCookie = { visitor: undefined, perVisitor: { credits: 100, windowMs: DAY } } as const
  const cookieOf = (response: Response) => response.headers.get('set-cookie')

  test('gives a visitor a cookie where there is none, and knows the visitor by it', async () => {
    const { ask } = setupProxy({ ...withCookie, visitorCookie: true })
    const first = await ask(pricePath(0))
    expect(cookieOf(first)).toMatch(
      /^visitor=[\w-]{36}\.[0-9a-f]{64}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=31536000; Secure$/,
    )
    const [cookie = ''] = cookieOf(first)?.split(';') ?? []
    const headers = { cookie: `theme=dark; ${cookie}` }
    const second = await ask(pricePath(1), { headers })
    expect([cookieOf(second), remaining(first), remaining(second)]).toEqual([null, '50', '0'])
    expect(await errorOf(ask(pricePath(2), { headers }))).toBe('429 visitor_budget_exceeded')
    expect(remaining(await ask(pricePath(2)))).toBe('50')
  })

  test.each([
    ['forged', (cookie: string) => cookie.replace(/.$/, (last) => (last === '0' ? '1' : '0'))],
    ['cut', (cookie: string) => cookie.slice(0, -2)],
    ['without a signature', (cookie: string) => cookie.replace(/\..*/, '')],
    ['of another name', (cookie: string) => `x${cookie}`],
    ['with the id of somebody else', (cookie: string) => cookie.replace(/=.{8}/, '=00000000')],
  ])('a cookie that is %s is replaced', async (_, change) => {
    const { ask } = setupProxy({ ...withCookie, visitorCookie: { name: 'visitor' } })
    const [cookie = ''] = cookieOf(await ask(pricePath()))?.split(';') ?? []
    const response = await ask(pricePath(1), { headers: { cookie: change(cookie) } })
    expect(cookieOf(response)).toMatch(/^visitor=/)
    expect(remaining(response)).toBe('50')
  })

  test('is known to every process with the same secret, and to no other', async () => {
    const secret = 'a long random text'
    const visitorCookie = { name: 'who', secret }
    const one = setupProxy({ visitor: undefined, visitorCookie })
    const [cookie = ''] = cookieOf(await one.ask(pricePath()))?.split(';') ?? []
    expect(cookie).toMatch(/^who=/)
    const same = setupProxy({ visitor: undefined, visitorCookie })
    expect(cookieOf(await same.ask(pricePath(), { headers: { cookie } }))).toBeNull()
    const other = setupProxy({ visitor: undefined, visitorCookie: { ...visitorCookie, secret: `${secret}!` } })
    expect(cookieOf(await other.ask(pricePath(), { headers: { cookie } }))).toMatch(/^who=/)
  })

  test('is set with refusals and streams, and never with an answer that caches share', async () => {
    const { ask } = setupStream({}, { visitor: undefined, visitorCookie: true })
    expect(cookieOf(await ask('/farms/52014'))).toMatch(/^visitor=/)
    expect(cookieOf(await ask(`/stream?addresses=${TOKEN}`))).toMatch(/^visitor=/)
    const cdn = setupProxy({ visitor: undefined, visitorCookie: true, cdn: { maxAgeMs: MINUTE } })
    const shared = await cdn.ask(pricePath())
    expect(shared.headers.get('cache-control')).toMatch(/^public/)
    expect(cookieOf(shared)).toBeNull()
  })

  test('is not marked as Secure over plain http, unless a proxy before this one says that it was https', async () => {
    const { proxy } = setupProxy({ visitor: undefined, visitorCookie: true })
    const plain = BASE.replace('https:', 'http:') + pricePath()
    expect(cookieOf(await proxy(new Request(plain)))).not.toContain('Secure')
    expect(cookieOf(await proxy(new Request(plain, { headers: { 'x-forwarded-proto': 'https' } })))).toContain('Secure')
  })
})

describe('a refusal', () => {
  test('of a budget that is used up while the token list is needed says so, and until when', async () => {
    const { ask, clock } = setupProxy({
      allow: ['token.list', { operation: 'token.price', tokens: 'listed' }],
      budget: { credits: 500, windowMs: MINUTE },
    })
    await clock.advance(SECOND)
    const response = await ask(pricePath())
    expect(response.headers.get('retry-after')).toBe('59')
    expect(remaining(response)).toBe('500')
    expect(await errorOf(response)).toBe('429 budget_exceeded')
    const stream = setupStream({ addresses: 'listed' }, { budget: { credits: 500, windowMs: MINUTE } })
    expect(await errorOf(stream.ask(`/stream?addresses=${TOKEN}`))).toBe('429 budget_exceeded')
  })

  test('says what the visitor has left, whatever it is for', async () => {
    const { ask } = setupStream(
      { perVisitor: { streams: 1 }, addresses: [TOKEN] },
      { perVisitor: { credits: 120, windowMs: DAY, requestsPerMinute: 12 } },
    )
    await ask(pricePath())
    const refusals = [
      await ask('/farms/52014'),
      await ask('/nothing'),
      await ask('/_status'),
      await ask(pricePath(1), { method: 'POST' }),
      await ask('/prices/52014?addresses='),
      await ask(batchPath(3)),
      await ask(`/stream?addresses=${TOKENS[1]}`),
      await ask('/stream'),
    ]
    expect(refusals.map(({ status }) => status)).toEqual([403, 404, 404, 405, 400, 429, 403, 400])
    expect(refusals.map(remaining)).toEqual(refusals.map(() => '70'))
    await ask(`/stream?addresses=${TOKEN}`)
    const tooMany = await ask(`/stream?addresses=${TOKEN}`)
    expect([tooMany.status, remaining(tooMany), tooMany.headers.get('retry-after')]).toEqual([429, '70', '10'])
    await ask(pricePath())
    const tooFast = await ask(pricePath())
    expect([tooFast.status, remaining(tooFast)]).toEqual([429, '70'])
    expect(tooFast.headers.has('retry-after')).toBe(true)
  })

  test('of a call that never fits says that it does not', async () => {
    const { ask } = setupProxy({ allow: ['farm.list'], perVisitor: { credits: 500, windowMs: DAY } })
    const { error } = (await (await ask('/farms/52014')).json()) as { error: { message: string } }
    expect(error.message).toBe(
      'The call may cost 3000 credits, and a visitor has 500 at most: it never fits. Ask for less.',
    )
  })

  test('of a call that never fits the budget of all says that it does not, and one that fits later says when', async () => {
    const { ask } = setupProxy({ allow: ['farm.list', 'token.price'], budget: { credits: 80, windowMs: DAY } })
    const read = async (path: string) => {
      const { error } = (await (await ask(path)).json()) as { error?: { code: string; message: string } }
      return `${error?.code}: ${error?.message}`
    }
    expect(await read('/farms/52014')).toBe(
      'budget_exceeded: The call may cost 3000 credits, and all visitors together have 80 at most: it never fits. Ask for less.',
    )
    await ask(pricePath())
    expect(await read(pricePath(1))).toBe('budget_exceeded: The proxy has used up its credits. Try again later.')
  })
})

describe('requestsPerMinute', () => {
  test.each([
    ['400', '/tokens/52014?limit=0', 400],
    ['403', '/farms/52014', 403],
    ['404', '/nothing', 404],
    ['a method', '/tokens/52014', 405],
  ])('counts refused calls, too: %s', async (_, path, status) => {
    const { ask } = setupProxy({
      allow: ['token.list'],
      perVisitor: { credits: 1_000, windowMs: DAY, requestsPerMinute: 5 },
    })
    const statuses: number[] = []
    for (let call = 0; call < 7; call++)
      statuses.push((await ask(path, { method: status === 405 ? 'DELETE' : 'GET' })).status)
    expect(statuses).toEqual([status, status, status, status, status, 429, 429])
  })
})

test.each(['GET', 'HEAD', 'POST', 'DELETE'])(
  '%s of the status is like any path that does not exist',
  async (method) => {
    const { ask } = setupProxy({ operator: () => false })
    const answerTo = async (path: string) => {
      const response = await ask(path, { method })
      return { status: response.status, headers: [...response.headers], text: await response.text() }
    }
    expect(await answerTo('/_status')).toEqual(await answerTo('/_nothing'))
    expect((await answerTo('/_status')).status).toBe(404)
  },
)

test('the operator reads the status without being a visitor, and with GET alone', async () => {
  const { ask } = setupProxy({ operator: () => true, visitor: () => undefined })
  expect((await ask('/_status')).status).toBe(200)
  expect(await errorOf(ask('/_status', { method: 'POST' }))).toBe('405 method_not_allowed')
})

test.each([
  [`/tokens/52014/${TOKEN}/candles`, 'bucket=1h', 'currency=USD', 'token.candles'],
  [`/tokens/52014/${TOKEN}/history`, 'duration=day', 'currency=USD', 'token.history'],
  ['/pools/52014', 'version=2', 'version=2', 'pool.list'],
] as const)(
  'a default that is written out shares the answer of the call without it: %s',
  async (path, one, other, operation) => {
    const { ask, fake } = setupProxy({ allow: [operation] })
    const plain = await ask(path)
    const written = await Promise.all([ask(`${path}?${one}`), ask(`${path}?${other}`)])
    expect(written.map(({ headers }) => headers.get('x-credits-cost'))).toEqual(['0', '0'])
    expect(await written[0]?.text()).toBe(await plain.text())
    fake.expectRequests(1)
  },
)

test('thousands of answers to one operation do not displace those to another', async () => {
  const { ask, fake } = setupProxy({
    allow: ['token.list', { operation: 'token.candles', cacheMs: DAY }],
  })
  await ask('/tokens/52014?limit=5')
  const candles = (index: number) =>
    `/tokens/52014/${TOKENS[index % 50]}/candles?limit=${1 + (index % 7)}&bucket=${['1m', '15m', '4h'][index % 3]}`
  for (let index = 0; index < 1_050; index++) await ask(candles(index))
  const before = fake.journal().length
  expect((await ask('/tokens/52014?limit=5')).headers.get('x-credits-cost')).toBe('0')
  expect(fake.journal()).toHaveLength(before)
})

test('an operation whose answers need most memory loses its oldest ones', async () => {
  const { AnswerCache } = await import('../../src/proxy/answer-cache.ts')
  const cache = new AnswerCache(createVirtualClock(0))
  const answer = { body: 'x'.repeat(999_000), etag: '', freshUntil: 1 }
  cache.set('token.list', 'list', answer)
  for (let index = 0; index < 100; index++) cache.set('token.candles', `${index}`, answer)
  expect(cache.get('token.list', 'list')).toBe(answer)
  const kept = Array.from({ length: 100 }, (_, index) => cache.get('token.candles', `${index}`) !== undefined)
  expect(kept.filter(Boolean)).toHaveLength(15)
  expect(kept.slice(85)).not.toContain(false)
})
