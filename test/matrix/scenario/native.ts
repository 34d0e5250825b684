import * as market from 'etn-market'
import { createFakeService } from 'etn-market/fake'
import { createPriceFeed } from 'etn-market/feed'
import { formatPrice } from 'etn-market/format'
import { createPriceStream } from 'etn-market/stream'
import { type NativeReport, nativeKey } from '../native/report.ts'
import { rejection } from './check.ts'
import { runScenario } from './scenario.ts'

/** An app: the VM of `native/vm.mjs` hands it these. */
declare const appArguments: readonly [phone: string, what: 'scenario' | 'app', baseUrl: string]
declare function report(value: object): void

const BOLT = '0x043fAa1b5C5FC9a7dc35171f290c29ECDE0cCff1'

/** What a page's stream brings first: a price, or the code of the reason why there is none. */
function firstOfStream(url: string): Promise<string> {
  return new Promise((resolve) => {
    const stream = createPriceStream({ url })
    const end = (outcome: string) => {
      stream.close()
      resolve(outcome)
    }
    stream.watch(BOLT, {
      onPrice: ({ usd }) => end(usd === null ? 'no price' : 'price'),
      onError: (error) => end((error as market.EtnMarketError).code),
    })
  })
}

/** Where the first price of a feed with `stream: true` comes from. */
async function firstOfFeed(baseUrl: string): Promise<string> {
  const client = market.createClient({ baseUrl, apiKey: nativeKey, logLevel: 'info' })
  const feed = createPriceFeed(client, { stream: true })
  const price = new Promise((resolve) => void feed.watch(BOLT, { everyMs: 60_000, onPrice: resolve, onError() {} }))
  await price
  const { code, state } = feed.status().stream ?? {}
  const { charged } = client.credits
  await feed.close()
  await client.close()
  return charged > 0 ? `bought, ${code ?? state}` : 'streamed'
}

/** The fake within the app, as its tests use it: a price, and answers that break off or never end. */
async function withFake(): Promise<string[]> {
  const fake = createFakeService()
  const client = market.createClient({
    apiKey: fake.key,
    baseUrl: fake.baseUrl,
    fetch: fake.fetch,
    retry: false,
    timeoutMs: 500,
  })
  fake.fault({ operation: 'nft.stats', truncate: 20 })
  fake.fault({ operation: 'nft.collections', stall: 20 })
  const { usd } = await client.token.price({ address: BOLT })
  const errors = await Promise.all([client.nft.stats(), client.nft.collections()].map(rejection))
  await client.close()
  await fake.close()
  return [formatPrice(usd) === '' ? 'no price' : 'price', ...errors.map((error) => (error as Error).name)]
}

async function runApp(baseUrl: string): Promise<NativeReport> {
  return { stream: await firstOfStream(baseUrl), feed: await firstOfFeed(baseUrl), fake: await withFake() }
}

const [, what, baseUrl] = appArguments
const running = what === 'scenario' ? runScenario(market, baseUrl) : runApp(baseUrl)
running.then(report, (error) => report({ failure: String(error?.stack ?? error) }))
