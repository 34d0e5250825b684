import { describe, expect, test } from 'vitest'
import { costs, type HeaderLines, limited, ok, price, wait } from '../support/answers.ts'
import { createRandom } from '../support/random.ts'
import type { Exchange } from '../support/script.ts'
import { address, addresses, setup, watch } from '../support/setup.ts'

const GUARANTEE = 15
const MINUTE = 60_000

interface Service {
  servedPerSecond: number
  headers: HeaderLines
  latencyMs: number
}

/** Counts what the service counts: the refusals of the last minute, and the requests on their way. */
function play({ servedPerSecond, headers, latencyMs }: Service, options: object) {
  const refusedAt = new Map<Exchange, number>()
  const accepted: number[] = []
  /** Those that were sent before the first refusal arrived. */
  let exempt = new Set<Exchange>()
  let lastDelivered = Number.NEGATIVE_INFINITY
  let worst = 0
  const isFull = (now: number) => accepted.filter((at) => at > now - 1_000).length >= servedPerSecond
  const made = setup((exchange) => {
    const now = made.clock.now()
    const isRefused = isFull(now)
    if (isRefused) refusedAt.set(exchange, now)
    else accepted.push(now)
    check()
    const deliver = () => {
      if (!exchange.open) return
      if (!isRefused) return exchange.answer(ok(price(address(1)), costs(50)))
      if (made.clock.now() - lastDelivered > MINUTE) exempt = new Set(made.script.requests)
      lastDelivered = made.clock.now()
      exchange.answer(limited(headers))
      check()
    }
    void made.clock.sleep(latencyMs).then(deliver)
    return undefined
  }, options)
  Object.assign(made.clock, { random: createRandom(1) })
  function check() {
    const now = made.clock.now()
    if (now - lastDelivered > MINUTE) return
    const isCounted = (exchange: Exchange) => !exempt.has(exchange)
    const recent = [...refusedAt].filter(([exchange, at]) => isCounted(exchange) && now - at < MINUTE)
    const inFlight = made.script.open.filter((exchange) => isCounted(exchange) && !refusedAt.has(exchange))
    worst = Math.max(worst, recent.length + inFlight.length)
  }
  return { ...made, worst: () => worst }
}

// Of services of many kinds: `policy-model.test.ts`.
describe('from the first 429 on, refusals of the last minute and requests in flight are never more than 15', () => {
  test('callers who leave before the refusal arrives are counted too', async () => {
    const made = play({ servedPerSecond: 0, headers: {}, latencyMs: 500 }, { retry: false })
    watch(made.client.etn.price())
    await made.clock.advance(1_100)
    for (let step = 0; step < 100; step++) {
      const caller = new AbortController()
      watch(made.client.token.price({ address: address(step) }, { signal: caller.signal }))
      await made.clock.advance(200)
      caller.abort('left')
      await made.clock.advance(300)
    }
    expect(made.worst()).toBeLessThanOrEqual(GUARANTEE)
  })

  test('a service that recovers serves everybody in the end', async () => {
    const service = { servedPerSecond: 5, headers: wait(1), latencyMs: 30 }
    const made = play(service, { retry: { limit: 50 }, deadlineMs: 900_000 })
    const outcomes = addresses(60).map((token) => watch(made.client.token.price({ address: token })))
    await made.clock.advance(900_000)
    expect(outcomes.filter(({ state }) => state === 'resolved')).toHaveLength(60)
    expect(made.worst()).toBeLessThanOrEqual(GUARANTEE)
  })
})

test('a request that is let through while a refusal arrives is not sent during the cool-down', async () => {
  const { client, clock, script } = setup(undefined, { cache: { ttlMs: { 'etn.price': 1_000 } } })
  const first = watch(client.token.price({ address: address(1) }))
  await clock.advance(0)
  script.requests[0]?.answer(limited(wait(10)))
  // After the look into the cache each waits for one turn of the event loop; the refusal arrives in it.
  const others = addresses(5, 10).map((token) => watch(client.token.price({ address: token })))
  await clock.advance(9_000)
  expect(script.requests).toHaveLength(1)
  for (let step = 0; step < 10; step++) {
    await clock.advance(1_000)
    for (const exchange of script.open) exchange.answer(ok(price(address(1)), costs(50)))
  }
  expect([first, ...others].map(({ state }) => state)).toEqual(Array(6).fill('resolved'))
})
