import { createClient } from 'etn-market'
import { createFakeService } from 'etn-market/fake'
import { createProxy, type MarketProxy, type ProxyOptions } from 'etn-market/proxy'
import { createVirtualClock } from '../../support/clock.ts'

/** A fake service in virtual time, and the client that holds its key. */
export function openMarket() {
  const clock = createVirtualClock()
  const fake = createFakeService({ clock, journal: { max: 10 } })
  const client = createClient({ apiKey: fake.key, fetch: fake.fetch, clock })
  return { clock, fake, client }
}

/** A proxy whose visitors say who they are. */
export const openProxy = (options: Pick<ProxyOptions, 'client'> & Partial<ProxyOptions>): MarketProxy =>
  createProxy({
    allow: [],
    visitor: (request) => request.headers.get('x-visitor'),
    budget: false,
    ...options,
  } as ProxyOptions)

/** Answers at once, so that the service does not count. */
export const answerAtOnce = async (url: string) => {
  const asked = new URL(url).searchParams.get('addresses')?.split(',') ?? []
  const data = Object.fromEntries(asked.map((address) => [address, { usd: '1.0', etn: '2.0' }]))
  const headers = { 'x-credits-cost': String(100 + 10 * asked.length) }
  return Response.json({ data, cursor: null }, { headers })
}

/** Asks a proxy for a stream. */
export function askForStream(proxy: MarketProxy, visitor: string, addresses: readonly string[]): Promise<Response> {
  const url = `http://dapp.example/stream?addresses=${addresses}`
  return proxy(new Request(url, { headers: { 'x-visitor': visitor } }))
}

/** Opens a stream, and reads it until its reader is cancelled. */
export async function readStream(
  proxy: MarketProxy,
  visitor: string,
  addresses: readonly string[],
  onPart = () => {},
): Promise<ReadableStreamDefaultReader<Uint8Array>> {
  const response = await askForStream(proxy, visitor, addresses)
  const reader = response.body?.getReader()
  if (!response.ok || reader === undefined) throw new Error(`No stream: ${response.status}.`)
  const read = async () => {
    while (!(await reader.read()).done) onPart()
  }
  void read()
  return reader
}
