import { type ClientEvent, createBudget } from 'etn-market'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type ClientInternals, internalsOf } from '../../src/client/client-internals.ts'
import { costs, cutOff, html, networkError, ok, price, raw, refusal } from '../support/answers.ts'
import { flush } from '../support/clock.ts'
import { testProperty } from '../support/property.ts'
import { address, addresses, setup, watch } from '../support/setup.ts'

type CallEndedEvent = Extract<ClientEvent, { type: 'call.succeeded' | 'call.failed' }>
type CreditsUnclaimedEvent = Extract<ClientEvent, { type: 'credits.unclaimed' }>

const TOKEN = address(7)
const PRICE = 50
const answer = () => ok(price(TOKEN), costs(PRICE))

const ends = (events: readonly ClientEvent[]) =>
  events.filter(({ type }) => type === 'call.succeeded' || type === 'call.failed') as CallEndedEvent[]
const unclaimed = (events: readonly ClientEvent[]) =>
  events.filter(({ type }) => type === 'credits.unclaimed') as CreditsUnclaimedEvent[]

/** A call as feeds, sweeps and proxies make it: with a limit of its own. */
function askWithLimit(client: object, signal: AbortSignal) {
  const { call } = internalsOf(client) as ClientInternals
  return watch(call('token.price', { address: TOKEN }, { signal }, { budget: createBudget({ credits: 1_000 }) }))
}

describe('a request that all of its callers leave', () => {
  test('with limits of their own is on the account of the last one', async () => {
    const { client, script, events } = setup()
    const [first, second] = [new AbortController(), new AbortController()]
    askWithLimit(client, first.signal)
    watch(client.token.price({ address: TOKEN }, { signal: second.signal }))
    await flush()
    first.abort('gone')
    second.abort('gone')
    await flush()
    expect(script.requests).toHaveLength(1)
    expect(ends(events).map(({ charge }) => charge)).toEqual(['none', 'unknown'])
    expect(client.budget.uncertain).toBe(PRICE)
  })

  test('but that is read to its end says that its charge is unknown, and later what it was', async () => {
    const { client, script, events } = setup(undefined, { whenAborted: 'finish' })
    const caller = new AbortController()
    watch(client.farm.list({}, { signal: caller.signal }))
    await flush()
    caller.abort('gone')
    await flush()
    expect(ends(events)).toMatchObject([{ type: 'call.failed', charge: 'unknown', credits: 0, attempts: 1 }])
    script.requests[0]?.answer(ok([], costs(3_000)))
    await flush()
    expect(unclaimed(events)).toEqual([
      {
        type: 'credits.unclaimed',
        callId: '1',
        requestId: '1.1',
        operation: 'farm.list',
        attempt: 1,
        credits: 3_000,
        charge: 'charged',
      },
    ])
    expect(client.credits.charged).toBe(3_000)
  })

  test('and that costs nothing raises no event', async () => {
    const { client, script, events } = setup(undefined, { whenAborted: 'finish' })
    const caller = new AbortController()
    watch(client.farm.list({}, { signal: caller.signal }))
    await flush()
    caller.abort('gone')
    script.requests[0]?.answer(refusal(404, 'not_found'))
    await flush()
    expect(unclaimed(events)).toEqual([])
  })
})

test('an attempt that was lost is on the account of the caller with the limit who leaves before the next', async () => {
  const { client, clock, script, events } = setup()
  const first = new AbortController()
  askWithLimit(client, first.signal)
  const other = watch(client.token.price({ address: TOKEN }).withMeta())
  await flush()
  script.requests[0]?.answer(cutOff(costs(PRICE)))
  await flush()
  first.abort('gone')
  await clock.advance(1_000)
  expect(ends(events)).toMatchObject([{ credits: PRICE, charge: 'charged', attempts: 1 }])
  script.requests[1]?.answer(answer())
  await flush()
  expect(other.value?.meta).toMatchObject({ credits: { charged: PRICE }, attempts: 1 })
  expect(client.credits.charged).toBe(2 * PRICE)
})

test('the meta of a batch includes what requests cost that failed', async () => {
  const { client } = setup(({ number }) => (number === 1 ? ok({}, costs(600)) : raw('no JSON', costs(450))), {
    retry: false,
    batchConcurrency: 1,
  })
  const some = await client.prices.batch({ addresses: addresses(85) }, { partial: 'return' }).withMeta()
  expect(some.data.errors).toHaveLength(1)
  expect(some.meta).toMatchObject({ attempts: 2, requests: 2, credits: { charged: 1_050 } })
  const none = setup(() => raw('no JSON', costs(450)), { retry: false }).client
  const { meta } = await none.prices.batch({ addresses: addresses(85) }, { partial: 'return' }).withMeta()
  expect(meta).toMatchObject({ attempts: 2, credits: { charged: 900, source: 'header' } })
})

