import { readFileSync } from 'node:fs'
import vm from 'node:vm'
import { build } from 'esbuild'
import type * as Market from 'etn-market'
import type * as Candles from 'etn-market/candles'
import { createFakeService } from 'etn-market/fake'
import type * as Feed from 'etn-market/feed'
import type * as Format from 'etn-market/format'
import type * as Portfolio from 'etn-market/portfolio'
import type * as Stream from 'etn-market/stream'
import type * as Trades from 'etn-market/trades'
import { parseAst } from 'rollup/parseAst'
import { expect, test } from 'vitest'

type Package = typeof Market &
  typeof Feed &
  typeof Candles &
  typeof Trades &
  typeof Portfolio &
  typeof Stream &
  typeof Format

const BOLT = '0x043fAa1b5C5FC9a7dc35171f290c29ECDE0cCff1'
const ENTRIES = [
  'etn-market',
  ...['feed', 'candles', 'trades', 'portfolio', 'stream', 'format'].map((name) => `etn-market/${name}`),
]
/** Longer than a step takes on a busy machine: one that takes longer hangs. */
const LIMIT_MS = 50_000

/** Modules with their dependencies, as one script that puts what they export into `module.exports`. */
async function bundle(contents: string, target: string | string[] = 'es2022'): Promise<string> {
  const stdin = { contents, resolveDir: process.cwd(), loader: 'ts' } as const
  const options = { bundle: true, write: false, format: 'cjs', platform: 'neutral', target } as const
  const { outputFiles } = await build({ ...options, stdin, mainFields: ['module', 'main'] })
  return outputFiles[0]?.text ?? ''
}

const EVERYTHING = ENTRIES.map((entry) => `export * from '${entry}'`).join('\n')
const compile = (text: string) =>
  new vm.Script(`(function (module, exports) { ${text}
})`)
const text = await bundle(EVERYTHING)
const script = compile(text)
const kyAlone = compile(await bundle("export { default } from 'ky'"))

type AstNode = Readonly<Record<string, unknown>> & { readonly type: string }

const isNode = (value: unknown): value is AstNode => typeof (value as AstNode | null)?.type === 'string'

/** The globals that a script names and that are no part of the language, and their functions, such as `URL.canParse`. */
function globalsNamedIn(text: string): string[] {
  const ofLanguage: string[] = vm.runInNewContext('Object.getOwnPropertyNames(globalThis)')
  const isOfPlatform = (name: string) =>
    Object.hasOwn(globalThis, name) && (!ofLanguage.includes(name) || name === 'console' || name === 'Intl')
  const names: string[] = []
  const visit = (node: AstNode): void => {
    if (node.type === 'Identifier') names.push(String(node.name))
    const { object, property, computed } = node as { object?: AstNode; property?: AstNode; computed?: boolean }
    if (node.type === 'MemberExpression' && object?.type === 'Identifier' && !computed)
      names.push(`${object.name}.${property?.name}`)
    for (const child of Object.values(node).flat()) if (isNode(child)) visit(child)
  }
  visit(parseAst(text) as unknown as AstNode)
  return [...new Set(names)].filter((name) => isOfPlatform(name.split('.')[0] ?? '')).sort()
}

const named = globalsNamedIn(text)
/** What was printed as an error where there is no standard output: React Native shows it on the whole screen. */
const errorsOfApps: string[] = []

/** A realm with the globals that the package names, as this runtime has them, without some of them. */
function realmWithout(missing: readonly string[]) {
  const globals: Record<string, unknown> = {}
  for (const name of named.filter((name) => !name.includes('.') && !missing.includes(name)))
    globals[name] = globalThis[name as never]
  const print = () => {}
  const error = (line: string) => void (globals.process === undefined && errorsOfApps.push(line))
  if (globals.console) globals.console = { error, warn: print, info: print, debug: print }
  for (const [name = '', member] of missing.map((each) => each.split('.'))) {
    if (member === undefined || globals[name] === undefined) continue
    globals[name] = new Proxy(globals[name] as object, {
      get(target, key) {
        if (key === member) return undefined
        const value = Reflect.get(target, key)
        return typeof value === 'function' && typeof target !== 'function' ? value.bind(target) : value
      },
    })
  }
  const realm = vm.createContext(globals)
  if (missing.includes('Intl')) vm.runInContext('delete globalThis.Intl', realm)
  return (script: vm.Script) => {
    const module = { exports: {} as Package }
    script.runInContext(realm)(module, module.exports)
    return module.exports
  }
}

