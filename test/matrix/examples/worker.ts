import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { loadMiniflare, workerd } from '../runtimes/workerd.ts'
import { check } from '../scenario/check.ts'
import { type Project, ROOT } from '../support/project.ts'
import type { Found } from '../support/result.ts'
import { type Service, startService } from '../support/service.ts'

const KEY = 'esk_test_worker'
const BASE = 'http://dapp.example/api/market'
const VISITORS = ['192.0.2.1', '192.0.2.2', '192.0.2.3']
const WAIT_MS = 10_000

/** Bundles the example as wrangler does, with the package as it was installed. */
async function bundleWorker(project: Project): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(ROOT, 'examples/worker/worker.ts')],
    nodePaths: [join(project.folder, 'node_modules')],
    tsconfigRaw: {},
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    mainFields: ['module', 'main'],
    conditions: ['workerd', 'import'],
    write: false,
    logLevel: 'silent',
  })
  return outputFiles[0]?.text ?? ''
}

/** Visits the worker as three pages do, with the fake service behind its `fetch`. */
export async function runWorker(project: Project): Promise<Found> {
  const { Miniflare, Response } = await loadMiniflare()
  const script = await bundleWorker(project)
  const settings = JSON.parse(readFileSync(join(ROOT, 'examples/worker/wrangler.json'), 'utf8'))
  const service = await startService(project, { keys: { [KEY]: 1_000_000 } })
  const worker = new Miniflare({
    modules: true,
    script,
    compatibilityDate: settings.compatibility_date,
    compatibilityFlags: settings.compatibility_flags,
    bindings: { ETN_MARKET_API_KEY: KEY },
    durableObjects: { MARKET: 'Market' },
    outboundService: async (request: { url: string; headers: Iterable<[string, string]> }) => {
      const { pathname, search } = new URL(request.url)
      const path = pathname.slice(pathname.lastIndexOf('/v1/') + 3)
      const { authorization = '' } = Object.fromEntries(request.headers)
      const answer = await fetch(service.baseUrl + path + search, { headers: { authorization } })
      return new Response(await answer.text(), { status: answer.status, headers: [...answer.headers] })
    },
  })
  try {
    const visit = async (path: string, visitor: string) =>
      worker.dispatchFetch(BASE + path, { headers: { 'cf-connecting-ip': visitor } })
    await visitPrices(visit, service)
    const events = await watchPrices(visit, service)
    return { version: await workerd.version(), detail: `${events} events of 3 streams, for the price of one` }
  } finally {
    await worker.dispose()
    await service.close()
  }
}

type Visit = (path: string, visitor: string) => Promise<WorkerResponse>
interface WorkerResponse {
  readonly status: number
  readonly headers: { get(name: string): string | null }
  readonly body: {
    getReader(): { read(): Promise<{ done: boolean; value?: unknown }>; cancel(): Promise<void> }
  } | null
  json(): Promise<unknown>
  text(): Promise<string>
}

const costOf = ({ status, headers }: WorkerResponse) => `${status} ${headers.get('x-credits-cost')}`

/** Three visitors ask for the same list at once, and one of them for what is not allowed. */
async function visitPrices(visit: Visit, service: Service): Promise<void> {
  const answers = await Promise.all(VISITORS.map((visitor) => visit('/tokens/52014?limit=5', visitor)))
  await Promise.all(answers.map((answer) => answer.text()))
  const refused = await visit('/farms/52014', '192.0.2.1')
  const costs = { list: answers.map(costOf).sort(), refused: refused.status }
  await refused.text()
  check('three visitors', costs, { list: ['200 0', '200 0', '200 125'], refused: 403 })
  check(
    'the ledger',
    (await service.ledger()).map(({ credits }) => credits),
    [125],
  )
}

/** Three visitors watch the same tokens, and all leave. Returns how many events they got. */
async function watchPrices(visit: Visit, service: Service): Promise<number> {
  const list = await visit('/tokens/52014?limit=5', '192.0.2.1')
  const { data } = (await list.json()) as { data: { address: string }[] }
  const path = `/stream?addresses=${data.map(({ address }) => address)}&everyMs=5000`
  const readers = await Promise.all(VISITORS.map(async (visitor) => (await visit(path, visitor)).body?.getReader()))
  const counts = await Promise.all(readers.map((reader) => readEvents(reader, data.length)))
  const batches = (await service.ledger()).filter(({ operation }) => operation === 'prices.batch')
  check(
    'batches for three streams',
    batches.map(({ credits }) => credits),
    [150],
  )
  return counts.reduce((sum, count) => sum + count, 0)
}

/** Reads until so many prices have arrived, and leaves. */
async function readEvents(
  reader: ReturnType<NonNullable<WorkerResponse['body']>['getReader']> | undefined,
  wanted: number,
): Promise<number> {
  if (reader === undefined) throw new Error('The stream has no body.')
  const decoder = new TextDecoder()
  const until = Date.now() + WAIT_MS
  let text = ''
  while (Date.now() < until) {
    const { done, value } = await reader.read()
    if (done) break
    text += decoder.decode(value as Uint8Array, { stream: true })
    const count = text.split('event: price').length - 1
    if (count < wanted) continue
    await reader.cancel()
    return count
  }
  throw new Error(`The stream ended, or was too slow, after: ${text.slice(0, 500)}`)
}
