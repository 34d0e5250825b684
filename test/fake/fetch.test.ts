import { describe, expect, it } from 'vitest'
import { nextTurn } from '../../src/concurrency/event-loop.ts'
import { fakeKey } from '../../src/fake/index.ts'
import { collectGarbage } from '../support/garbage.ts'
import { makeFake } from './setup.ts'

const headers = { authorization: `Bearer ${fakeKey}` }

describe('fake.fetch', () => {
  it('accepts a string, a URL or a Request, with or without init', async () => {
    const fake = makeFake()
    const url = `${fake.baseUrl}/prices/etn`
    const { fetch } = fake
    const answers = await Promise.all([
      fetch(url, { headers }),
      fetch(new URL(url), { headers: new Headers(headers) }),
      fetch(new Request(url, { headers })),
      fetch(new Request(url), { headers: Object.entries(headers) }),
    ])
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect((await fetch(new Request(url, { headers }), { method: 'post' })).status).toBe(405)
    expect((await fetch(new Request(url, { headers }), { headers: {} })).status).toBe(401)
  })

  it('rejects a relative URL, as fetch does', async () => {
    await expect(makeFake().fetch('/prices/etn')).rejects.toThrow(TypeError)
  })

  it('rejects with the reason of an aborted signal, without a journal entry', async () => {
    const fake = makeFake()
    const reason = new Error('never mind')
    const signal = AbortSignal.abort(reason)
    await expect(fake.fetch(`${fake.baseUrl}/prices/etn`, { headers, signal })).rejects.toBe(reason)
    await expect(fake.fetch(new Request(`${fake.baseUrl}/prices/etn`, { headers, signal }))).rejects.toThrow()
    fake.expectRequests(0)
  })

  it('rejects at once with the reason of an abort during the call; the charge stays', async () => {
    const fake = makeFake({ latencyMs: 1_000_000 })
    const controller = new AbortController()
    const reason = { any: 'thing' }
    const asked = fake.fetch(`${fake.baseUrl}/prices/etn`, { headers, signal: controller.signal })
    controller.abort(reason)
    await expect(asked).rejects.toBe(reason)
    expect(fake.ledger()).toMatchObject([{ credits: 25, delivered: false }])
    expect(fake.journal()).toMatchObject([{ status: null, delivered: false, finished: true }])
  })

  it('prefers the signal of init to that of the Request', async () => {
    const fake = makeFake()
    const request = new Request(`${fake.baseUrl}/prices/etn`, { headers, signal: AbortSignal.abort() })
    expect((await fake.fetch(request, { signal: new AbortController().signal })).status).toBe(200)
    expect((await fake.fetch(request, { signal: null })).status).toBe(200)
  })

  it('rejects a redirect of a fault with redirect: error', async () => {
    const fake = makeFake()
    fake.fault({ status: 302, headers: { location: 'https://elsewhere.example/' }, times: 2 })
    const url = `${fake.baseUrl}/prices/etn`
    expect((await fake.fetch(url, { headers, redirect: 'manual' })).status).toBe(302)
    await expect(fake.fetch(url, { headers, redirect: 'error' })).rejects.toThrow('fetch failed')
    expect(fake.journal().every(({ finished }) => finished)).toBe(true)
  })

  it('returns responses that can be read, cloned and cancelled', async () => {
    const fake = makeFake()
    const response = await fake.fetch(`${fake.baseUrl}/prices/etn`, { headers })
    const copy = response.clone()
    expect(await copy.json()).toEqual(await response.json())
    fake.fault({ stall: 5 })
    const stalled = await fake.fetch(`${fake.baseUrl}/prices/etn`, { headers })
    await stalled.body?.cancel()
    expect(fake.journal().every(({ finished }) => finished)).toBe(true)
  })

  it('breaks a stalled body when the signal of its Request aborts, though the Request was garbage', async () => {
    const fake = makeFake()
    fake.fault({ stall: 5 })
    const leaving = new AbortController()
    const stalled = await fake.fetch(new Request(`${fake.baseUrl}/prices/etn`, { headers, signal: leaving.signal }))
    const text = stalled.text()
    await nextTurn()
    collectGarbage()
    leaving.abort(new Error('enough'))
    await expect(text).rejects.toThrow('enough')
  })
})

