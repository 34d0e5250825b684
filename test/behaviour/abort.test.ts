import type { Client } from 'etn-market'
import { describe, expect, test } from 'vitest'
import { busy, costs, limited, networkError, ok, price, refusal, stalled, wait } from '../support/answers.ts'
import { flush } from '../support/clock.ts'
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
  'its own request is in flight': {
    handler: () => undefined,
    ask: (client, signal) => client.request('/x', { maxCredits: 10, signal }),
    uncertain: 10,
  },
}
const stages = Object.entries(STAGES)
/** Nothing of these calls is on its way. */
const waiting = stages.filter(([, { uncertain }]) => uncertain === 0)

test.each([
  ...stages.map((stage) => ['cancel', 'is aborted', ...stage] as const),
  ...waiting.map((stage) => ['finish', 'is aborted', ...stage] as const),
  ...stages.map((stage) => ['cancel', 'has its client closed', ...stage] as const),
])(
  'with whenAborted %j, a call that %s while %s rejects at once with the reason, keeps only what may have been charged, and is not retried',
  async (whenAborted, end, name, { handler, before, ask, uncertain }) => {
    const { client, clock, script, events } = setup(handler, { budget: { credits: 100_000 }, whenAborted })
    clock.randomValue = 0.5
    before?.(client)
    await clock.advance(0)
    const held = client.budget.reserved
    const caller = new AbortController()
    const outcome = watch(ask(client, caller.signal))
    await clock.advance(name === 'its second attempt is in flight' ? 5_000 : 0)
    expect(outcome.state).toBe('pending')
    const sent = script.requests.length
    if (end === 'is aborted') {
      caller.abort('enough')
      await clock.advance(0)
      expect(outcome).toEqual({ state: 'rejected', error: 'enough' })
      expect(client.budget).toMatchObject({ reserved: held, uncertain })
    }
    await client.close()
    if (end !== 'is aborted') expect(outcome.error).toMatchObject({ code: 'client_closed' })
    expect(client.budget.reserved).toBe(0)
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

const good = () => ok(price(TOKEN), costs(50))

/** Waits for this many microtasks. */
async function steps(count: number): Promise<void> {
  for (let step = 0; step < count; step++) await Promise.resolve()
}

/** What arrived was charged; what was sent may have been. Without a real connection, all that is sent arrives. */
function expectBetween(credits: number, charged: number, sent: number): void {
  expect(credits).toBeGreaterThanOrEqual(charged)
  expect(credits).toBeLessThanOrEqual(sent)
}

describe('a call that is aborted at any moment: nothing more is sent, and what was charged is counted', () => {
  test.each<[string, () => Response | undefined, 'cancel' | 'finish', boolean]>([
    ['while it waits for the answer', () => undefined, 'cancel', false],
    ['with a transport that ignores the signal', () => undefined, 'cancel', true],
    ['while the answer arrives', good, 'cancel', false],
    ['while the answer arrives, which is read to its end', good, 'finish', false],
  ])('%s', async (_, handler, whenAborted, ignoresAbort) => {
    for (let count = 0; count < 40; count++) {
      const { client, clock, script } = setup(handler, { budget: { credits: 100 }, whenAborted }, { ignoresAbort })
      const caller = new AbortController()
      const outcome = watch(client.token.price({ address: TOKEN }, { signal: caller.signal }))
      if (count > 0) await steps(count)
      const sent = script.requests.length
      caller.abort('enough')
      await flush()
      // A request that was not sent before the abort is never sent, so it cannot be charged.
      expect(script.requests, `after ${count} microtasks`).toHaveLength(sent)
      if (handler() === undefined) expect(outcome).toEqual({ state: 'rejected', error: 'enough' })
      expect(outcome.state).not.toBe('pending')
      const { spent, uncertain, reserved } = client.budget
      expect([reserved, uncertain % 50]).toEqual([0, 0])
      expectBetween(spent + uncertain, ignoresAbort ? 50 * sent : 50 * script.arrived, 50 * sent)
      if (whenAborted === 'finish') expect([spent, uncertain]).toEqual([50 * sent, 0])
      if (!ignoresAbort) expect(clock.pending).toBe(0)
    }
  })
})

describe('a call that an event listener aborts', () => {
  test.each(['request.sent', 'request.failed', 'retry.scheduled'])(
    'at the event %s: rejects with the reason',
    async (type) => {
      const caller = new AbortController()
      const types: string[] = []
      const { client, clock, script } = setup(
        ({ number }) => (number === 1 && type !== 'request.sent' ? new Error('x') : good()),
        {
          onEvent: (event) => {
            types.push(event.type)
            if (event.type === type) caller.abort('seen')
          },
        },
      )
      const outcome = watch(client.token.price({ address: TOKEN }, { signal: caller.signal }))
      await clock.advance(10_000)
      expect(outcome).toEqual({ state: 'rejected', error: 'seen' })
      expect(script.requests.length).toBeLessThanOrEqual(1)
      const count = (type: string) => types.filter((each) => each === type).length
      expect(count('request.failed')).toBe(count('request.sent'))
      expect(clock.pending).toBe(0)
    },
  )

  test('at the event request.sent, by closing the client: rejects with client_closed', async () => {
    const made = setup(good, {
      onEvent: (event) => {
        if (event.type === 'request.sent') void made.client.close()
      },
    })
    const outcome = watch(made.client.token.price({ address: TOKEN }))
    await made.clock.advance(10_000)
    expect(outcome.error).toMatchObject({ code: 'client_closed' })
  })
})

describe('aborted in the tick in which it was made', () => {
  test('two components mount twice and share one request', async () => {
    const { client, script } = setup(good, { budget: { credits: 100 } })
    const mount = () => {
      const caller = new AbortController()
      const outcome = watch(client.token.price({ address: TOKEN }, { signal: caller.signal }).withMeta())
      return { outcome, unmount: () => caller.abort() }
    }
    const discarded = [mount(), mount()]
    for (const { unmount } of discarded) unmount()
    const kept = [mount(), mount()]
    await flush()
    expect(discarded.map(({ outcome }) => outcome.state)).toEqual(['rejected', 'rejected'])
    const charged = kept.map(({ outcome }) => outcome.value?.meta.credits.charged)
    expect(charged).toEqual([50, 0])
    expect(script.requests).toHaveLength(1)
  })

  test.each(['a key function', 'a cache', 'neither'])('with %s: nothing is sent and nothing reserved', async (kind) => {
    const { client, clock, script, events } = setup(good, {
      budget: { credits: 5_000 },
      ...(kind === 'a key function' && { apiKey: async () => 'esk_live_of_a_function' }),
      ...(kind === 'a cache' && { cache: { ttlMs: { 'token.price': 1_000 } } }),
    })
    const caller = new AbortController()
    const { signal } = caller
    const outcomes = [
      watch(client.token.price({ address: TOKEN }, { signal })),
      watch(client.locks.get({ address: TOKEN }, { signal })),
      watch(client.prices.batch({ addresses: [TOKEN] }, { signal })),
      watch(client.request('/new', { maxCredits: 10, signal })),
    ]
    caller.abort('left')
    await flush()
    expect(outcomes).toEqual(Array(4).fill({ state: 'rejected', error: 'left' }))
    expect(script.requests).toHaveLength(0)
    expect(script.abortedBeforeSend).toBe(0)
    expect(events.filter(({ type }) => type.startsWith('request.'))).toEqual([])
    expect(client.budget).toMatchObject({ spent: 0, reserved: 0, uncertain: 0 })
    expect(clock.pending).toBe(0)
  })

  test('closed in the tick of the call: nothing is sent', async () => {
    const { client, script } = setup(good)
    const outcome = watch(client.token.price({ address: TOKEN }))
    await client.close()
    await flush()
    expect(outcome.error).toMatchObject({ code: 'client_closed', attempts: 0, charge: 'none' })
    expect(script.requests).toHaveLength(0)
  })
})

describe('a signal of a polyfill, which has neither throwIfAborted nor a reason', () => {
  const polyfill = (aborted: boolean) => {
    const listeners = new Set<() => void>()
    const signal = {
      aborted,
      addEventListener: (_: string, listener: () => void) => listeners.add(listener),
      removeEventListener: (_: string, listener: () => void) => listeners.delete(listener),
    }
    const abort = () => {
      signal.aborted = true
      for (const listener of [...listeners]) listener()
    }
    return { signal: signal as unknown as AbortSignal, abort, listeners }
  }

  test('that has aborted sends nothing', async () => {
    const { client, script } = setup()
    await expect(askPrice(client, polyfill(true).signal)).rejects.toMatchObject({ name: 'AbortError' })
    const sweep = client.token.price.many([{ address: TOKEN }], { signal: polyfill(true).signal })
    await expect(sweep.next()).rejects.toMatchObject({ name: 'AbortError' })
    expect(script.requests).toHaveLength(0)
  })

  test('that aborts ends the call', async () => {
    const { client, script } = setup()
    const { signal, abort, listeners } = polyfill(false)
    const outcome = watch(askPrice(client, signal))
    await flush()
    abort()
    await flush()
    expect(outcome.error).toMatchObject({ name: 'AbortError' })
    expect([script.requests.length, script.open.length, listeners.size]).toEqual([1, 0, 0])
  })
})
