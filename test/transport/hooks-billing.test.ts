import { type AfterResponseHook, createClient, type Hooks } from 'etn-market'
import { createFakeService } from 'etn-market/fake'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { busy, costs, cutOff, limited, ok, price, raw, refusal, wait } from '../support/answers.ts'
import { createVirtualClock } from '../support/clock.ts'
import { testProperty } from '../support/property.ts'
import type { Handler } from '../support/script.ts'
import { address, addresses, setup, watch } from '../support/setup.ts'

const TOKEN = address(1)

let clock = createVirtualClock()
/** All tests share its data, which takes longer to make than a case of the property. */
const fake = createFakeService({
  clock: { now: () => clock.now(), sleep: (ms, signal) => clock.sleep(ms, signal) },
})

/** A client of a fake service in virtual time. The ledger of the fake is what was charged. */
function open(hooks: Hooks, options: object = {}) {
  clock = createVirtualClock()
  fake.reset()
  const client = createClient({ apiKey: fake.key, fetch: fake.fetch, clock, hooks, ...options })
  const charged = () => fake.ledger().reduce((sum, { credits }) => sum + credits, 0)
  return { clock, fake, client, charged }
}

/** Changes the head of an answer, and leaves its body. */
const change =
  (status: number | undefined, headers: Record<string, string> = {}): AfterResponseHook =>
  ({ response }) =>
    new Response(response.body, {
      status: status ?? response.status,
      headers: { ...Object.fromEntries(response.headers), ...headers },
    })

describe('the answer of the service is billed, whatever an afterResponse hook makes of it', () => {
  test.each<[string, Hooks['afterResponse']]>([
    ['as it is', [({ response }) => new Response(response.body, response)]],
    ['twice', Array(2).fill(({ response }: { response: Response }) => new Response(response.body, response))],
    ['after it was read by a hook before', [({ response }) => void response.text(), change(undefined)]],
    ['without its headers', [async ({ response }) => new Response(await response.text())]],
    ['through a stream', [({ response }) => new Response(response.body?.pipeThrough(new TransformStream()), response)]],
  ])('a hook that hands the body on %s loses nothing', async (_, afterResponse) => {
    const { client, charged, clock } = open({ afterResponse })
    const outcome = watch(client.token.list({ limit: 20 }).withMeta())
    await clock.advance(60_000)
    expect(outcome.value?.data).toHaveLength(20)
    expect(outcome.value?.meta).toMatchObject({ attempts: 1, credits: { charged: charged(), source: 'header' } })
    expect(client.budget.spent).toBe(charged())
  })

  test('a 404 that becomes an empty answer costs nothing', async () => {
    const { client, clock } = setup(() => refusal(404, 'not_found'), {
      budget: { credits: 100 },
      hooks: { afterResponse: [({ response }) => (response.status === 404 ? ok(price(TOKEN), costs(50)) : undefined)] },
    })
    const outcome = watch(client.token.price({ address: TOKEN }).withMeta())
    await clock.advance(0)
    expect(outcome.value).toMatchObject({ data: price(TOKEN), meta: { attempts: 1, credits: { charged: 0 } } })
    expect(client.budget).toMatchObject({ spent: 0, reserved: 0, uncertain: 0 })
  })

  test.each([408, 429, 500, 503])(
    'an answer that was paid for and becomes a %i is not bought again',
    async (status) => {
      const { client, charged, clock } = open({ afterResponse: [change(status)] })
      const outcome = watch(client.token.list({ limit: 20 }))
      await clock.advance(60_000)
      expect(outcome.error).toMatchObject({ code: `http_${status}`, status, attempts: 1, credits: charged() })
      expect([fake.journal().length, client.budget.spent]).toEqual([1, charged()])
    },
  )

  test('an answer of the service that is retried is retried after its own wait, whatever a hook makes of it', async () => {
    const { client, clock, script } = setup(
      ({ number }) => (number === 1 ? busy(wait(10)) : ok(price(TOKEN), costs(50))),
      {
        hooks: {
          afterResponse: [change(500, { 'retry-after': '1' })].map(
            (hook) => (state) => (state.response.ok ? undefined : hook(state)),
          ),
        },
      },
    )
    const outcome = watch(client.token.price({ address: TOKEN }))
    await clock.advance(9_999)
    expect([outcome.state, script.requests.length]).toEqual(['pending', 1])
    await clock.advance(1_001)
    expect([outcome.state, script.requests.length]).toEqual(['resolved', 2])
  })

  test.each<[string, Handler, object]>([
    ['a body that was cut off, with its cost', () => cutOff(costs(50)), { spent: 50, uncertain: 0 }],
    ['a body that was cut off, without its cost', () => cutOff(), { spent: 0, uncertain: 50 }],
    ['a gateway that gave up', () => raw('<html>', {}, 504), { spent: 0, uncertain: 50 }],
    ['a redirect', () => raw('', { location: 'https://else.where/' }, 302), { spent: 0, uncertain: 50 }],
  ])('%s, for which a hook has an answer of its own', async (_, handler, money) => {
    const { client, clock, script } = setup(handler, {
      budget: { credits: 1_000 },
      hooks: { afterResponse: [() => ok(price(TOKEN), costs(7))] },
    })
    const outcome = watch(client.token.price({ address: TOKEN }))
    await clock.advance(60_000)
    expect(outcome.value).toEqual(price(TOKEN))
    expect(script.requests).toHaveLength(1)
    expect(client.budget).toMatchObject({ reserved: 0, ...money })
  })

  test('an answer of a hook whose body breaks is not asked for, and paid for, again', async () => {
    const { client, clock, script } = setup(() => ok(price(TOKEN), costs(50)), {
      budget: { credits: 1_000 },
      hooks: { afterResponse: [() => {}, () => cutOff(costs(1))] },
    })
    const outcome = watch(client.token.price({ address: TOKEN }))
    await clock.advance(60_000)
    expect(outcome.error).toMatchObject({ code: 'hook_failed', credits: 50, charge: 'charged' })
    expect((outcome.error as Error).message).toContain('afterResponse[1]')
    expect([script.requests.length, client.budget.spent]).toEqual([1, 50])
  })

  test('an answer of a hook that is too large is billed as the service stated', async () => {
    const { client, clock } = setup(() => ok(price(TOKEN), costs(50)), {
      budget: { credits: 1_000 },
      maxResponseBytes: 1_000,
      hooks: { afterResponse: [() => raw('x'.repeat(2_000), costs(1))] },
    })
    const outcome = watch(client.token.price({ address: TOKEN }))
    await clock.advance(60_000)
    expect(outcome.error).toMatchObject({ code: 'response_too_large', credits: 50 })
    expect(client.budget.spent).toBe(50)
  })

  test('the balance is that of the service, so a hook proves nothing', async () => {
    const { client, clock } = setup(() => ok(price(TOKEN), costs(50, 900)), {
      hooks: { afterResponse: [change(undefined, { 'x-credits-remaining': '5' })] },
    })
    watch(client.token.price({ address: TOKEN }))
    await clock.advance(0)
    expect(client.credits.remaining).toBe(900)
  })

  testProperty(
    'whatever status and headers hooks make up, what is booked is what the ledger has',
    fc.asyncProperty(
      fc.array(
        fc.record({
          status: fc.constantFrom(undefined, 200, 204, 302, 400, 402, 404, 422, 429, 500, 502, 503),
          cost: fc.constantFrom(undefined, '0', '1', '999', 'x'),
          waits: fc.constantFrom(undefined, '1', '30'),
          isOwn: fc.boolean(),
        }),
        { minLength: 1, maxLength: 6 },
      ),
      async (plan) => {
        let step = 0
        const { client, charged, clock } = open(
          {
            beforeRequest: [
              () => (plan[step % plan.length]?.isOwn && step++ % 2 === 0 ? ok({ price: '1' }, costs(30)) : undefined),
            ],
            afterResponse: [
              ({ response }) => {
                const { status = response.status, cost, waits } = plan[step++ % plan.length] ?? {}
                const headers = new Headers(response.headers)
                if (cost !== undefined) headers.set('x-credits-cost', cost)
                if (waits !== undefined) headers.set('retry-after', waits)
                return new Response(status === 204 ? null : response.body, { status, headers })
              },
            ],
          },
          { budget: { credits: 1_000 }, validate: 'off' },
        )
        for (const token of addresses(12)) {
          watch(client.token.price({ address: token }))
          watch(client.etn.price())
          await clock.advance(5_000)
        }
        await clock.advance(600_000)
        expect(client.budget).toMatchObject({ spent: charged(), reserved: 0, uncertain: 0 })
        expect(charged()).toBeLessThanOrEqual(1_000)
        expect(clock.pending).toBe(0)
      },
    ),
    { cases: 4 },
  )
})

