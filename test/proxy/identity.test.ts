import type { ProxyOptions, VisitorCookieOptions } from 'etn-market/proxy'
import { describe, expect, test } from 'vitest'
import { watch } from '../support/setup.ts'
import { BASE, errorOf, pricePath, remainingOf, setupProxy, TOKENS } from './setup.ts'
import { setupStream } from './stream-setup.ts'

const MINUTE = 60_000
const [TOKEN = ''] = TOKENS

describe('who a visitor is', () => {
  const cases: [string, NonNullable<ProxyOptions['visitor']>][] = [
    ['throws', () => JSON.parse('secret')],
    ['rejects', () => Promise.reject(new Error('secret'))],
    ['returns nothing', () => undefined],
    ['returns null', async () => null],
    ['returns an empty text', () => ''],
    ['returns a text of 257 characters', () => 'x'.repeat(257)],
  ]
  test.each(cases)('is not known when the function %s: nothing is spent', async (_, visitor) => {
    const { ask, fake } = setupProxy({ visitor })
    const response = await ask(pricePath())
    expect(await response.clone().text()).not.toContain('secret')
    expect(await errorOf(response)).toBe('403 no_visitor')
    fake.expectRequests(0)
  })

  test('may take time to find out', async () => {
    const { ask, clock } = setupProxy({ visitor: () => clock.sleep(100).then(() => 'ada') })
    const asked = watch(ask(pricePath()))
    await clock.advance(100)
    expect(asked.value?.status).toBe(200)
  })

  const never = () => new Promise<never>(() => {})
  test.each([
    ['a visitor', { visitor: never }, pricePath()],
    ['the operator', { operator: never }, '/_status'],
  ])('is not waited for when %s has left or the proxy closes', async (_, options, path) => {
    const { ask, proxy, fake } = setupProxy(options)
    const leaving = new AbortController()
    const left = ask(path, { signal: leaving.signal })
    const asked = ask(path)
    leaving.abort()
    expect((await left).status).toBe(499)
    await proxy.close()
    expect(await errorOf(asked)).toBe('503 proxy_closed')
    fake.expectRequests(0)
  })

  test('is the same for all without a function', async () => {
    const { ask } = setupProxy({ visitor: undefined, perVisitor: { credits: 50, windowMs: 1_000 } })
    await ask(pricePath(0))
    expect(await errorOf(ask(pricePath(1)))).toBe('429 visitor_budget_exceeded')
  })
})

describe('visitorCookie', () => {
  const withCookie = { visitor: undefined, perVisitor: { credits: 100, windowMs: MINUTE } } as const
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
    expect([cookieOf(second), remainingOf(first), remainingOf(second)]).toEqual([null, '50', '0'])
    expect(await errorOf(ask(pricePath(2), { headers }))).toBe('429 visitor_budget_exceeded')
    expect(remainingOf(await ask(pricePath(2)))).toBe('50')
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
    expect(remainingOf(response)).toBe('50')
  })

  test('is known to every process with the same secret, and to no other', async () => {
    const secret = 'a long random text'
    const visitorCookie = { name: 'who', secret }
    const newCookie = async (options: VisitorCookieOptions, headers = {}) => {
      const { ask } = setupProxy({ visitor: undefined, visitorCookie: options })
      return cookieOf(await ask(pricePath(), { headers }))
    }
    const [cookie = ''] = (await newCookie(visitorCookie))?.split(';') ?? []
    expect(cookie).toMatch(/^who=/)
    expect(await newCookie(visitorCookie, { cookie })).toBeNull()
    expect(await newCookie({ ...visitorCookie, secret: `${secret}!` }, { cookie })).toMatch(/^who=/)
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
