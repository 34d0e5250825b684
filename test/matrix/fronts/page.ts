import { createServer, get, type IncomingHttpHeaders } from 'node:http'
import { createClient } from 'etn-market'
import { createFakeService } from 'etn-market/fake'
import { createPriceFeed, type FeedPrice } from 'etn-market/feed'
import { createProxy, toNodeHandler } from 'etn-market/proxy'
import { createPriceStream, type PriceStream } from 'etn-market/stream'
import { check, wait } from '../scenario/check.ts'

/** Longer than all their time-outs. */
const HOLD_MS = 190_000
/** What is bought reaches a page behind a front within this time after one without a front. */
const MAX_DELAY_MS = 1_000
/** A page that is locked out asks again later than this. */
const MAX_RELOAD_MS = 8_000
const PACE_MS = 2_000
/** Two heartbeats: some fronts notice at the next write that a visitor has left. */
const MAX_NOTICE_MS = 35_000

/** What a page has met behind a front. */
export interface PageReport {
  /** How much later than a page without a front it had its first price, and at most any price. */
  readonly firstMs: number
  readonly slowestMs: number
  readonly heldMs: number
  /** How long the proxy took to notice that the page had left. */
  readonly noticedMs: number
  readonly forwardedProto: string | undefined
  readonly forwardedFor: string | undefined
}

interface Arrival {
  readonly address: string
  readonly at: number
  readonly time: number
}

type Handler = ReturnType<typeof toNodeHandler>

