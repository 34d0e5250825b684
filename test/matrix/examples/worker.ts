import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { loadMiniflare, workerd } from '../runtimes/workerd.ts'
import { check, readUntil } from '../scenario/check.ts'
import { type Project, ROOT } from '../support/project.ts'
import type { Check } from '../support/result.ts'
import { startService } from '../support/service.ts'

const KEY = 'esk_test_worker'
const VISITORS = ['192.0.2.1', '192.0.2.2', '192.0.2.3'] as const

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
export const exampleWorker: Check = {
  name: 'examples/worker on workerd',
  async run(installed) {
    const { Miniflare, Response } = await loadMiniflare()
    const project = installed.project('worker')
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
      host: '127.0.0.1',
      port: 0,
    })
    try {
      const { origin } = await worker.ready
      await visit((path, visitor) => fetch(`${origin}/api/market${path}`, { headers: { 'cf-connecting-ip': visitor } }))
      check(
        'the ledger',
        (await service.ledger()).map(({ credits }) => credits),
        // The list once more with its maximum, for what may be streamed.
        [125, 600, 150],
      )
      return { version: await workerd.version(), detail: '3 visitors, and 3 streams, for the price of one' }
    } finally {
      await worker.dispose()
      await service.close()
    }
  },
}

/** Three visitors ask for the same list at once, one of them for what is not allowed, and all watch its tokens. */
async function visit(ask: (path: string, visitor: string) => Promise<Response>): Promise<void> {
  const answers = await Promise.all(VISITORS.map((visitor) => ask('/tokens/52014?limit=5', visitor)))
  const costs = answers.map(({ status, headers }) => `${status} ${headers.get('x-credits-cost')}`)
  check('three visitors', costs.sort(), ['200 0', '200 0', '200 125'])
  check('what is not allowed', (await ask('/farms/52014', VISITORS[0])).status, 403)
  const [list] = await Promise.all(answers.map((answer) => answer.json() as Promise<{ data: { address: string }[] }>))
  const addresses = list?.data.map(({ address }) => address) ?? []
  await Promise.all(
    VISITORS.map(async (visitor) => {
      const { body } = await ask(`/stream?addresses=${addresses}`, visitor)
      await readUntil(body, 'event: price', addresses.length)
      await body?.cancel()
    }),
  )
}
