import { createClient } from 'etn-market'
import { createFakeService, type FakeService } from 'etn-market/fake'
import { createPriceFeed, type PriceFeed } from 'etn-market/feed'
import { createProxy } from 'etn-market/proxy'
import { http } from 'msw'
import { setupWorker } from 'msw/browser'
import type { ReactNode } from 'react'
import { proxyOptions } from '../../server/proxy-options.ts'
import { PRICE_EVERY_MS } from '../live.ts'
import { COVERS, drawCover } from './covers.ts'
import { DemoPanel } from './DemoPanel.tsx'
import { createPriceMover } from './move-prices.ts'
import { readVisitorCredits } from './visitor-credits.ts'

declare global {
  /** The demo's service, for the console and for tests. A live build has none. */
  var demo: { fake: FakeService; feed: PriceFeed } | undefined
}

export interface Demo {
  /** What the visitor may spend. */
  readonly credits: number
  /** Shown below the view. */
  readonly panel: ReactNode
}

/**
 * Runs the fake service and the proxy in the page, where msw's worker hands them every request below the proxy's path.
 * @throws DemoAddressError
 */
export async function startDemo(): Promise<Demo> {
  const credits = readVisitorCredits(location.search)
  const fake = createFakeService({ latencyMs: 120, heavyLatencyMs: 400 })
  // A listener takes the warning about keys in pages: this key is the fake's.
  const upstream = createClient({ apiKey: fake.key, fetch: fake.fetch, retry: { limit: 1 }, onEvent() {} })
  const feed: PriceFeed = createPriceFeed(upstream, { budget: false, onEvent: createPriceMover(fake, () => feed) })
  const proxy = createProxy({
    ...proxyOptions,
    client: upstream,
    perVisitor: { ...proxyOptions.perVisitor, credits },
    // Prices move every few seconds here, for as long as somebody looks.
    budget: false,
    visitor: () => 'you',
    feed,
    stream: { addresses: 'any', everyMs: PRICE_EVERY_MS },
  })
  const worker = setupWorker(
    http.all(`${proxyOptions.basePath}/*`, ({ request }) => proxy(request)),
    http.get(COVERS, ({ request }) => drawCover(request.url)),
  )
  const serviceWorker = { url: `${import.meta.env.BASE_URL}mockServiceWorker.js` }
  await worker.start({ quiet: true, onUnhandledRequest: 'bypass', serviceWorker })
  globalThis.demo = { fake, feed }
  return { credits, panel: <DemoPanel fake={fake} /> }
}
