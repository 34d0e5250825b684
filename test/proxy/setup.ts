import { type Client, type ClientOptions, createClient } from 'etn-market'
import { createFakeService, type FakeService, type FakeServiceOptions } from 'etn-market/fake'
import { createPriceFeed } from 'etn-market/feed'
import { createProxy, type MarketProxy, type ProxyOptions } from 'etn-market/proxy'
import { createRunningClock, createVirtualClock, type VirtualClock } from '../support/clock.ts'
// The client loads it lazily; loaded here so that it takes no real time.
import '../../src/generated/answer-schemas.ts'
import { onCaseFinished } from '../support/property.ts'

export const KEY = 'esk_live_9Qm4"\\ZtB7wXcR'
export const ORIGIN = 'https://dapp.example'
export const BASE = `${ORIGIN}/api/market`

/** Addresses of tokens that the fake lists, in EIP-55 form. */
export const TOKENS = await listTokens()

async function listTokens(): Promise<string[]> {
  const fake = createFakeService({ clock: createVirtualClock() })
  const client = createClient({ apiKey: fake.key, fetch: fake.fetch })
  const tokens = await client.token.list({ limit: 60 })
  await client.close()
  await fake.close()
  return tokens.map(({ address }) => address)
}

/** The path of the price of one of these tokens. */
export const pricePath = (index = 0) => `/prices/52014/${TOKENS[index]}`
/** The path of the prices of some of these tokens. */
export const batchPath = (count: number, from = 0) => `/prices/52014?addresses=${TOKENS.slice(from, from + count)}`

export interface ProxySetup {
  readonly clock: VirtualClock
  readonly fake: FakeService
  /** Holds the key. */
  readonly client: Client
  readonly proxy: MarketProxy
  /** Asks the proxy for a path below its base path. */
  ask(path: string, init?: RequestInit & { visitor?: string }): Promise<Response>
  /** A client without a key, as a page of this visitor has it. */
  page(visitor?: string, options?: ClientOptions): Client
}

/** A proxy before the fake service, in virtual time. A visitor is named by the header `x-visitor`. */
export function setupProxy(
  options: Partial<ProxyOptions> = {},
  service: FakeServiceOptions = {},
  clientOptions: ClientOptions = {},
): ProxySetup {
  const { close, ...made } = openProxy(createVirtualClock(), options, service, clientOptions)
  onCaseFinished(close)
  return made
}

/** The same at a time of the caller, who closes it. */
export function openProxy(
  clock: VirtualClock,
  options: Partial<ProxyOptions> | ((made: { client: Client; fake: FakeService }) => Partial<ProxyOptions>) = {},
  service: FakeServiceOptions = {},
  clientOptions: ClientOptions = {},
): ProxySetup & { close(): Promise<void> } {
  const fake = createFakeService({ clock, keys: { [KEY]: 1_000_000_000 }, ...service })
  const client = createClient({ apiKey: KEY, fetch: fake.fetch, clock, ...clientOptions })
  const proxy = createProxy({
    client,
    basePath: '/api/market',
    allow: ['token.price'],
    visitor: (request) => request.headers.get('x-visitor') ?? 'somebody',
    budget: false,
    clock,
    ...(typeof options === 'function' ? options({ client, fake }) : options),
  } as ProxyOptions)
  const close = async () => {
    // First, so that no call in flight waits for time to pass.
    await client.close()
    await proxy.close()
    await fake.close()
  }
  const ask: ProxySetup['ask'] = (path, { visitor, ...init } = {}) => {
    const request = new Request(BASE + path, init)
    if (visitor !== undefined) request.headers.set('x-visitor', visitor)
    return proxy(request)
  }
  const page: ProxySetup['page'] = (visitor = 'somebody', pageOptions = {}) =>
    createClient({
      baseUrl: BASE,
      fetch: (url, init) => fetchAs(proxy, new Request(url, init), visitor),
      clock,
      ...pageOptions,
    })
  return { clock, fake, client, proxy, ask, page, close }
}

/** A proxy with a feed in real time. */
export function openRunningProxy(options: Partial<ProxyOptions> = {}) {
  const fake = createFakeService({ clock: createRunningClock() })
  const client = createClient({ apiKey: fake.key, fetch: fake.fetch })
  const feed = createPriceFeed(client, { budget: false })
  const proxy = createProxy({
    client,
    basePath: '/api/market',
    allow: ['nft.stats', 'prices.batch'],
    visitor: () => 'somebody',
    budget: false,
    feed,
    ...options,
  } as ProxyOptions)
  onCaseFinished(async () => {
    await feed.close()
    await client.close()
    await proxy.close()
    await fake.close()
  })
  return { fake, feed, proxy }
}

/** Rejects when the request is aborted, as `fetch` does. */
async function fetchAs(proxy: MarketProxy, request: Request, visitor: string): Promise<Response> {
  request.headers.set('x-visitor', visitor)
  const response = await proxy(request)
  request.signal.throwIfAborted()
  return response
}

/** The code of an error and the status of its answer, such as `403 not_allowed`. */
export async function errorOf(response: Response | Promise<Response>): Promise<string> {
  const answered = await response
  const { error } = (await answered.json()) as { error: { code: string } }
  return `${answered.status} ${error.code}`
}

/** What an answer cost its visitor, and what is left, as its headers say. */
export const costOf = ({ headers }: Response) => headers.get('x-credits-cost')
export const remainingOf = ({ headers }: Response) => headers.get('x-credits-remaining')
