import { setTimeout } from 'node:timers/promises'
import { type Client, createClient } from 'etn-market'
import { watchCandles } from 'etn-market/candles'
import { createPriceFeed, type FeedOptions, type PriceFeed } from 'etn-market/feed'
import { watchPortfolio } from 'etn-market/portfolio'
import { createProxy } from 'etn-market/proxy'
import { etnQueries } from 'etn-market/tanstack-query'
import { followTrades } from 'etn-market/trades'
import { describe, expect, it } from 'vitest'
import { fakeWallets } from '../../src/fake/data/balances.ts'
import { record } from '../../src/fake/index.ts'
import { onCaseFinished } from '../support/property.ts'
import { BOLT, CORE, makeFake } from './setup.ts'

/** The real service of the tests, and a client of it. */
function setup() {
  const service = makeFake({ keys: { esk_live_secret: 1_000_000 }, clock: Date })
  const client = createClient({ apiKey: service.key, fetch: service.fetch, clock: service.clock, retry: false })
  onCaseFinished(() => client.close())
  return { service, client }
}

/** What a part of the package does with a client that is handed to it; it ends when the part was answered or refused. */
type Part = (client: Client) => Promise<unknown>

/** A feed goes on after a failure, of which its listener learns. */
function failureOf(options: FeedOptions) {
  let fail = (_: unknown) => {}
  const failed = new Promise<void>((_, reject) => {
    fail = reject
  })
  failed.catch(() => {})
  const onEvent: FeedOptions['onEvent'] = (event) => {
    if (/failed|waiting|stopped/.test(event.type)) fail(event)
  }
  return { failed, options: { ...options, onEvent } }
}

const withFeed =
  (use: (feed: PriceFeed) => Promise<unknown>, given: FeedOptions = {}): Part =>
  async (client) => {
    const { failed, options } = failureOf(given)
    await using feed = createPriceFeed(client, options)
    await Promise.race([use(feed), failed])
  }

async function first(values: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of values) return
}

/** The first page of trades has none that are new. */
async function charged(client: Client): Promise<void> {
  for (let i = 0; i < 100 && client.credits.charged === 0; i++) await setTimeout(5)
}

async function askProxy(client: Client): Promise<void> {
  await using proxy = createProxy({ client, allow: ['token.price'], budget: false })
  const response = await proxy(new Request(`http://page/prices/52014/${BOLT}`))
  if (!response.ok) throw new Error(await response.text())
}

async function openStream(client: Client): Promise<void> {
  const { failed, options } = failureOf({ budget: false })
  await using feed = createPriceFeed(client, options)
  const stream = { addresses: [BOLT, CORE] }
  await using proxy = createProxy({ client, allow: [], budget: false, visitor: () => 'somebody', feed, stream })
  const { body } = await proxy(new Request(`http://page/stream?addresses=${BOLT},${CORE}`))
  const reader = (body as ReadableStream<BufferSource>).pipeThrough(new TextDecoderStream()).getReader()
  const priced = async () => {
    for (let [text, isDone] = ['', false]; !isDone && !text.includes('event: price'); ) {
      const { value = '', done } = await reader.read()
      ;[text, isDone] = [text + value, done]
    }
  }
  await Promise.race([priced(), failed]).finally(() => reader.cancel())
}

const PARTS: Record<string, Part> = {
  'a method': (client) => client.token.price({ address: BOLT }),
  'a batch': (client) => client.prices.batch({ addresses: [BOLT, CORE] }),
  'a sweep': async (client) => {
    for await (const { error } of client.token.price.many([{ address: BOLT }, { address: CORE }]))
      if (error) throw error
  },
  'a query': (client) =>
    etnQueries(client).token.price({ address: BOLT }).queryFn({ signal: new AbortController().signal }),
  'a price of a feed': withFeed((feed) => feed.price(BOLT)),
  'a price of a feed with a budget': withFeed((feed) => feed.price(BOLT), { budget: { creditsPerDay: 20_000 } }),
  'a watch': withFeed((feed) => first(feed.watch([BOLT, CORE], { everyMs: 60_000 }))),
  'watched candles': withFeed((feed) => first(watchCandles(feed, BOLT, { bucket: '1h', everyMs: 60_000 }))),
  'followed trades': (client) =>
    withFeed((feed) => Promise.race([first(followTrades(feed, { everyMs: 60_000 })), charged(client)]))(client),
  'a portfolio': withFeed((feed) => first(watchPortfolio(feed, fakeWallets.whale, { everyMs: 60_000 }))),
  'a proxy': askProxy,
  'a stream of a proxy': openStream,
}

/** Ways to a client that records: what `run` gets, a copy of it, and another recording by it. */
const RECORDERS: Record<string, (client: Client, part: Part) => Promise<unknown>> = {
  'the client of a recording': (client, part) => part(client),
  'a copy of it': (client, part) => part({ ...client }),
  'another recording by it': (client, part) => record({ client, budget: { credits: 100_000 }, run: part }),
}

describe.each(Object.entries(RECORDERS))('what %s buys', (_, hand) => {
  it.each(Object.entries(PARTS))('through %s is recorded', async (_, part) => {
    const { service, client } = setup()
    const tape = await record({ client, budget: { credits: 10_000 }, run: (own) => hand(own, part) })
    expect(service.charged()).toBeGreaterThan(0)
    expect(tape.entries.map(({ operation }) => operation)).toEqual(service.journal().map(({ operation }) => operation))
  })

  it.each(Object.entries(PARTS))('through %s is limited', async (_, part) => {
    const { service, client } = setup()
    // What is watched is asked for again and again.
    const run = (own: Client) => Promise.race([hand(own, part), setTimeout(40)])
    await record({ client, budget: { credits: 10 }, run }).catch(() => {})
    service.expectRequests(0)
  })
})
