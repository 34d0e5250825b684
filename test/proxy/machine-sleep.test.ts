import { describe, expect, test } from 'vitest'
import { MINUTE, SECOND, setupPages } from '../stream/setup.ts'
import { costOf, pricePath, setupProxy, TOKENS } from './setup.ts'
import { setupStream } from './stream-setup.ts'

const [ONE = ''] = TOKENS
const NIGHT = 8 * 3_600_000

describe.each([
  ['counted by the monotonic clock', true],
  ['shown by the wall clock alone', false],
])('after a sleep that is %s', (_, isCertain) => {
  test('a proxy serves no old answer', async () => {
    const { ask, clock } = setupProxy()
    expect(costOf(await ask(pricePath()))).toBe('50')
    expect(costOf(await ask(pricePath()))).toBe('0')
    clock.suspend(NIGHT, isCertain)
    expect(costOf(await ask(pricePath()))).toBe('50')
  })

  test('a proxy takes no answer for a young one that has crossed the sleep in its connection', async () => {
    const { ask, clock, fake } = setupProxy({}, {}, { timeoutMs: 2 * NIGHT, deadlineMs: 3 * NIGHT })
    fake.fault({ operation: 'token.price', delayMs: 2 * SECOND, times: 1 })
    const answers = Promise.all([ask(pricePath()), ask(pricePath(), { visitor: 'other' })])
    await clock.advance(SECOND)
    clock.suspend(NIGHT, isCertain)
    await clock.advance(SECOND)
    // Both have asked before the sleep, and share one answer. For those who ask now it is a night old.
    expect((await answers).map(costOf)).toEqual(['50', '0'])
    expect(costOf(await ask(pricePath()))).toBe('50')
  })

  test('a stream says how old a price is, and when it was bought', async () => {
    const { clock, listen } = setupStream({ everyMs: 10 * MINUTE })
    await listen(`?addresses=${ONE}`)
    await clock.advance(MINUTE)
    const slept = clock.now()
    clock.suspend(NIGHT, isCertain)
    const late = await listen(`?addresses=${ONE}`)
    await clock.advance(0)
    const [price] = late.prices
    expect(price?.stale).toBe(true)
    expect(price?.ageMs).toBeGreaterThanOrEqual(NIGHT)
    expect(price?.at).toBeLessThanOrEqual(slept)
    expect(Math.abs(clock.now() - Number(price?.at) - Number(price?.ageMs))).toBeLessThanOrEqual(1)
  })

  test('a page shows within ten seconds that its prices are old', async () => {
    const { clock, openPage } = setupPages({}, undefined, { everyMs: 5 * MINUTE })
    const page = openPage()
    page.show(ONE)
    await clock.advance(MINUTE)
    expect(page.prices.at(-1)).toMatchObject({ stale: false })
    clock.suspend(NIGHT, isCertain)
    expect(page.stream.peek(ONE)).toMatchObject({ stale: true })
    // The proxy has slept, too, and buys at its next look.
    const before = page.prices.length
    await clock.advance(10 * SECOND)
    const [first] = page.prices.slice(before)
    expect(first?.stale ? first.ageMs >= NIGHT : Number(first?.ageMs) < 10 * SECOND).toBe(true)
  })

  test('a page reads nothing that has waited in its connection', async () => {
    const encoder = new TextEncoder()
    const settings = 'event: settings\ndata: {"everyMs":60000,"heartbeatMs":15000}\n\n'
    const controllers: ReadableStreamDefaultController<Uint8Array>[] = []
    const { clock, openPage } = setupPages({}, () => {
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          controllers.push(controller)
          controller.enqueue(encoder.encode(settings))
        },
      })
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
    })
    const page = openPage()
    page.show(ONE)
    await clock.advance(SECOND)
    clock.suspend(NIGHT, isCertain)
    const price = { address: ONE, usd: '1', etn: '2', at: clock.now() - NIGHT, ageMs: 5, stale: false }
    controllers[0]?.enqueue(encoder.encode(`id: x.1\nevent: price\ndata: ${JSON.stringify(price)}\n\n`))
    await clock.advance(5 * SECOND)
    expect(page.prices).toEqual([])
    expect(page.opened).toHaveLength(2)
  })
})
