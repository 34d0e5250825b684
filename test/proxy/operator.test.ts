import { expect, test } from 'vitest'
import { flush } from '../support/clock.ts'
import { watch } from '../support/setup.ts'
import { pricePath, setupProxy, TOKENS } from './setup.ts'

const address = TOKENS[0] as string

test("an operator's call that shares a visitor's request does not end with that visitor", async () => {
  const { ask, client, clock, fake } = setupProxy({ perVisitor: { credits: 1_000, windowMs: 3_600_000 } })
  fake.fault({ status: 429, headers: { 'retry-after': '20' }, times: 1 })
  watch(client.etn.price())
  await flush()
  const visitor = new AbortController()
  const left = watch(ask(pricePath(0), { signal: visitor.signal }))
  await clock.advance(1_000)
  const operator = watch(client.token.price({ address }))
  await clock.advance(1_000)
  visitor.abort()
  await clock.advance(60_000)
  expect(left.state).not.toBe('pending')
  expect(operator.value?.address).toBe(address)
  expect(fake.ledger().filter(({ operation }) => operation === 'token.price')).toHaveLength(1)
})

test("a visitor whose credits do not suffice for a retry ends no operator's call", async () => {
  const { ask, client, clock, fake } = setupProxy({ perVisitor: { credits: 50, windowMs: 3_600_000 } })
  fake.fault({ operation: 'token.price', reset: 'after', times: 1 })
  const visitor = watch(ask(pricePath(0)))
  while (client.budget.reserved === 0) await Promise.resolve()
  const operator = watch(client.token.price({ address }))
  await clock.advance(60_000)
  expect(visitor.value?.status).toBe(429)
  expect(operator.value?.address).toBe(address)
})
