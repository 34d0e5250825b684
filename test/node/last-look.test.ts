import { Agent } from 'node:http'
import type { Socket } from 'node:net'
import { type ClientOptions, createBudget, createClient } from 'etn-market'
import { createNodeTransport } from 'etn-market/node'
import { afterEach, describe, expect, test } from 'vitest'
import { createVirtualClock } from '../support/clock.ts'
import { address, watch } from '../support/setup.ts'
import { message, rawServer } from './raw-server.ts'

const PRICE = 50
const WINDOW = 1_000
const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const clean of cleanups.splice(0)) await clean()
})

const answer = () => message('{"data":{"usd":"1"}}', `x-credits-cost: ${PRICE}\r\n`)

/** A client with an agent of one connection, and a server that answers when a test says so. */
async function open(options: ClientOptions = {}, withStore = false) {
  const clock = createVirtualClock()
  const waiting: Socket[] = []
  const sentAt: number[] = []
  const server = await rawServer((socket) => {
    sentAt.push(clock.now())
    waiting.push(socket)
  })
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const transport = createNodeTransport({ agent })
  const kept = new Map<string, string>()
  const store = {
    get: async (key: string) => kept.get(key),
    set: async (key: string, value: string) => void kept.set(key, value),
  }
  const bare = { credits: 2 * PRICE, windowMs: WINDOW }
  const client = createClient({
    apiKey: 'esk_test_x',
    baseUrl: server.url,
    transport,
    clock,
    timeoutMs: 60_000,
    retry: false,
    budget: withStore ? createBudget({ ...bare, store }, clock) : createBudget(bare, clock),
    ...options,
  })
  cleanups.push(async () => {
    await client.close()
    await transport.close()
    agent.destroy()
    server.close()
  })
  /** Answers the request that has arrived. */
  const reply = async (text: Buffer | string = answer()) => {
    await expect.poll(() => waiting.length, { interval: 2 }).toBe(1)
    waiting.pop()?.write(text)
  }
  const arrives = (count: number) => expect.poll(() => sentAt.length, { interval: 2 }).toBe(count)
  return { client, clock, sentAt, waiting, reply, arrives }
}

const pause = (ms = 30) => new Promise((resolve) => setTimeout(resolve, ms))
const price = (made: Awaited<ReturnType<typeof open>>, index: number, signal?: AbortSignal) =>
  watch(made.client.token.price({ address: address(index) }, { signal }))

describe('a request in the queue of an agent', () => {
  test.each([
    ['in memory', false],
    ['with a store', true],
  ])('counts in the window in which it is sent, of a budget %s', async (_, withStore) => {
    const made = await open({}, withStore)
    const { clock, sentAt, reply, arrives, client } = made
    const outcomes = [price(made, 1), price(made, 2)]
    await arrives(1)
    await clock.advance(WINDOW)
    outcomes.push(price(made, 3), price(made, 4))
    await clock.advance(0)
    for (let answered = 0; answered < 3; answered++) await reply()
    await expect.poll(() => outcomes.filter(({ state }) => state === 'pending'), { interval: 2 }).toEqual([])
    // Three were sent in the second window, for 150 of 100 credits.
    expect(sentAt.map((at) => at - (sentAt[0] ?? 0))).toEqual([0, WINDOW, WINDOW])
    expect(client.budget).toMatchObject({ spent: 2 * PRICE, reserved: 0, uncertain: 0 })
    const [refused] = outcomes.filter(({ state }) => state === 'rejected')
    expect(refused?.error).toMatchObject({ code: 'budget_exceeded', attempts: 0, charge: 'none' })
  })

  test('that is aborted there was no attempt, and cost nothing', async () => {
    const events: object[] = []
    const made = await open({ onEvent: (event) => void events.push(event) })
    const { sentAt, reply, arrives, client } = made
    const first = price(made, 1)
    await arrives(1)
    const caller = new AbortController()
    const queued = price(made, 2, caller.signal)
    await pause()
    caller.abort('enough')
    await reply()
    await expect.poll(() => first.state, { interval: 2 }).toBe('resolved')
    await pause()
    expect(queued.error).toBe('enough')
    expect(sentAt).toHaveLength(1)
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'call.failed', attempts: 0, charge: 'none', credits: 0 }),
    )
    expect(events.filter((event) => (event as { type: string }).type === 'request.sent')).toHaveLength(1)
    expect(client.budget).toMatchObject({ spent: PRICE, reserved: 0, uncertain: 0 })
  })
})

// One that is refused is an attempt: `test/behaviour/surroundings.test.ts`.
test('a connection that a closed transport does not make was no attempt', async () => {
  const transport = createNodeTransport()
  await transport.close()
  const client = createClient({ apiKey: 'esk_test_x', transport, retry: false })
  await expect(client.etn.price()).rejects.toMatchObject({ code: 'connection_failed', attempts: 0, charge: 'none' })
})