const EVENTS = `event: settings\ndata: {"everyMs":60000}\n\nevent: price\ndata: ${JSON.stringify({ address: BOLT, usd: '1', etn: null, ageMs: 0 })}\n\n`

/** A fake service, and behind the path of a stream a proxy with one price. */
function openService() {
  const fake = createFakeService({ keys: { esk_test_globals: 1_000_000 } })
  fake.fault({ operation: 'nft.stats', status: 500, times: 1 })
  fake.fault({ operation: 'nft.collections', never: true, times: Number.POSITIVE_INFINITY })
  fake.fault({ operation: 'token.get', status: 200, body: { data: { address: 5 } }, times: Number.POSITIVE_INFINITY })
  const fetch = async (url: string, init: object) =>
    url.includes('/stream?')
      ? new Response(new ReadableStream({ start: (sink) => sink.enqueue(new TextEncoder().encode(EVENTS)) }), {
          headers: { 'content-type': 'text/event-stream' },
        })
      : fake.fetch(url, init as RequestInit)
  return { fake, fetch: fetch as never }
}

/** Everything that a runtime may be asked for: each step resolves, or rejects as the package does. */
function stepsOf(market: Package, { fetch }: ReturnType<typeof openService>) {
  const options = { apiKey: 'esk_test_globals', baseUrl: 'https://market.example/v1', fetch }
  const store = () => {
    const kept = new Map<string, unknown>()
    const set = (key: string, value: unknown) => void kept.set(key, value)
    return { get: (key: string) => kept.get(key), set, delete: (key: string) => kept.delete(key) }
  }
  const withClient = async (more: Market.ClientOptions, use: (client: Market.Client) => Promise<unknown>) => {
    const client = market.createClient({ ...options, ...more })
    return use(client).finally(() => client.close())
  }
  const caller = new AbortController()
  const left = new Error('left')
  const isLeft = (error: unknown) => {
    if (error !== left) throw error
  }
  return {
    call: () => withClient({}, (client) => client.token.price({ address: BOLT }).withMeta()),
    retry: () => withClient({}, (client) => client.nft.stats()),
    timeout: () =>
      withClient({ timeoutMs: 20, retry: false }, (client) =>
        client.nft.collections().catch((error) => {
          if (!(error instanceof market.TimeoutError)) throw error
        }),
      ),
    abort: () =>
      withClient({}, (client) => {
        setTimeout(() => caller.abort(left), 20)
        return client.nft.collections(undefined, { signal: caller.signal }).catch(isLeft)
      }),
    mismatch: () => withClient({ validate: 'warn' }, (client) => client.token.get({ address: BOLT })),
    'batch and cache': () =>
      withClient({ cache: { ttlMs: { 'prices.batch': 60_000 }, store: store() as never } }, (client) => {
        const addresses = Array.from({ length: 60 }, (_, i) => `0x${(i + 1).toString(16).padStart(40, '0')}`)
        return client.prices.batch({ addresses })
      }),
    hooks: () =>
      withClient(
        { hooks: { beforeRequest: [() => {}], afterResponse: [({ response }) => void response.status] } },
        (client) => client.etn.price(),
      ),
    log: () => withClient({ logLevel: 'info' }, (client) => client.etn.price()),
    'budget with a store': () => {
      const budget = market.createBudget({ credits: 1_000, windowMs: 60_000, store: store() as never })
      return withClient({ budget }, (client) => client.etn.price())
    },
    sweep: () =>
      withClient({}, async (client) => {
        for await (const { error } of client.token.price.many([{ address: BOLT }])) if (error) throw error
      }),
    feed: () =>
      withClient({}, async (client) => {
        const feed = market.createPriceFeed(client, { store: store() as never, budget: { creditsPerDay: 10_000 } })
        for await (const _ of market.followTrades(feed, { everyMs: 60_000 })) break
        return feed.price(BOLT).finally(() => feed.close())
      }),
    stream: () =>
      new Promise((resolve, reject) => {
        const stream = market.createPriceStream({ url: 'https://dapp.example/api/market', fetch })
        const end = (settle: (value: unknown) => void) => (value: unknown) => {
          stream.close()
          settle(value)
        }
        stream.watch(BOLT, { onPrice: end(resolve), onError: end(reject) })
      }),
    offline: () =>
      withClient({ fetch: undefined, baseUrl: 'http://127.0.0.1:1/', retry: false }, (client) =>
        client.etn.price().catch((error) => {
          if (!(error instanceof market.ConnectionError)) throw error
        }),
      ),
    format: async () => market.formatPrice('1234.5'),
  }
}