/** What the service does with a request, and what it charges for it. */
const ANSWERS = {
  whole: [(cost: number) => ok({}, costs(cost)), 1],
  'cut off': [(cost: number) => cutOff(costs(cost)), 1],
  'cut off without a cost': [() => cutOff(), 1],
  'no JSON': [(cost: number) => raw('no', costs(cost)), 1],
  'lost behind a front': [() => html(503), 1],
  'refused by a front': [() => html(502), 0],
  refused: [() => refusal(500, 'internal'), 0],
  reset: [() => networkError('ECONNRESET'), 1],
} as const
type AnswerName = keyof typeof ANSWERS

const callers = fc.array(
  fc.record({
    call: fc.constantFrom('token.price', 'farm.list', 'prices.batch'),
    limit: fc.constantFrom(undefined, 100, 3_000, 20_000),
    after: fc.nat({ max: 4_000 }),
    abortAfter: fc.option(fc.nat({ max: 6_000 }), { nil: undefined }),
    stopAfter: fc.option(fc.nat({ max: 6_000 }), { nil: undefined }),
    deadlineMs: fc.constantFrom(2_000, 60_000),
    whenAborted: fc.constantFrom('cancel' as const, 'finish' as const),
  }),
  { minLength: 1, maxLength: 8 },
)
const PARAMS = {
  'token.price': { address: TOKEN },
  'farm.list': {},
  'prices.batch': { addresses: addresses(85) },
}
const WORST = { 'token.price': 50, 'farm.list': 3_000, 'prices.batch': 600 }

testProperty(
  'what a crowd of callers is told covers what the service charged, and nothing is told twice',
  fc.asyncProperty(
    callers,
    fc.array(fc.constantFrom(...(Object.keys(ANSWERS) as AnswerName[])), { maxLength: 12 }),
    async (crowd, answers) => {
      const { client, clock, script, events } = setup(undefined, { validate: 'off' })
      const { call } = internalsOf(client) as ClientInternals
      let ledger = 0
      /** Each attempt takes a second. A request that is aborted is executed all the same. */
      const charged = new Set<unknown>()
      const respond = async () => {
        for (const [index, exchange] of script.requests.entries()) {
          if (charged.has(exchange)) continue
          charged.add(exchange)
          const [respondWith, times] = ANSWERS[answers[index] ?? 'whole']
          const path = exchange.url.pathname + exchange.url.search
          const chunk = 100 + 10 * (path.match(/0x/g)?.length ?? 0)
          const cost = path.includes('farms') ? 3_000 : path.includes('addresses') ? chunk : PRICE
          ledger += cost * times
          if (!script.open.includes(exchange)) continue
          const given = respondWith(cost)
          if (given instanceof Error) exchange.fail(given)
          else exchange.answer(given)
        }
        await flush()
      }
      for (const { call: name, limit, after, abortAfter, stopAfter, deadlineMs, whenAborted } of crowd) {
        const [abort, stop] = [new AbortController(), new AbortController()]
        const begin = async () => {
          await clock.sleep(after)
          if (abortAfter !== undefined) clock.sleep(abortAfter).then(() => abort.abort('aborted'))
          if (stopAfter !== undefined) clock.sleep(stopAfter).then(() => stop.abort('stopped'))
          const budget = limit === undefined ? undefined : createBudget({ credits: limit })
          const options = { signal: abort.signal, deadlineMs, whenAborted }
          return call(name, PARAMS[name], options, { budget, stop: stop.signal })
        }
        watch(begin())
      }
      for (let step = 0; step < 120; step++) {
        await clock.advance(700)
        await respond()
      }
      const reports = [...ends(events), ...unclaimed(events)]
      expect(ends(events)).toHaveLength(crowd.length)
      const known = reports.reduce((sum, { credits }) => sum + credits, 0)
      const worst = reports
        .filter(({ charge }) => charge === 'unknown')
        .reduce((sum, one) => sum + WORST[one.operation as keyof typeof WORST] * tries(one), 0)
      expect(known + worst).toBeGreaterThanOrEqual(ledger)
      expect(known).toBe(client.credits.charged)
      expect(client.credits.charged + client.credits.uncertain).toBeGreaterThanOrEqual(ledger)
    },
  ),
  { cases: 60 },
)

const tries = (report: CallEndedEvent | CreditsUnclaimedEvent) =>
  report.type === 'credits.unclaimed' ? report.attempt : report.attempts
