import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { createFakeService } from 'etn-market/fake'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { follow } from '../support/child.ts'
import { CHROMIUM_FLAGS, CHROMIUM_MISSING, findChromium } from '../support/chromium.ts'
import { within } from '../support/wait.ts'
import { packed, ROOT } from './pack.ts'

const GUIDE = 'src/proxy/GUIDE.md'
const PRICES = /\$[\d.,₀-₉]+/g

/** The files of the page that the guide begins with, in an empty folder beside the published package. */
function copyFromGuide(): string {
  const folder = mkdtempSync(join(tmpdir(), 'etn-market-page-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }))
  const text = readFileSync(join(ROOT, GUIDE), 'utf8')
  const blocks = [...text.matchAll(/^```\w+ file=(examples\/page\/\S+)\n(.*?)^```$/gms)]
  expect(blocks.map(([, path = '']) => basename(path)).sort()).toEqual([
    'index.html',
    'market.ts',
    'page.ts',
    'vite.config.ts',
  ])
  for (const [, path = '', code = ''] of blocks) writeFileSync(join(folder, basename(path)), code)
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(join(packed.project, 'node_modules/etn-market'), join(folder, 'node_modules/etn-market'))
  return folder
}

let textOf: (url: string, isExpected: (text: string) => boolean) => Promise<string>

beforeAll(() => {
  const executable = findChromium()
  if (executable === undefined) throw new Error(CHROMIUM_MISSING)
  const profile = mkdtempSync(join(tmpdir(), 'etn-market-chromium-'))
  const flags = ['--headless', ...CHROMIUM_FLAGS, `--user-data-dir=${profile}`, '--remote-debugging-pipe']
  const browser = spawn(executable, flags, { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'], detached: true })
  const send = commandsOf(browser.stdio[3] as Writable, browser.stdio[4] as Readable)
  /** Opens a page, without the cookies of others, and reads its text until it is as expected. */
  textOf = async (url, isExpected) => {
    const { browserContextId } = await send('Target.createBrowserContext', {})
    const { targetId } = await send('Target.createTarget', { url, browserContextId })
    const { sessionId } = await send('Target.attachToTarget', { targetId, flatten: true })
    let text = ''
    const read = async () => {
      const { result } = await send('Runtime.evaluate', { expression: 'document.body?.innerText ?? ""' }, sessionId)
      text = result?.value ?? ''
      return isExpected(text)
    }
    await expect
      .poll(read, { interval: 100, timeout: 60_000 })
      .toBe(true)
      .catch((error: unknown) => {
        throw new Error(`The page shows ${JSON.stringify(text)}`, { cause: error })
      })
    await send('Target.disposeBrowserContext', { browserContextId })
    return text
  }
  return async () => {
    const gone = new Promise((resolve) => browser.once('exit', resolve))
    if (browser.pid !== undefined) process.kill(-browser.pid, 'SIGKILL')
    await gone
    rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  }
})

interface Answer {
  readonly browserContextId?: string
  readonly targetId?: string
  readonly sessionId?: string
  readonly result?: { readonly value?: string }
}

/** Commands of the DevTools protocol, each of which ends with a zero. */
function commandsOf(input: Writable, output: Readable) {
  const waiting = new Map<number, (answer: Answer) => void>()
  let received = ''
  // A browser that has ended answers no command: what waits for an answer reports that.
  input.on('error', () => {})
  output.setEncoding('utf8').on('data', (part: string) => {
    const messages = (received + part).split('\0')
    received = messages.pop() ?? ''
    for (const message of messages) {
      const { id, result = {} } = JSON.parse(message)
      waiting.get(id)?.(result)
    }
  })
  return (method: string, params: object, sessionId?: string): Promise<Answer> => {
    const id = waiting.size + 1
    input.write(`${JSON.stringify({ id, method, params, sessionId })}\0`)
    return within(`the browser's answer to ${method}`, new Promise((resolve) => waiting.set(id, resolve)))
  }
}

test('the page that the guide begins with shows prices in a browser, under Vite and node:http', {
  timeout: 180_000,
}, async () => {
  const fake = createFakeService({ keys: { esk_test_page: 1_000_000 } })
  const service = await fake.listen({ port: 0 })
  onTestFinished(async () => {
    await service.close()
    await fake.close()
  })
  const folder = copyFromGuide()
  const env = { ...process.env, ETN_MARKET_API_KEY: 'esk_test_page', ETN_MARKET_BASE_URL: service.url }
  const vite = follow(
    spawn(process.execPath, [join(ROOT, 'node_modules/vite/bin/vite.js'), '--host', '127.0.0.1', '--port', '0'], {
      cwd: folder,
      env,
    }),
  )
  onTestFinished(() => void vite.process.kill('SIGKILL'))
  const origin = () => /http:\/\/127\.0\.0\.1:\d+/.exec(stripVTControlCharacters(vite.printed()))?.[0]
  await expect.poll(origin, { interval: 50, timeout: 60_000, message: vite.printed() }).toBeDefined()
  const text = await textOf(origin() ?? '', (shown) => (shown.match(PRICES) ?? []).length === 2)
  expect(text).toMatch(/^\$[\d.,₀-₉]+\n\$[\d.,₀-₉]+$/)
})

test('a server of one line of node:http gives a browser its cookie, and refuses nobody', {
  timeout: 60_000,
}, async () => {
  const fake = createFakeService({ keys: { esk_test_page: 1_000_000 } })
  onTestFinished(() => fake.close())
  const { createClient } = await import('etn-market')
  const { createPriceFeed } = await import('etn-market/feed')
  const { createProxy, toNodeHandler } = await import('etn-market/proxy')
  const client = createClient({ apiKey: 'esk_test_page', fetch: fake.fetch })
  const feed = createPriceFeed(client, { budget: { creditsPerDay: 300_000 } })
  const proxy = createProxy({
    client,
    basePath: '/api/market',
    allow: ['nft.stats'],
    visitorCookie: true,
    budget: false,
    feed,
  })
  const handler = toNodeHandler(proxy)
  const cookies: (string | undefined)[] = []
  const page = `<p></p><script>
    const show = async () => {
      const answers = [await fetch('/api/market/nft/stats'), await fetch('/api/market/nft/stats')]
      document.querySelector('p').textContent = answers.map(({ status }) => status) + ' [' + document.cookie + ']'
    }
    show()
  </script>`
  const server = createServer((request, response) => {
    if (request.url !== '/') {
      cookies.push(request.headers.cookie)
      return handler(request, response)
    }
    response.setHeader('content-type', 'text/html')
    response.end(page)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    server.close()
    await proxy.close()
    await feed.close()
    await client.close()
  })
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  // No script can read the cookie.
  expect(await textOf(origin, (shown) => shown !== '')).toBe('200,200 []')
  expect(cookies[0]).toBeUndefined()
  expect(cookies[1]).toMatch(/^visitor=[\w-]{36}\.[0-9a-f]{64}$/)
})
