import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createFakeService, type FakeService } from 'etn-market/fake'
import type { Response } from 'playwright-core'
import { build } from 'vite'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openView, PRICE, settled, spent } from './support/demo.ts'
import { openFreezable } from './support/freezable-page.ts'
import { usePages } from './support/open-page.ts'

const open = usePages()
const FROZEN_MS = 1_000
const KEY = 'esk_live_0123456789abcdef'
const example = fileURLToPath(new URL('..', import.meta.url))
const dist = mkdtempSync(join(tmpdir(), 'etn-market-dapp-live-'))
let fake: FakeService
let server: ChildProcess
let url: string

beforeAll(async () => {
  fake = createFakeService({ keys: { [KEY]: 1_000_000 } })
  vi.stubEnv('ETN_MARKET_API_KEY', KEY)
  vi.stubEnv('ETN_MARKET_BASE_URL', (await fake.listen()).url)
  vi.stubEnv('NODE_ENV', 'production')
  await build({ root: example, logLevel: 'error', build: { outDir: dist, emptyOutDir: true } })
  ;({ server, url } = await startServer())
})

afterAll(async () => {
  server.kill('SIGKILL')
  vi.unstubAllEnvs()
  await fake.close()
  rmSync(dist, { recursive: true })
})

test('a build for a server has neither the key nor anything of the demo', () => {
  const files = readdirSync(dist, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const texts = files.map((file) => readFileSync(join(file.parentPath, file.name), 'utf8'))
  expect(files.map(({ name }) => name)).toContain('index.html')
  expect(files.map(({ name }) => name)).not.toContain('mockServiceWorker.js')
  // The client itself knows the key of the fake, which is no secret and raises no warning.
  for (const word of [KEY, 'ETN_MARKET_API_KEY=', 'mockServiceWorker', 'Behind the demo'])
    expect({ word, found: texts.some((text) => text.includes(word)) }).toEqual({ word, found: false })
  // The words are found where they are expected.
  expect(texts.some((text) => text.includes('Credit meter'))).toBe(true)
})

/** Starts `npm start`, and resolves with its address. */
async function startServer(): Promise<{ server: ChildProcess; url: string }> {
  const server = spawn(process.execPath, ['--import', 'tsx', 'server/serve.ts'], {
    cwd: example,
    env: { ...process.env, PORT: '0', PAGE: dist },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const url = await new Promise<string>((resolve, reject) => {
    let printed = ''
    server.stdout?.on('data', (data) => {
      printed += data
      const found = /http:\/\/[\w.:]+\//.exec(printed)
      if (found) resolve(found[0])
    })
    server.once('exit', () => reject(new Error(`The server ended: ${printed}`)))
  })
  return { server, url }
}

test('the page of the build works with the proxy on Node, and the key stays there', async () => {
  const page = await open(url)
  const responses: Response[] = []
  page.on('response', (response) => void responses.push(response))
  const answerOf = async (response: Response) => {
    const headers = response.headers()
    const body = headers['content-type']?.includes('json') ? await response.text() : ''
    return `${response.url()} ${JSON.stringify(headers)} ${body}`
  }
  await page.locator(PRICE).first().waitFor()
  await openView(page, 'Pools')
  await openView(page, 'Presales')
  await settled(page)
  expect(await page.getByText('Demo', { exact: true }).count()).toBe(0)
  // Once a week the proxy buys the list of tokens that its stream may have. Its feed buys the prices.
  const ofProxy = 600 + fake.charged({ operation: 'prices.batch' })
  const ofVisitor = fake.charged() - ofProxy
  expect(ofVisitor).toBe(200 + 300 + 750)
  await expect.poll(() => spent(page)).toBe(ofVisitor)
  const ofMarket = () => responses.filter((response) => response.url().includes('/api/market/'))
  await expect.poll(() => ofMarket().length).toBeGreaterThanOrEqual(2)

  // The library that draws charts is loaded with the first chart.
  const chartScripts = async () => {
    const loaded = await page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name))
    const paths = loaded.map((name) => new URL(name).pathname).filter((path) => path.endsWith('.js'))
    return paths.filter((path) => readFileSync(join(dist, path), 'utf8').includes('tradingview'))
  }
  expect(await chartScripts()).toEqual([])
  await openView(page, 'Candles')
  await page.locator('.chart-area canvas').first().waitFor()
  expect(await chartScripts()).toHaveLength(1)
  const answers = await Promise.all(responses.map(answerOf))
  expect(answers.filter((text) => text.includes(KEY))).toEqual([])
})

test('browsers keep the hashed files for ever, and ask for the page at each visit', async () => {
  const cacheOf = async (path: string) => {
    const { status, headers } = await fetch(new URL(path, url))
    return [status, headers.get('cache-control')]
  }
  const assets = readdirSync(join(dist, 'assets'))
  expect(assets.length).toBeGreaterThan(1)
  for (const name of assets)
    expect(await cacheOf(`assets/${name}`)).toEqual([200, 'public, max-age=31536000, immutable'])
  expect(await cacheOf('')).toEqual([200, 'no-cache'])
  expect(await cacheOf('assets/gone-12345678.js')).toEqual([404, 'no-cache'])
})

test('a page has one stream, none while it is hidden, and buys nothing for itself', async () => {
  const page = await open(url)
  await page.locator(PRICE).first().waitFor()
  const state = () => page.locator('[data-stream]').first().getAttribute('data-stream')
  await expect.poll(state).toBe('connected')
  const streams = { opened: 0, ended: 0 }
  const isStream = (request: { url(): string }) => request.url().includes('/api/market/stream')
  page.on('request', (request) => void (isStream(request) && streams.opened++))
  page.on('requestfailed', (request) => void (isStream(request) && streams.ended++))
  const bought = fake.ledger()
  const hide = (isHidden: boolean) =>
    page.evaluate((value) => {
      Object.defineProperty(document, 'hidden', { configurable: true, value })
      document.dispatchEvent(new Event('visibilitychange'))
    }, isHidden)
  await page.clock.install()
  await hide(true)
  await page.clock.fastForward(10_000)
  await expect.poll(state).toBe('paused')
  await expect.poll(() => streams).toEqual({ opened: 0, ended: 1 })
  await hide(false)
  await expect.poll(state).toBe('connected')
  expect(streams).toEqual({ opened: 1, ended: 1 })
  // What is known is shown at once. The feed may have bought what was due for everybody, which is not so soon after the last time.
  const lastAt = bought.findLast(({ operation }) => operation === 'prices.batch')?.at ?? Number.NaN
  const since = fake.ledger().slice(bought.length)
  expect(since.filter(({ operation, at }) => !(operation === 'prices.batch' && at > lastAt + 15_000))).toEqual([])
})

test('a page that the browser had frozen opens its stream anew within a second of waking', async () => {
  const page = await openFreezable(url)
  const state = () => page.evaluate<string>(`document.querySelector('[data-stream]')?.dataset.stream ?? ''`)
  try {
    await expect.poll(state).toBe('connected')
    expect(await page.evaluate('streams.length')).toBe(1)
    await page.send('Page.setWebLifecycleState', { state: 'frozen' })
    await new Promise((resolve) => setTimeout(resolve, FROZEN_MS))
    await page.send('Page.setWebLifecycleState', { state: 'active' })
    await expect.poll(() => page.evaluate<number>('streams.length')).toBe(2)
    expect(await page.evaluate<number>('frozenFor')).toBeGreaterThan(FROZEN_MS / 2)
    expect(await page.evaluate<number>('streams[1] - wokenAt')).toBeLessThan(1_000)
    await expect.poll(state).toBe('connected')
  } finally {
    await page.close()
  }
})

test('the server ends by itself when it is asked to', async () => {
  const ended = new Promise((resolve) => server.once('exit', resolve))
  server.kill('SIGTERM')
  expect(await ended).toBe(0)
})
