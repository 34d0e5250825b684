import { fileURLToPath } from 'node:url'
import { createFakeService } from 'etn-market/fake'
import { createServer } from 'vite'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openView, PRICE, settled } from './support/demo.ts'
import { usePages } from './support/open-page.ts'

const open = usePages()
const root = fileURLToPath(new URL('..', import.meta.url))

/** What `npm run dev` serves with the environment of this moment. */
async function startDevelopment(): Promise<string> {
  vi.stubEnv('NODE_ENV', 'development')
  onTestFinished(() => void vi.unstubAllEnvs())
  const server = await createServer({ root, logLevel: 'error', server: { host: '127.0.0.1', port: 0 } })
  await server.listen()
  onTestFinished(() => server.close())
  return server.resolvedUrls?.local[0] ?? ''
}

test('without a key, the development server has the demo', async () => {
  const page = await open(await startDevelopment())
  await page.locator(PRICE).first().waitFor()
  await openView(page, 'Candles')
  await page.locator('.chart-area canvas').first().waitFor()
  await settled(page)
  expect(await page.getByText('Behind the demo').count()).toBe(1)
})

test('with a key, the development server has the proxy, and its answers do not have the key', async () => {
  const key = 'esk_live_0123456789abcdef'
  const fake = createFakeService({ keys: { [key]: 1_000_000 } })
  const { url: serviceUrl } = await fake.listen()
  vi.stubEnv('ETN_MARKET_API_KEY', key)
  vi.stubEnv('ETN_MARKET_BASE_URL', serviceUrl)
  onTestFinished(() => fake.close())
  const url = await startDevelopment()
  const response = await fetch(`${url}api/market/nft/stats`)
  expect([response.status, response.headers.get('x-credits-cost')]).toEqual([200, '25'])
  const texts = [
    await response.text(),
    await (await fetch(url)).text(),
    await (await fetch(`${url}src/main.tsx`)).text(),
  ]
  for (const text of texts) expect(text).not.toContain(key)
})
