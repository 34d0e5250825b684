import { createPriceFeed } from 'etn-market/feed'
import type { MarketProxy, ProxyStreamOptions } from 'etn-market/proxy'
import type { VirtualClock } from '../../support/clock.ts'
import { createRandom } from '../../support/random.ts'
import { askForStream, openMarket, openProxy } from './market.ts'

const HOUR = 3_600_000
export const HONEST = 20
export const HONEST_TOKENS = 20
export const EVERY_MS = 60_000
export const HOURS = 1
/** The listed tokens that may be streamed. */
export const LISTED = 60
/** What one address costs that is bought alone. */
const ALONE = 50

/** What some hours cost, and how an honest visitor fared. */
export interface Fairness {
  /** Milliseconds between two prices of a token, for an honest visitor: the mean and the longest. */
  readonly meanMs: number
  readonly longestMs: number
  /** Credits of all visitors together. */
  readonly credits: number
  /** The most that they may cost: 50 for each place and each interval that has begun. */
  readonly most: number
}

interface Market {
  readonly open: Open
  readonly clock: VirtualClock
  /** Listed tokens that may be streamed. */
  readonly tokens: readonly string[]
  readonly end: number
}

type Crowd = (market: Market) => Promise<void>

/** @param crowd opens the streams of those who are not honest, until the end */
async function measure(crowd: Crowd, stream: ProxyStreamOptions = {}, places = LISTED): Promise<Fairness> {
  const { clock, fake, client } = openMarket()
  const tokens = (await client.token.list({ limit: LISTED })).map(({ address }) => address)
  const before = fake.charged()
  const proxy = openProxy({
    client,
    feed: createPriceFeed(client, { clock, budget: false }),
    stream: { everyMs: EVERY_MS, addresses: tokens, ...stream },
    clock,
  })
  const times = new Map<string, number[]>()
  const open = openOn(proxy)
  for (let visitor = 0; visitor < HONEST; visitor++)
    await open(`honest ${visitor}`, tokens.slice(0, HONEST_TOKENS), ({ address, at }) => {
      if (visitor === 0) times.set(address, [...(times.get(address) ?? []), at])
    })
  await clock.advance(1_000)
  const end = clock.now() + HOURS * HOUR
  await crowd({ open, clock, tokens, end })
  await clock.advance(Math.max(0, end - clock.now()))
  const gaps = [...times.values()].flatMap((list) => list.slice(1).map((at, index) => at - (list[index] ?? at)))
  const result: Fairness = {
    meanMs: gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length,
    longestMs: Math.max(...gaps),
    credits: fake.charged() - before,
    most: ALONE * places * ((HOURS * HOUR) / EVERY_MS + 1),
  }
  await client.close()
  await proxy.close()
  await fake.close()
  return result
}

type OnPrice = (price: { address: string; at: number; stale: boolean }) => void
/** Opens a stream and reads it. Returns a function that leaves; the proxy may refuse. */
type Open = (visitor: string, addresses: readonly string[], onPrice?: OnPrice) => Promise<() => void>

function openOn(proxy: MarketProxy): Open {
  return async (visitor, addresses, onPrice) => {
    const response = await askForStream(proxy, visitor, addresses)
    if (response.status === 429) return () => {}
    if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`)
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    const read = async () => {
      for (let part = await reader?.read(); part && !part.done; part = await reader?.read())
        for (const [, data = ''] of part.value.matchAll(/^event: price\ndata: (.*)$/gm)) onPrice?.(JSON.parse(data))
    }
    void read().catch(() => {})
    return () => void reader?.cancel()
  }
}

/** Twenty visitors of a page with twenty tokens. */
export const honestAlone = () => measure(async () => {})

/** One more, who shows another token every second. */
export const besideRotating = () =>
  measure(async ({ open, clock, tokens, end }) => {
    for (let turn = 0; clock.now() < end; turn++) {
      const leave = await open('rotating', [tokens[(turn * 7) % LISTED] ?? ''])
      await clock.advance(1_000)
      leave()
    }
  })

/** A hundred identities, which open and close streams of some tokens at random. */
export const besideIdentities = () =>
  measure(async ({ open, clock, tokens, end }) => {
    const random = createRandom(11)
    const pick = (count: number) => Math.floor(random() * count)
    const leaving: (() => void)[] = []
    while (clock.now() < end) {
      const from = pick(LISTED)
      leaving.push(await open(`identity ${pick(100)}`, tokens.slice(from, from + 1 + pick(5))))
      if (leaving.length > 20) leaving.splice(pick(leaving.length), 1)[0]?.()
      await clock.advance(pick(3_000))
    }
  })

const PLACES = 60

/** With `'any'` address: one visitor who wants other addresses all the time, as many as there are places. */
export const besideGreedy = () =>
  measure(
    async ({ open, clock, end }) => {
      for (let turn = 0; clock.now() < end; turn++) {
        const addresses = Array.from(
          { length: PLACES },
          (_, index) => `0x${(turn * PLACES + index + 1).toString(16).padStart(40, '0')}`,
        )
        const leave = await open('greedy', addresses)
        await clock.advance(20_000)
        leave()
      }
    },
    { addresses: 'any', maxAddresses: PLACES },
    PLACES,
  )
