import { describe, expect, it } from 'vitest'
import { createFakeService } from '../../src/fake/index.ts'
import { useFakeTimers } from '../support/fake-timers.ts'
import { makeFake, NOON } from './setup.ts'

const ask = (fake: ReturnType<typeof makeFake>, path = '/prices/etn', init?: RequestInit) =>
  fake.fetch(fake.baseUrl + path, { headers: { authorization: `Bearer ${fake.key}` }, ...init })

describe('time', () => {
  it('determines the data, Date and Retry-After', async () => {
    const fake = makeFake({ heavyConcurrency: 0 })
    const before = await ask(fake)
    fake.advance(86_400_000)
    const after = await ask(fake)
    expect(fake.now()).toBe(NOON + 86_400_000)
    expect(after.headers.get('date')).toBe(new Date(NOON + 86_400_000).toUTCString())
    expect(await after.text()).not.toBe(await before.text())
    fake.fault({ status: 429, retryAfter: { inMs: 5_000 } })
    expect((await ask(fake)).headers.get('retry-after')).toBe(new Date(NOON + 86_405_000).toUTCString())
    expect(fake.journal().map(({ at }) => at - NOON)).toEqual([0, 86_400_000, 86_400_000])
  })

  it('does not move beyond all dates', async () => {
    const fake = makeFake()
    fake.advance(3e15)
    fake.fault({ status: 429, retryAfter: { inMs: 4e15 } })
    const { headers } = await ask(fake)
    expect([headers.get('date'), headers.get('retry-after')].join()).not.toContain('Invalid')
  })

  it('is the system clock, looked up at each use: fake timers work', async () => {
    const fake = createFakeService()
    const timers = useFakeTimers({ now: NOON })
    expect(fake.now()).toBe(NOON)
    fake.fault({ delayMs: 60_000 })
    let done = false
    const asked = ask(fake).then((response) => {
      done = true
      return response
    })
    await timers.advance(59_999)
    expect(done).toBe(false)
    await timers.advance(1)
    expect((await asked).headers.get('date')).toBe(new Date(NOON + 60_000).toUTCString())
    expect(timers.pending()).toBe(0)
  })

  it('leaves no timer after an aborted delay', async () => {
    const timers = useFakeTimers({ now: NOON })
    const fake = createFakeService()
    fake.fault({ delayMs: 60_000 })
    const controller = new AbortController()
    const asked = ask(fake, '/prices/etn', { signal: controller.signal })
    expect(timers.pending()).toBe(1)
    controller.abort(new Error('enough'))
    await expect(asked).rejects.toThrow('enough')
    expect(timers.pending()).toBe(0)
  })
})