async function play(missing: readonly string[]): Promise<Record<string, string>> {
  const load = realmWithout(missing)
  try {
    load(kyAlone)
  } catch {
    return { import: 'ky does not load' }
  }
  const market = load(script)
  const service = openService()
  const outcomes = Object.entries(stepsOf(market, service)).map(async ([step, run]) => {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error(`nothing after ${LIMIT_MS} ms`)), LIMIT_MS)
    })
    try {
      await Promise.race([(async () => run())(), late])
      return [step, 'ok']
    } catch (error) {
      return [step, market.isEtnMarketError(error) ? error.code : `NOT OURS: ${error}`]
    } finally {
      clearTimeout(timer)
    }
  })
  const ended = Object.fromEntries(await Promise.all(outcomes))
  await service.fake.close()
  return ended
}

/** What steps ended with that did not succeed. */
const failuresOf = async (missing: readonly string[]) =>
  new Set(Object.values(await play(missing)).filter((outcome) => outcome !== 'ok'))

test('whatever global is missing, every error is one of the package, which names it before anything is sent', async () => {
  const played = await Promise.all(named.map(async (name) => ({ name, failures: await failuresOf([name]) })))
  const needed = played.filter(({ failures }) => failures.size > 0)
  expect(needed.map(({ name, failures }) => [name, ...failures])).toEqual([
    ['AbortController', 'missing_global'],
    ['Headers', 'missing_global'],
    ['Request', 'missing_global'],
    ['Response', 'missing_global'],
    ['TextDecoder', 'missing_global'],
    ['TextEncoder', 'ky does not load'],
    ['URL', 'missing_global'],
    ['clearTimeout', 'missing_global'],
    ['performance', 'missing_global'],
    ['performance.now', 'missing_global'],
    ['queueMicrotask', 'missing_global'],
    ['setTimeout', 'missing_global'],
  ])
  const optional = named.filter((name) => needed.every((one) => one.name !== name))
  expect(optional).toEqual(expect.arrayContaining(['MessageChannel', 'crypto', 'setImmediate']))
  expect(await failuresOf(optional)).toEqual(new Set())
  expect(errorsOfApps).toEqual([])
})

test('the browsers that the README names know the syntax', async () => {
  const versions = /Chrome and Edge (\d+), Firefox (\d+), Safari ([\d.]+)/.exec(readFileSync('README.md', 'utf8'))
  const [, chrome, firefox, safari] = versions ?? []
  const browsers = [`chrome${chrome}`, `edge${chrome}`, `firefox${firefox}`, `safari${safari}`]
  const asWritten = await bundle(EVERYTHING, 'esnext')
  // What a target does not know is written in another way.
  expect(await bundle(EVERYTHING, browsers)).toBe(asWritten)
  expect(await bundle(EVERYTHING, 'es2020')).not.toBe(asWritten)
})
