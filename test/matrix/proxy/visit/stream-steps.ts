import { createPriceFeed, type FeedPrice } from 'etn-market/feed'
import { check, readUntil, wait } from '../../scenario/check.ts'
import { MAX_STREAMS } from '../settings.ts'
import { ADDRESSES, type VisitContext } from './context.ts'

const [ONE, OTHER] = ADDRESSES
const EVERY_MS = 1_000
const STREAM = `/stream?addresses=${ONE}`

export async function aPageStreamsTwoPrices({ page }: VisitContext): Promise<void> {
  const client = page('page')
  const feed = createPriceFeed(client, { stream: true })
  const prices: FeedPrice[] = []
  for await (const price of feed.watch([OTHER], { everyMs: EVERY_MS })) if (prices.push(price) === 2) break
  check(
    'two prices',
    prices.map(({ usd }) => typeof usd),
    ['string', 'string'],
  )
  await feed.close()
  check('cost of the stream', client.credits.charged, 0)
  await client.close()
}

/** Nothing on the way may collect events, or end a stream that goes on. */
export async function eventsArriveOneByOne({ open, received }: VisitContext): Promise<void> {
  const controller = new AbortController()
  const { headers, body } = await open(STREAM, 'reader', controller.signal)
  check('content type', headers.get('content-type'), 'text/event-stream; charset=utf-8')
  const parts: string[] = []
  for (let part = 0; part < 3; part++) parts.push(await readUntil(body, 'event: price'))
  const prices = parts.map((part) => /^event: price\ndata: (.*)$/m.exec(part)?.[1] ?? '')
  check('events', [prices.map((data) => data.includes(ONE)), new Set(prices).size > 1], [[true, true, true], true])
  received.push(...parts)
  controller.abort()
}

/** Streams that a visitor leaves count no longer, and the feed behind them buys no more. */
export async function visitorsLeave(context: VisitContext): Promise<void> {
  const first = await openStreams(context)
  const [newest] = await openStreams(context, 1)
  check('the oldest stream ends for the newest', (await readUntil(first[0]?.body ?? null, 'event: end')) !== '', true)
  for (const stream of [newest, ...first]) stream?.leave()
  const second = await openStreams(context)
  for (const stream of second) stream.leave()
  for (const stream of await openStreams(context)) stream.leave()
  await hasStopped(context)
}

interface OpenStream {
  readonly body: Response['body']
  leave(): void
}

/** Opens as many streams as a visitor may have, as soon as they are free. */
async function openStreams(context: VisitContext, count = MAX_STREAMS): Promise<OpenStream[]> {
  const streams: OpenStream[] = []
  for (let attempts = 0; streams.length < count; attempts++) {
    const controller = new AbortController()
    const { status, body } = await context.open(STREAM, 'leaver', controller.signal)
    if (status === 200) {
      await readUntil(body, 'event: price')
      streams.push({ body, leave: () => controller.abort() })
      continue
    }
    if (status !== 429 || attempts === 200)
      throw new Error(`Stream ${streams.length + 1} is answered with ${status}: ${await new Response(body).text()}`)
    await body?.cancel()
    await wait(50)
  }
  return streams
}

/** Waits until no batch is bought for longer than the interval of the streams. */
async function hasStopped({ service }: VisitContext): Promise<void> {
  let bought = -1
  for (let attempts = 0; attempts < 10; attempts++) {
    const { length } = await service.ledger()
    if (length === bought) return
    bought = length
    await wait(2.5 * EVERY_MS)
  }
  throw new Error('The feed still buys after every visitor has left.')
}
