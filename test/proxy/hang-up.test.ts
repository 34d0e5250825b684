import { expect, test } from 'vitest'
import { settle } from '../support/settle.ts'
import { watch } from '../support/setup.ts'
import { pricePath, setupProxy, TOKENS } from './setup.ts'

const [TOKEN = ''] = TOKENS

test('visitors who hang up give both heavy slots back after 5 seconds', async () => {
  const { ask, clock, fake } = setupProxy({ allow: ['locks.get'] }, {}, { retry: false })
  fake.fault({ operation: 'locks.get', never: true, times: 2 })
  const leaving = new AbortController()
  const lockPath = (index: number) => `/tokens/52014/${TOKENS[index]}/liquidity-locks`
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
  const path = `/tokens/52014/${TOKEN}/liquidity-locks`
  watch(ask(path, { signal: leaving.signal, visitor: 'ada' }))
  await clock.advance(1_000)
  leaving.abort()
  await clock.advance(2_001)
  expect(clock.pending).toBe(0)
  const next = await ask(path, { visitor: 'bob' })
  expect(next.headers.get('x-credits-cost')).toBe('0')
  fake.expectCredits(2_000)
})

test('a request that is queued when its visitor hangs up is never sent', async () => {
  const { ask, clock, fake, client } = setupProxy({ allow: ['locks.get'] }, { heavyLatencyMs: 1_000 })
  const leaving = new AbortController()
  const lockPath = (index: number) => `/tokens/52014/${TOKENS[index]}/liquidity-locks`
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
