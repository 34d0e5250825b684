import { type AttemptOutcome, createBudget, createClient, type HttpAttempt } from 'etn-market'
import { describe, expect, test } from 'vitest'
import { costs, limited, ok, price, wait } from '../support/answers.ts'
import { createVirtualClock } from '../support/clock.ts'
import { address, BASE_URL, KEY, watch } from '../support/setup.ts'

const PRICE = 50
const WINDOW = 1_000

type OnRefusal = 'throws' | 'reports a failure' | 'never ends'

/** A client whose transport holds each request until a test lets it go. Its budget has a store that takes 100 ms. */
function open(
  awaitsLook: boolean,
  onRefusal: OnRefusal,
  answerOf: (url: string) => Response = (url) => ok(price(url.slice(-42)), costs(50)),
) {
  const clock = createVirtualClock()
  const held: (() => void)[] = []
  const sent: string[] = []
  let calls = 0
  const send = async ({ url, recheck, beforeSend, onHeaders }: HttpAttempt): Promise<AttemptOutcome> => {
    calls++
    await new Promise<void>((resolve) => held.push(resolve))
    if (awaitsLook) await recheck?.()
    try {
      beforeSend()
    } catch (cause) {
      if (onRefusal === 'never ends') return new Promise(() => {})
      if (onRefusal === 'reports a failure') return { failure: { kind: 'network', mayHaveArrived: false, cause } }
      throw cause
    }
    sent.push(url)
    const response = answerOf(url)
    const { status, headers } = response
    onHeaders({ status, headers })
    return { response: { status, headers, text: await response.text() } }
  }
  const kept = new Map<string, string>()
  const store = {
    get: async (key: string) => kept.get(key),
    async set(key: string, value: string) {
      await clock.sleep(100)
      kept.set(key, value)
    },
  }
  const budget = createBudget({ credits: 2 * PRICE, windowMs: WINDOW, store }, clock)
  const client = createClient({ apiKey: KEY, baseUrl: BASE_URL, clock, transport: { send }, budget, retry: false })
  /** Lets the first ones go, by default all. */
  const release = async (count = held.length) => {
    await clock.advance(0)
    for (const resolve of held.splice(0, count)) resolve()
    await clock.advance(0)
  }
  return { clock, client, budget, sent, held, release, calls: () => calls }
}

describe.each<[string, boolean, OnRefusal]>([
  ['awaits recheck()', true, 'throws'],
  ['only calls beforeSend()', false, 'throws'],
  ['catches what beforeSend() throws, and reports a failure', false, 'reports a failure'],
  ['catches what beforeSend() throws, and never ends', false, 'never ends'],
])('a transport that waits, and then %s', (_, awaitsLook, onRefusal) => {
  test('sends nothing over the limit of the window in which it sends, and nothing that is not written', async () => {
    const made = open(awaitsLook, onRefusal)
    const { clock, client, budget, sent, release } = made
    const ask = (index: number) => watch(client.token.price({ address: address(index) }))
    const outcomes = [ask(1), ask(2)]
    await clock.advance(WINDOW)
    outcomes.push(ask(3), ask(4))
    await clock.advance(200)
    await release()
    // The reservations of the first two are written for this window before they are sent.
    expect(sent.length).toBeLessThanOrEqual(2)
    await clock.advance(200)
    await release()
    await clock.advance(200)
    expect(sent).toHaveLength(2)
    expect(budget).toMatchObject({ spent: 2 * PRICE, reserved: 0, uncertain: 0 })
    expect(outcomes.filter(({ state }) => state === 'resolved')).toHaveLength(2)
    for (const { error } of outcomes)
      if (error) expect(error).toMatchObject({ code: 'budget_exceeded', attempts: 0, charge: 'none' })
    expect(clock.pending).toBe(0)
  })

  test('waits for the store in the new window, and is called again only where it does not wait itself', async () => {
    const made = open(awaitsLook, onRefusal)
    const { clock, client, sent, release } = made
    const outcome = watch(client.token.price({ address: address(1) }))
    await clock.advance(WINDOW)
    await release()
    expect(sent).toHaveLength(0)
    await clock.advance(100)
    await release()
    expect([sent.length, outcome.state, made.calls()]).toEqual([1, 'resolved', awaitsLook ? 1 : 2])
  })

  test('sends nothing in a cool-down', async () => {
    const made = open(awaitsLook, onRefusal, (url) =>
      url.endsWith('/etn') ? limited(wait(5)) : ok(price(address(1)), costs(50)),
    )
    const { clock, client, sent, release } = made
    const refused = watch(client.etn.price())
    const outcome = watch(client.token.price({ address: address(1) }))
    await clock.advance(150)
    await release(1)
    expect(refused.error).toMatchObject({ code: 'rate_limited' })
    await release()
    await clock.advance(4_500)
    await release()
    expect([sent.length, outcome.state]).toEqual([1, 'pending'])
    await clock.advance(1_000)
    await release()
    await clock.advance(100)
    await release()
    expect([sent.length, outcome.state]).toEqual([2, 'resolved'])
  })

  test('sends nothing after the deadline, however late its timer', async () => {
    const made = open(awaitsLook, onRefusal)
    const { clock, client, sent, held, budget } = made
    const outcome = watch(client.token.price({ address: address(1) }, { deadlineMs: WINDOW / 2 }))
    await clock.advance(150)
    clock.jump(WINDOW / 2)
    held.pop()?.()
    await clock.advance(100)
    expect(sent).toEqual([])
    expect(outcome.error).toMatchObject({ code: 'deadline_exceeded', attempts: 0, charge: 'none' })
    expect([budget.reserved, clock.pending]).toEqual([0, 0])
  })
})
