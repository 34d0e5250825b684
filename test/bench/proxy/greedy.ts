import { createClient } from 'etn-market'
import { createFakeService } from 'etn-market/fake'
import { createPriceFeed } from 'etn-market/feed'
import { createProxy, type MarketProxy } from 'etn-market/proxy'
import { createVirtualClock, type VirtualClock } from '../../support/clock.ts'

const HOUR = 3_600_000
export const HONEST = 20
export const HONEST_TOKENS = 20
export const HONEST_EVERY_MS = 60_000
export const HOURS = 2
/** The options of `examples/dapp`. */
const PER_VISITOR = { credits: 50_000, windowMs: 24 * HOUR }
const STREAM_PER_VISITOR = { credits: 100_000, windowMs: 24 * HOUR }
const CREDITS_PER_DAY = 500_000
const MIN_EVERY_MS = 30_000
const ROTATING_MS = 60_000

/** What some hours cost, and how an honest visitor fared. */
export interface Fairness {
  /** Milliseconds between two prices of a token, for an honest visitor: the mean and the longest. */
  readonly meanMs: number
  readonly longestMs: number
  /** Credits of all visitors together. */
  readonly credits: number
}

/** @param crowd opens the streams of those who are not honest */
async function measure(crowd: (market: { open: Open; clock: VirtualClock; tokens: string[] }) => Promise<void>) {
  const clock = createVirtualClock()
  const fake = createFakeService({ clock, journal: { max: 10 } })
  const client = createClient({ apiKey: fake.key, fetch: fake.fetch, clock })
  const proxy = createProxy({
    client,
    allow: [],
    visitor: (request) => request.headers.get('x-visitor'),
    perVisitor: PER_VISITOR,
    budget: { credits: 1_000_000, windowMs: 24 * HOUR },
    feed: createPriceFeed(client, { clock, budget: { creditsPerDay: CREDITS_PER_DAY } }),
    stream: { minEveryMs: MIN_EVERY_MS, perVisitor: STREAM_PER_VISITOR },
    clock,
  })
  const tokens = (await client.token.list({ limit: 100 })).map(({ address }) => address)
  const times = new Map<string, number[]>()
  const open = openOn(proxy)
  for (let visitor = 0; visitor < HONEST; visitor++)
    await open(`honest ${visitor}`, tokens.slice(0, HONEST_TOKENS), HONEST_EVERY_MS, ({ address, at }) => {
      if (visitor === 0) times.set(address, [...(times.get(address) ?? []), at])
    })
  await clock.advance(1_000)
  const start = clock.now()
  await crowd({ open, clock, tokens })
  await clock.advance(start + HOURS * HOUR - clock.now())
  const gaps = [...times.values()].flatMap((list) => list.slice(1).map((at, index) => at - (list[index] ?? at)))
  const result: Fairness = {
    meanMs: gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length,
    longestMs: Math.max(...gaps),
    credits: fake.charged(),
  }
  await client.close()
  await proxy.close()
  await fake.close()
  return result
}

type OnPrice = (price: { address: string; at: number; stale: boolean }) => void
type Open = (visitor: string, addresses: readonly string[], everyMs: number, onPrice?: OnPrice) => Promise<() => void>

/** Opens a stream and reads it. Returns a function that leaves. */
function openOn(proxy: MarketProxy): Open {
  return async (visitor, addresses, everyMs, onPrice) => {
    const url = `http://dapp.example/stream?addresses=${addresses}&everyMs=${everyMs}`
    const response = await proxy(new Request(url, { headers: { 'x-visitor': visitor } }))
    if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`)
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    let lastAt = new Map<string, number>()
    const read = async () => {
      for (let part = await reader?.read(); part && !part.done; part = await reader?.read())
        for (const [, data = ''] of part.value.matchAll(/^event: price\ndata: (.*)$/gm)) {
          const price = JSON.parse(data)
          // A price that is reported as late is not a new one.
          if (price.at === lastAt.get(price.address)) continue
          lastAt = lastAt.set(price.address, price.at)
          onPrice?.(price)
        }
    }
    void read().catch(() => {})
    return () => void reader?.cancel()
  }
}

/** Twenty visitors of a page with twenty tokens. */
export const honestAlone = () => measure(async () => {})

/** One more, who wants every listed token as often as the proxy allows. */
export const besideGreedy = () => measure(async ({ open, tokens }) => void (await open('greedy', tokens, MIN_EVERY_MS)))

/** A hundred streams, each of another identity every minute. */
export const besideRotating = () =>
  measure(async ({ open, clock, tokens }) => {
    for (let minute = 0; minute < (HOURS * HOUR) / ROTATING_MS - 1; minute++) {
      const leave = await Promise.all(
        Array.from({ length: 100 }, (_, index) => open(`rotating ${minute} ${index}`, tokens, MIN_EVERY_MS)),
      )
      await clock.advance(ROTATING_MS)
      for (const each of leave) each()
    }
  })
