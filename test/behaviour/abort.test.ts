import type { Client } from 'etn-market'
import { expect, test } from 'vitest'
import { busy, limited, networkError, refusal, stalled, wait } from '../support/answers.ts'
import type { Handler } from '../support/script.ts'
import { address, addresses, setup, watch } from '../support/setup.ts'

const TOKEN = address(7)
const REASONS: [string, unknown][] = [
  ['an Error', new Error('mine')],
  ['a text', 'not any more'],
  ['an empty text', ''],
  ['null', null],
  ['zero', 0],
  ['an object', { why: 'no reason' }],
  ['a DOMException', new DOMException('stop', 'AbortError')],
]

interface Stage {
  handler: Handler
  /** Other calls that lead to the state. */
  before?: (client: Client) => void
  ask: (client: Client, signal: AbortSignal) => Promise<unknown>
  /** Credits that may have been charged for the aborted call. */
  uncertain: number
}

const askPrice: Stage['ask'] = (client, signal) => client.token.price({ address: TOKEN }, { signal })
const askLocks: Stage['ask'] = (client, signal) => client.locks.get({ address: TOKEN }, { signal })

const STAGES: Record<string, Stage> = {
  'it waits for a heavy slot': {
    handler: () => undefined,
    before: (client) => {
      for (const token of addresses(2)) watch(client.locks.get({ address: token }))
    },
    ask: askLocks,
    uncertain: 0,
  },
  'all heavy calls wait for a cool-down': {
    handler: () => busy(wait(30)),
    before: (client) => void watch(client.farm.list()),
    ask: askLocks,
    uncertain: 0,
  },
  'all calls with the key wait for a cool-down': {
    handler: () => limited(wait(30)),
    before: (client) => void watch(client.etn.price()),
    ask: askPrice,
    uncertain: 0,
  },
  'it is in flight': { handler: () => undefined, ask: askPrice, uncertain: 50 },
  'its body arrives': { handler: () => stalled(), ask: askPrice, uncertain: 50 },
  'it waits to retry': { handler: () => refusal(500, 'x', wait(30)), ask: askPrice, uncertain: 0 },
  'it waits to retry after a lost answer': { handler: () => networkError('ECONNRESET'), ask: askPrice, uncertain: 50 },
  'its second attempt is in flight': {
    handler: ({ number }) => (number === 1 ? refusal(500, 'x', wait(1)) : undefined),
    ask: askPrice,
    uncertain: 50,
  },
  'chunks of its batch wait for a slot': {
    handler: () => undefined,
    ask: (client, signal) => client.prices.batch({ addresses: addresses(500) }, { signal }),
    uncertain: 4 * 600,
  },
}

test.each(Object.entries(STAGES))(
  'a call that is aborted while %s rejects at once with the reason, keeps only what may have been charged, and is not retried',
  async (name, { handler, before, ask, uncertain }) => {
    const { client, clock, script, events } = setup(handler, { budget: { credits: 100_000 } })
    clock.randomValue = 0.5
    before?.(client)
    await clock.advance(0)
    const held = client.budget.reserved
    const caller = new AbortController()
    const outcome = watch(ask(client, caller.signal))
    await clock.advance(name === 'its second attempt is in flight' ? 5_000 : 0)
    expect(outcome.state).toBe('pending')
    caller.abort('enough')
    await clock.advance(0)
    expect(outcome).toEqual({ state: 'rejected', error: 'enough' })
    expect(client.budget).toMatchObject({ reserved: held, uncertain })
    await client.close()
    const sent = script.requests.length
    const countOf = (type: string) => events.filter((event) => event.type === type).length
    expect([countOf('request.sent'), countOf('request.failed')]).toEqual([sent, sent])
    expect(clock.pending).toBe(0)
    await clock.advance(100_000)
    expect(script.requests).toHaveLength(sent)
  },
)

test.each(REASONS)('the reason of a signal may be %s; one that has aborted before sends nothing', async (_, reason) => {
  const { client, clock, script } = setup(undefined, { budget: { credits: 100 } })
  const before = watch(client.token.price({ address: TOKEN }, { signal: AbortSignal.abort(reason) }))
  await clock.advance(0)
  expect(before).toEqual({ state: 'rejected', error: reason })
  expect([script.requests.length, client.budget.available]).toEqual([0, 100])
  const caller = new AbortController()
  const sent = watch(client.token.price({ address: TOKEN }, { signal: caller.signal }))
  await clock.advance(0)
  caller.abort(reason)
  await clock.advance(0)
  expect(sent).toEqual({ state: 'rejected', error: reason })
})

test('abort, deadline and timeout end a call although its transport ignores the signal', async () => {
  const { client, clock } = setup(undefined, { retry: false, timeoutMs: 1_000 }, { ignoresAbort: true })
  const caller = new AbortController()
  const aborted = watch(client.token.price({ address: TOKEN }, { signal: caller.signal }))
  const late = watch(client.etn.price({}, { deadlineMs: 500 }))
  const slow = watch(client.nft.stats())
  await clock.advance(0)
  caller.abort('enough')
  await clock.advance(1_000)
  expect(aborted.error).toBe('enough')
  expect(late.error).toMatchObject({ code: 'deadline_exceeded' })
  expect(slow.error).toMatchObject({ code: 'attempt_timeout' })
})
