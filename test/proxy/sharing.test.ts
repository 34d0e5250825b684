import { createBudget } from 'etn-market'
import { expect, test, vi } from 'vitest'
import { createVirtualClock, flush } from '../support/clock.ts'
import { settle } from '../support/settle.ts'
import { watch } from '../support/setup.ts'
import { costOf, errorOf, pricePath, setupProxy, TOKENS } from './setup.ts'

const [TOKEN = ''] = TOKENS
const lockPath = (index: number) => `/tokens/52014/${TOKENS[index]}/liquidity-locks`

test('a visitor whose own lost answer ends a shared call leaves the others with theirs', async () => {
  const { ask, clock, fake } = setupProxy({ perVisitor: { credits: 50, windowMs: 60_000 } })
  fake.fault({ reset: 'after', delayMs: 100 })
  const poor = watch(ask(pricePath(), { visitor: 'poor' }))
  await clock.advance(10)
  const rich = watch(ask(pricePath(), { visitor: 'rich' }))
  await clock.advance(30_000)
  // The retry needs credits that the first visitor does not have any more; the second one buys again.
  expect(await errorOf(poor.value as Response)).toBe('429 visitor_budget_exceeded')
  expect(rich.value && costOf(rich.value)).toBe('50')
  fake.expectCredits(100)
})

test('a crowd that shares a call is refused at once where the budget of all has no credits for its retry', async () => {
  const budget = createBudget({ credits: 60, windowMs: 60_000 }, createVirtualClock())
  const reserve = vi.spyOn(budget, 'reserve')
  const { ask, fake, clock } = setupProxy({ perVisitor: { credits: 500, windowMs: 60_000 }, budget })
  fake.fault({ reset: 'after', delayMs: 100 })
  const crowd = Array.from({ length: 100 }, (_, visitor) => watch(ask(pricePath(), { visitor: `${visitor}` })))
  await clock.advance(30_000)
  const answers = await Promise.all(crowd.map(({ value }) => errorOf(value as Response)))
  expect(new Set(answers)).toEqual(new Set(['429 budget_exceeded']))
  fake.expectCredits(50)
  // Of the first visitor: one for the call and one for its retry.
  expect(reserve).toHaveBeenCalledTimes(2)
})

test('visitors who hang up give both heavy slots back after 5 seconds', async () => {
  const { ask, clock, fake } = setupProxy({ allow: ['locks.get'] }, {}, { retry: false })
  fake.fault({ operation: 'locks.get', never: true, times: 2 })
  const leaving = new AbortController()
  const left = [0, 1].map((index) => watch(ask(lockPath(index), { signal: leaving.signal })))
  await clock.advance(10)
  leaving.abort()
  await settle()
  expect(left.map(({ state }) => state)).toEqual(['resolved', 'resolved'])
  const next = watch(ask(lockPath(2), { visitor: 'next' }))
  await clock.advance(4_980)
  expect(next.state).toBe('pending')
  await clock.advance(30)
  expect(next.value?.status).toBe(200)
  expect(clock.pending).toBe(0)
  expect(fake.charged()).toBe(6_000)
})

test('an answer that arrives after its visitor hung up serves the next one', async () => {
  const { ask, clock, fake } = setupProxy({ allow: ['locks.get'] }, { heavyLatencyMs: 3_000 })
  const leaving = new AbortController()
  watch(ask(lockPath(0), { signal: leaving.signal, visitor: 'ada' }))
  await clock.advance(1_000)
  leaving.abort()
  await clock.advance(2_001)
  expect(clock.pending).toBe(0)
  const next = await ask(lockPath(0), { visitor: 'bob' })
  expect(costOf(next)).toBe('0')
  fake.expectCredits(2_000)
})

test('a request that is queued when its visitor hangs up is never sent', async () => {
  const { ask, clock, fake, client } = setupProxy({ allow: ['locks.get'] }, { heavyLatencyMs: 1_000 })
  const leaving = new AbortController()
  const asked = [0, 1, 2, 3].map((index) => watch(ask(lockPath(index), index > 1 ? { signal: leaving.signal } : {})))
  await clock.advance(500)
  leaving.abort()
  await settle()
  expect(client.budget.reserved).toBe(4_000)
  await clock.advance(10_000)
  expect(asked.map(({ value }) => value?.status)).toEqual([200, 200, 499, 499])
  fake.expectRequests(2)
  expect(clock.pending).toBe(0)
})

test('a request that nobody waits for is not retried', async () => {
  const { ask, clock, fake } = setupProxy()
  fake.fault({ status: 500, delayMs: 1_000, times: 3 })
  const leaving = new AbortController()
  watch(ask(pricePath(), { signal: leaving.signal }))
  await clock.advance(500)
  leaving.abort()
  await clock.advance(30_000)
  fake.expectRequests(1)
  expect(clock.pending).toBe(0)
})

test("an operator's call that shares a visitor's request does not end with that visitor", async () => {
  const { ask, client, clock, fake } = setupProxy({ perVisitor: { credits: 1_000, windowMs: 3_600_000 } })
  fake.fault({ status: 429, headers: { 'retry-after': '20' }, times: 1 })
  watch(client.etn.price())
  await flush()
  const visitor = new AbortController()
  const left = watch(ask(pricePath(0), { signal: visitor.signal }))
  await clock.advance(1_000)
  const operator = watch(client.token.price({ address: TOKEN }))
  await clock.advance(1_000)
  visitor.abort()
  await clock.advance(60_000)
  expect(left.state).not.toBe('pending')
  expect(operator.value?.address).toBe(TOKEN)
  expect(fake.ledger().filter(({ operation }) => operation === 'token.price')).toHaveLength(1)
})

test("a visitor whose credits do not suffice for a retry ends no operator's call", async () => {
  const { ask, client, clock, fake } = setupProxy({ perVisitor: { credits: 50, windowMs: 3_600_000 } })
  fake.fault({ operation: 'token.price', reset: 'after', times: 1 })
  const visitor = watch(ask(pricePath(0)))
  while (client.budget.reserved === 0) await Promise.resolve()
  const operator = watch(client.token.price({ address: TOKEN }))
  await clock.advance(60_000)
  expect(visitor.value?.status).toBe(429)
  expect(operator.value?.address).toBe(TOKEN)
})