describe('fake.close', () => {
  it('breaks pending requests and refuses later ones', async () => {
    const fake = makeFake({ latencyMs: 1_000_000 })
    const url = `${fake.baseUrl}/prices/etn`
    const waiting = fake.fetch(url, { headers })
    fake.fault({ never: true })
    const hanging = fake.fetch(url, { headers, signal: new AbortController().signal })
    await fake.close()
    for (const asked of [waiting, hanging]) {
      await expect(asked).rejects.toMatchObject({ message: 'fetch failed', cause: { code: 'ECONNRESET' } })
    }
    await expect(fake.fetch(url, { headers })).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } })
    await expect(fake.listen()).rejects.toThrow('This fake is closed.')
    await fake.close()
  })

  it('breaks a stalled body', async () => {
    const fake = makeFake()
    fake.fault({ stall: 5 })
    const response = await fake.fetch(`${fake.baseUrl}/prices/etn`, { headers })
    const text = response.text()
    await fake.close()
    await expect(text).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } })
  })

  it('breaks a body that stalls after close', async () => {
    const fake = makeFake()
    fake.fault({ stall: 5 })
    const asked = fake.fetch(`${fake.baseUrl}/prices/etn`, { headers })
    const closing = fake.close()
    await expect((await asked).text()).rejects.toThrow('fetch failed')
    await closing
  })

  it('runs at the end of `await using`', async () => {
    let asked: Promise<unknown>
    {
      await using fake = makeFake({ latencyMs: 1_000_000 })
      asked = fake.fetch(`${fake.baseUrl}/prices/etn`, { headers })
      asked.catch(() => {})
    }
    await expect(asked).rejects.toThrow('fetch failed')
  })
})

describe('fake.reset', () => {
  it('drops everything but the options', async () => {
    const fake = makeFake({ keys: { k: 100 }, heavyConcurrency: 1 })
    const get = () => fake.fetch(`${fake.baseUrl}/prices/etn`, { headers: { authorization: 'Bearer k' } })
    await get()
    fake.addKeys({ other: 5 })
    fake.advance(1_000)
    fake.holdHeavySlot()
    fake.fault({ status: 500 })
    const before = fake.now()
    fake.reset()
    expect([fake.ledger(), fake.journal(), fake.faults(), fake.peakInFlight()]).toEqual([[], [], [], 0])
    expect(fake.keys()).toEqual({ k: { credits: 100, tier: 'standard' } })
    expect(fake.now()).toBe(before - 1_000)
    fake.holdHeavySlot()
    expect((await get()).status).toBe(200)
    expect(fake.journal()[0]).toMatchObject({ id: 1 })
  })

  it('keeps an earlier request out of the new session', async () => {
    const fake = makeFake({ latencyMs: 10, heavyConcurrency: 1 })
    const late = fake.fetch(`${fake.baseUrl}/farms/52014`, { headers })
    fake.reset()
    const held = fake.holdHeavySlot()
    expect((await late).status).toBe(200)
    expect([fake.ledger(), fake.journal()]).toEqual([[], []])
    expect(() => fake.holdHeavySlot()).toThrow()
    held()
  })
})

describe('two fakes', () => {
  it('share nothing', async () => {
    const [a, b] = [makeFake({ heavyConcurrency: 1 }), makeFake({ heavyConcurrency: 1 })]
    a.fault({ status: 500, times: Number.POSITIVE_INFINITY })
    a.holdHeavySlot()
    a.advance(5_000)
    a.addKeys({ mine: 5 })
    const get = (fake: typeof a, path: string) => fake.fetch(fake.baseUrl + path, { headers })
    expect([(await get(a, '/prices/etn')).status, (await get(b, '/prices/etn')).status]).toEqual([500, 200])
    expect((await get(b, '/farms/52014')).status).toBe(200)
    expect(b.now()).toBe(a.now() - 5_000)
    expect(Object.keys(b.keys())).toEqual([fakeKey])
    a.expectCredits(0)
    b.expectCredits(3_025)
    a.reset()
    expect(b.journal()).toHaveLength(2)
    await a.close()
    expect((await get(b, '/prices/etn')).status).toBe(200)
  })
})
