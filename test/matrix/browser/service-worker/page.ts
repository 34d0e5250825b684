import { createClient } from 'etn-market'
import { createPriceStream } from 'etn-market/stream'

const ADDRESS = '0x043fAa1b5C5FC9a7dc35171f290c29ECDE0cCff1'
const PROXY = '/api/market'
const VISITOR = { 'x-visitor': 'page' }

/** What a page sees behind a service worker. */
export interface Seen {
  /** Whether the worker answers the requests of the page. */
  readonly isControlled: boolean
  readonly prices: readonly (string | null | undefined)[]
  readonly streamed: string | null
  /** The paths that the worker has kept. */
  readonly kept: readonly string[]
}

async function look(): Promise<Seen> {
  const { serviceWorker } = navigator
  const isControlled = new Promise<void>((resolve) => {
    serviceWorker.addEventListener('controllerchange', () => resolve(), { once: true })
  })
  await serviceWorker.register(`/worker.js${location.search}`)
  await isControlled
  await fetch('/kept.json')
  while ((await caches.match('/kept.json')) === undefined) await new Promise((resolve) => setTimeout(resolve, 20))
  await fetch('/kept.json')

  const client = createClient({ baseUrl: new URL(PROXY, location.href).href, headers: VISITOR })
  const prices: Seen['prices'][number][] = []
  for (let i = 0; i < 2; i++) prices.push((await client.token.price({ address: ADDRESS })).usd)
  await client.close()

  const stream = createPriceStream({ url: PROXY, headers: VISITOR })
  const streamed = await new Promise<string | null>((resolve, reject) => {
    stream.watch(ADDRESS, { onPrice: ({ usd }) => resolve(usd), onError: reject })
  })
  stream.close()

  const kept: string[] = []
  for (const name of await caches.keys()) {
    const requests = await (await caches.open(name)).keys()
    kept.push(...requests.map(({ url }) => new URL(url).pathname))
  }
  return { isControlled: serviceWorker.controller !== null, prices, streamed, kept }
}

Object.assign(window, { look })
