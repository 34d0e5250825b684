import { QueryClient, QueryClientProvider, useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { type Client, createClient } from 'etn-market'
import { createFakeService, type FakeService, fakeTokens } from 'etn-market/fake'
import { createPriceFeed, type PriceFeed } from 'etn-market/feed'
import { createCreditMeter, useCreditMeter, usePrice, usePrices } from 'etn-market/react'
import { type EtnQueries, etnQueries } from 'etn-market/tanstack-query'
import { act, type ReactNode, StrictMode, Suspense } from 'react'
import { createRoot, hydrateRoot, type Root } from 'react-dom/client'
import { renderToString } from 'react-dom/server'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { hydratePage } from '../../../examples/recipes/ssr/browser.tsx'
import { renderPage } from '../../../examples/recipes/ssr/server.tsx'

const { BOLT, WETN } = fakeTokens

declare global {
  var IS_REACT_ACT_ENVIRONMENT: boolean
}

let fake: FakeService
let client: Client
let feed: PriceFeed
let queries: EtnQueries
let queryClient: QueryClient
let page: HTMLElement
let roots: Root[]
const meter = createCreditMeter()

beforeEach(() => {
  globalThis.IS_REACT_ACT_ENVIRONMENT = true
  fake = createFakeService({ latencyMs: 30 })
  client = createClient({ apiKey: fake.key, fetch: fake.fetch, onEvent: meter.onEvent })
  feed = createPriceFeed(client)
  queries = etnQueries(client)
  queryClient = new QueryClient()
  page = document.createElement('main')
  document.body.append(page)
  roots = []
})

afterEach(async () => {
  await act(async () => {
    for (const root of roots) root.unmount()
  })
  page.remove()
  queryClient.clear()
  await feed.close()
  await client.close()
})

async function render(node: ReactNode, root = createRoot(page)): Promise<Root> {
  roots.push(root)
  await act(async () => root.render(<StrictMode>{node}</StrictMode>))
  return root
}

/** Lets React handle what arrives meanwhile. */
const settle = (ms = 150) => act(() => new Promise((resolve) => setTimeout(resolve, ms)))

function Price({ address = BOLT as string }) {
  const price = usePrice(feed, address, { everyMs: 60_000 })
  return <p>{price === undefined ? 'waiting' : `price ${price.usd}`}</p>
}

function Query({ address = BOLT as string }) {
  const { data } = useQuery(queries.token.price({ address }))
  return <p>{data === undefined ? 'waiting' : `price ${data.usd}`}</p>
}

const withQueries = (node: ReactNode) => <QueryClientProvider client={queryClient}>{node}</QueryClientProvider>
const texts = () => [...page.querySelectorAll('p')].map(({ textContent }) => textContent ?? '')

test('hooks of a feed buy a price once under StrictMode, in two components and after returning', async () => {
  const both = (
    <>
      <Price />
      <Price address={BOLT.toLowerCase()} />
    </>
  )
  const root = await render(both)
  await settle()
  expect(texts()).toEqual([expect.stringMatching(/^price \d/), expect.stringMatching(/^price \d/)])
  for (let visit = 0; visit < 3; visit++) {
    await act(async () => root.render(<StrictMode>elsewhere</StrictMode>))
    await act(async () => root.render(<StrictMode>{both}</StrictMode>))
    await settle(20)
    expect(texts()).toEqual([expect.stringMatching(/^price \d/), expect.stringMatching(/^price \d/)])
  }
  expect(fake.charged()).toBe(50)
  expect(feed.status().watches).toBe(2)
})

test('a list of prices keeps its watch across renders, and changes it with the list', async () => {
  let shown: (string | null | undefined)[] = []
  function Prices({ addresses }: { addresses: string[] }) {
    const prices = usePrices(feed, [...addresses], { everyMs: 60_000 })
    shown = addresses.map((address) => prices[address]?.usd)
    return null
  }
  const root = await render(<Prices addresses={[BOLT, WETN]} />)
  await settle()
  expect(shown).toEqual([expect.any(String), expect.any(String)])
  const before = fake.charged()
  for (let turn = 0; turn < 5; turn++) await act(async () => root.render(<Prices addresses={[BOLT, WETN]} />))
  await act(async () => root.render(<Prices addresses={[WETN]} />))
  await settle()
  expect(shown).toEqual([expect.any(String)])
  expect([fake.charged() - before, feed.status()]).toMatchObject([0, { watches: 1, addresses: 1 }])
  await act(async () => root.render(<Prices addresses={[]} />))
  expect(feed.status().watches).toBe(0)
})

test('a query buys once under StrictMode, in two components, and when its component leaves and returns', async () => {
  const root = await render(
    withQueries(
      <>
        <Query />
        <Query address={BOLT.toLowerCase()} />
      </>,
    ),
  )
  for (let visit = 0; visit < 3; visit++) {
    await act(async () => root.render(<StrictMode>{withQueries('elsewhere')}</StrictMode>))
    await act(async () => root.render(<StrictMode>{withQueries(<Query />)}</StrictMode>))
  }
  await settle()
  expect(texts()).toEqual([expect.stringMatching(/^price \d/)])
  expect([fake.charged(), client.budget.uncertain]).toEqual([50, 0])
})

test('a suspended query buys once', async () => {
  function Suspended() {
    const { data } = useSuspenseQuery(queries.token.price({ address: BOLT }))
    return <p>price {data.usd}</p>
  }
  await render(
    withQueries(
      <Suspense fallback="waiting">
        {[1, 2].map((key) => (
          <Suspended key={key} />
        ))}
      </Suspense>,
    ),
  )
  await settle(300)
  expect(texts()).toHaveLength(2)
  expect(fake.charged()).toBe(50)
})

test('a page that a server rendered is hydrated without an error and buys nothing that came with it', async () => {
  const errors: unknown[] = []
  const App = () => withQueries([<Query key="query" />, <Price key="price" />])
  await queryClient.fetchQuery(queries.token.price({ address: BOLT }))
  page.innerHTML = renderToString(<App />)
  expect(texts()).toEqual([expect.stringMatching(/^price \d/), 'waiting'])
  await act(async () => {
    roots.push(hydrateRoot(page, <App />, { onRecoverableError: (error) => errors.push(error) }))
  })
  await settle(400)
  expect([errors, texts()]).toEqual([[], [expect.stringMatching(/^price \d/), expect.stringMatching(/^price \d/)]])
  expect(errors).toEqual([])
  expect(fake.ledger().map(({ operation }) => operation)).toEqual(['token.price', 'token.price'])
})

test('a credit meter shows each charge', async () => {
  function Meter() {
    return <p>{useCreditMeter(meter).charged}</p>
  }
  await render(<Meter />)
  const before = Number(texts()[0])
  await act(async () => void (await client.etn.price()))
  expect(Number(texts()[0])).toBe(before + 25)
})

test('the recipe of a page that is rendered on a server hydrates, and buys nothing', async () => {
  const html = await renderPage(client, BOLT)
  const [, app = '', state = ''] = /^<div id="app">(.*)<\/div><script [^>]*>([^<]*)<\/script>$/.exec(html) ?? []
  page.innerHTML = app
  const failures = vi.spyOn(console, 'error')
  onTestFinished(() => failures.mockRestore())
  await act(async () => void roots.push(hydratePage(page, state)))
  await settle()
  expect(failures).not.toHaveBeenCalled()
  expect(texts()).toEqual([expect.stringMatching(/^\$\d/)])
  fake.expectRequests({ 'token.price': 1 })
})