/** Plays a page through the front at `frontPort` to a proxy at `port`. @param wrap puts something before the proxy in its own process */
export async function playPage(
  frontPort: number,
  port: number,
  wrap: (handler: Handler) => Promise<Handler> = async (handler) => handler,
): Promise<PageReport> {
  const fake = createFakeService()
  const client = createClient({ apiKey: fake.key, fetch: fake.fetch })
  const makeProxy = (everyMs: number, basePath: string) => {
    const feed = createPriceFeed(client, { budget: false })
    const stream = { everyMs, addresses: 'any' } as const
    const proxy = createProxy({
      client,
      basePath,
      allow: ['nft.stats'],
      visitorCookie: true,
      budget: false,
      feed,
      stream,
    })
    return { feed, proxy }
  }
  const fast = makeProxy(PACE_MS, '/api/market/fast')
  const quiet = makeProxy(3_600_000, '/api/market/quiet')
  const handlers = [await wrap(toNodeHandler(fast.proxy)), await wrap(toNodeHandler(quiet.proxy))]
  let seen: IncomingHttpHeaders = {}
  const server = createServer((request, response) => {
    seen = request.headers
    handlers[request.url?.startsWith('/api/market/quiet') ? 1 : 0]?.(request, response)
  })
  server.listen(port, '127.0.0.1')
  const origin = `http://127.0.0.1:${frontPort}`
  const addresses = (await client.token.list({ limit: 3 })).map(({ address }) => address)

  // A visitor of whom the proxy has never heard gets a cookie, and writes headers that are not to be believed.
  const forged = frontPort === port ? {} : { 'x-forwarded-for': '192.0.2.1', 'x-forwarded-proto': 'https' }
  const first = await ask(`${origin}/api/market/fast/nft/stats`, { ...forged, 'accept-encoding': 'gzip' })
  check('the status of a call', first.status, 200)
  const [cookie = ''] = first.headers['set-cookie'] ?? []
  check('the cookie is Secure', /; Secure/.test(cookie), false)
  const textOf = (name: string) => seen[name]?.toString()
  const forwarded = { forwardedProto: textOf('x-forwarded-proto'), forwardedFor: textOf('x-forwarded-for') }
  const tag = first.headers.etag ?? ''
  const again = await ask(`${origin}/api/market/fast/nft/stats`, { 'if-none-match': tag, 'accept-encoding': 'gzip' })
  check('the status of the same call with its ETag', again.status, 304)

  const opened: string[] = []
  const errors: unknown[] = []
  const openPage = (path: string, onPrice: (price: FeedPrice) => void, at = origin): PriceStream => {
    const stream = createPriceStream({
      url: `${at}/api/market/${path}`,
      headers: { cookie: cookie.split(';')[0] ?? '', 'accept-encoding': 'gzip' },
      fetch(url, init) {
        opened.push(url)
        return fetch(url, init)
      },
    })
    stream.watch(addresses, { onPrice, onError: (error) => void errors.push(error) })
    return stream
  }
  const streamsOf = () => fast.proxy.status().streams + quiet.proxy.status().streams

  // One stays open without news, and is never cut.
  const held = openPage('quiet', () => {})
  const heldAt = Date.now()
  await wait(MAX_DELAY_MS)
  const [heldOpening] = opened

  // Prices arrive when they are bought, the last one of a batch, too.
  const arrivals: Arrival[][] = [[], []]
  const pages = [origin, `http://127.0.0.1:${port}`].map((from, index) =>
    openPage('fast', ({ address, at }) => void arrivals[index]?.push({ address, at, time: Date.now() }), from),
  )
  await wait(5 * PACE_MS)
  for (const page of pages) page.close()
  const [behind = [], direct = []] = arrivals
  const firstMs = Math.min(...behind.map(({ time }) => time)) - Math.min(...direct.map(({ time }) => time))
  // Each page counts for itself when a price was bought.
  const isSame = (one: Arrival, other: Arrival) =>
    one.address === other.address && Math.abs(one.at - other.at) < PACE_MS / 2
  const delays = direct.map((one) => (behind.find((other) => isSame(one, other))?.time ?? Number.NaN) - one.time)
  // One that was bought last may still be on its way.
  const known = delays.filter((ms) => !Number.isNaN(ms))
  const slowestMs = Math.max(...known)
  check('a first price within a second', firstMs < MAX_DELAY_MS, true)
  check('prices within a second', slowestMs < MAX_DELAY_MS, true)
  check(
    'prices that arrived',
    known.length >= Math.max(3, direct.length / addresses.length - 1) * addresses.length,
    true,
  )

  for (let reload = 1; reload <= 12; reload++) {
    const startedAt = Date.now()
    const arrived = new Set<string>()
    const reloaded = openPage('fast', ({ address }) => void arrived.add(address))
    while (arrived.size < addresses.length && Date.now() - startedAt < MAX_RELOAD_MS) await wait(10)
    const { state } = reloaded.status().stream
    check(
      `after reload ${reload}: prices, state, errors`,
      [arrived.size, state, errors.map(String)],
      [3, 'connected', []],
    )
    reloaded.close()
  }

  // Streams that were left end.
  const leftAt = Date.now()
  while (streamsOf() > 1 && Date.now() - leftAt < MAX_NOTICE_MS) await wait(50)
  const noticedMs = Date.now() - leftAt
  check('streams of pages that have left', streamsOf() - 1, 0)
  await wait(500)
  check('watches of the feed without a page', fast.feed.status().watches, 0)

  await wait(Math.max(0, HOLD_MS - (Date.now() - heldAt)))
  const heldMs = Date.now() - heldAt
  check('the state of the page that stays', held.status().stream.state, 'connected')
  check('its streams', opened.filter((url) => url === heldOpening).length, 1)
  check('errors of all pages', errors.map(String), [])
  held.close()
  await quiet.proxy.close()
  await fast.proxy.close()
  await fast.feed.close()
  await quiet.feed.close()
  await client.close()
  await fake.close()
  server.closeAllConnections()
  server.close()
  return { firstMs, slowestMs, heldMs, noticedMs, ...forwarded }
}

function ask(url: string, headers: Record<string, string>) {
  return new Promise<{ status: number | undefined; headers: IncomingHttpHeaders }>((resolve, reject) => {
    get(url, { agent: false, headers }, (response) => {
      response.resume()
      response.once('end', () => resolve({ status: response.statusCode, headers: response.headers }))
    }).once('error', reject)
  })
}