describe('a refusal of the service holds other calls up, whatever a hook makes of it', () => {
  test.each<[string, Handler, (client: ReturnType<typeof setup>['client'], index: number) => Promise<unknown>]>([
    ['429', () => limited(wait(10)), (client, index) => client.token.price({ address: address(index) })],
    ['503', () => busy(wait(10)), (client, index) => client.locks.get({ address: address(index) })],
  ])('a %s that becomes a 200', async (_, handler, call) => {
    const { client, clock, script } = setup((exchange) => (exchange.number === 1 ? handler(exchange) : undefined), {
      hooks: { afterResponse: [() => ok({}, costs(1))] },
      validate: 'off',
    })
    const first = watch(call(client, 1))
    await clock.advance(0)
    const second = watch(call(client, 2))
    await clock.advance(9_999)
    expect([first.state, second.state, script.requests.length]).toEqual(['resolved', 'pending', 1])
    await clock.advance(1)
    expect(script.requests).toHaveLength(2)
  })

  test('and a 200 that becomes a 429 holds up nobody', async () => {
    const { client, clock, script, events } = setup(() => ok(price(TOKEN), costs(50)), {
      hooks: { afterResponse: [change(429, wait(10) as Record<string, string>)] },
      retry: false,
    })
    for (const token of addresses(5)) {
      const outcome = watch(client.token.price({ address: token }))
      await clock.advance(0)
      expect(outcome.error).toMatchObject({ code: 'http_429', status: 429, attempts: 1, credits: 50 })
    }
    expect(script.requests).toHaveLength(5)
    expect(events.some(({ type }) => type === 'cooldown.started')).toBe(false)
  })
})
