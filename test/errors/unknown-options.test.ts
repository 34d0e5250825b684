import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type CallOptions,
  createBudget,
  createClient,
  estimateCost,
  InvalidRequestError,
  type OperationId,
  operations,
  planCredits,
} from 'etn-market'
import { watchCandles } from 'etn-market/candles'
import { createFakeService, fakeTokens, record, useFakeService } from 'etn-market/fake'
import { createPriceFeed } from 'etn-market/feed'
import { formatPrice } from 'etn-market/format'
import { mswHandlers } from 'etn-market/msw'
import { createFileStore, createNodeTransport } from 'etn-market/node'
import { createTelemetry } from 'etn-market/otel'
import { watchPortfolio } from 'etn-market/portfolio'
import { createProxy } from 'etn-market/proxy'
import { createCreditMeter, usePrice, usePrices } from 'etn-market/react'
import { createRedisFleet } from 'etn-market/redis'
import { createPriceStream } from 'etn-market/stream'
import { etnQueries } from 'etn-market/tanstack-query'
import { followTrades } from 'etn-market/trades'
import { afterAll, describe, expect, test } from 'vitest'

const { BOLT } = fakeTokens
const DAY = 86_400_000

const fake = createFakeService()
const client = createClient({ apiKey: fake.key, fetch: fake.fetch })
const feed = createPriceFeed(client, { budget: false })
const watch = feed.watch([], { everyMs: 60_000 })
const stream = createPriceStream({ url: '/api', fetch: () => new Promise(() => {}) })
const budget = createBudget({ credits: 5 })
const redis = { eval: async () => {} }
const fleet = createRedisFleet(redis, { name: 'x', budget: { credits: 5 } })
const proxy = createProxy({ client, allow: ['etn.price'], budget: false })
const transport = createNodeTransport()
const folder = mkdtempSync(join(tmpdir(), 'unknown-options-'))
const store = createFileStore(join(folder, 'store.json'))
const server = await fake.listen()

afterAll(async () => {
  watch.stop()
  stream.close()
  for (const made of [proxy, feed, client, transport, store, fleet, server, fake]) await made.close()
  rmSync(folder, { recursive: true })
})

/** Everything that the functions of the package make and that has functions of its own. */
const MADE: Record<string, object> = {
  'createBudget()': budget,
  'createBudget().reserve()': budget.reserve(1),
  'createClient()': client,
  'createCreditMeter()': createCreditMeter(),
  'createFakeService()': fake,
  'createFakeService().fault()': fake.fault({ status: 500, times: 1, operation: 'farm.list' }),
  'createFakeService().listen()': server,
  'createFileStore()': store,
  'createNodeTransport()': transport,
  'createPriceFeed()': feed,
  'createPriceFeed().watch()': watch,
  'createPriceStream()': stream,
  'createPriceStream().watch()': stream.watch(BOLT),
  'createProxy()': proxy,
  'createRedisFleet()': fleet,
  'createTelemetry()': createTelemetry({}),
  'etnQueries()': etnQueries(client),
}

const ids = Object.keys(operations) as OperationId[]
/** The fewest parameters of a call. */
function paramsOf(id: OperationId): object {
  const params: readonly { name: string; kind: string; required?: boolean }[] = operations[id].params
  const required = params.filter((param) => param.required)
  return Object.fromEntries(required.map(({ name, kind }) => [name, kind === 'addresses' ? [BOLT] : BOLT]))
}
type Method = ((params: object, options?: object) => unknown) & {
  many(list: object[], options: object): unknown
  estimate(params: object): unknown
}
function methodOf(from: object, id: OperationId): Method {
  const [group = '', action = ''] = id.split('.')
  return (from as Record<string, Record<string, Method>>)[group]![action]!
}

/** One of its options, and a call with options, which are `never` here: they are wrong. */
type Row = readonly [option: string, call: (options: never) => unknown]
const queries = MADE['etnQueries()']!

const OPTIONS: Record<string, Row> = {
  createBudget: ['windowMs', (o: object) => createBudget({ credits: 5, ...o })],
  createClient: ['timeoutMs', (o: object) => createClient(o)],
  'createClient().request': ['query', (o: object) => client.request('/x', { maxCredits: 1, ...o })],
  ...Object.fromEntries(
    ids.flatMap((id): [string, Row][] => [
      [`createClient().${id}`, ['deadlineMs', (o: CallOptions) => methodOf(client, id)(paramsOf(id), o)]],
      [`createClient().${id}.many`, ['concurrency', (o: object) => methodOf(client, id).many([paramsOf(id)], o)]],
      [`etnQueries().${id}`, ['staleTime', (o: object) => methodOf(queries, id)(paramsOf(id), o)]],
    ]),
  ),
  createCreditMeter: ['budgetWindowMs', (o: object) => createCreditMeter(o)],
  createFakeService: ['seed', (o: object) => createFakeService(o)],
  'createFakeService().addKeys': ['tier', (o: object) => fake.addKeys({ b: { credits: 1, ...o } })],
  'createFakeService().charged': ['operation', (o: object) => fake.charged(o)],
  'createFakeService().expectCredits': ['operation', (o: object) => fake.expectCredits(0, o)],
  'createFakeService().expectRequests': ['operation', (o: object) => fake.expectRequests(0, o)],
  'createFakeService().fault': ['status', (o: object) => fake.fault({ delayMs: 1, ...o })],
  'createFakeService().journal': ['operation', (o: object) => fake.journal(o)],
  'createFakeService().ledger': ['operation', (o: object) => fake.ledger(o)],
  'createFakeService().listen': ['hostname', (o: object) => fake.listen(o)],
  'createFakeService().peakInFlight': ['heavy', (o: object) => fake.peakInFlight(o)],
  'createFakeService().reset': ['keep', (o: object) => fake.reset(o)],
  'createFakeService().script': ['when', (o: object) => fake.script('etn.price', ['ok'], o)],
  'createFakeService().stub': ['validate', (o: object) => fake.stub('etn.price', () => ({}), o)],
  'createFakeService().world.setPrice': ['overMs', (o: object) => fake.world.setPrice(BOLT, '1', o)],
  'createFakeService().world.trade': ['token', (o: object) => fake.world.trade({ token: BOLT, usd: 1, ...o })],
  createNodeTransport: ['agent', (o: object) => createNodeTransport(o)],
  createPriceFeed: ['maxAgeMs', (o: object) => createPriceFeed(client, o)],
  'createPriceFeed().alert': ['above', (o: object) => feed.alert(BOLT, { everyMs: 60_000, below: 1, ...o })],
  'createPriceFeed().explain': ['calls', (o: object) => feed.explain(o)],
  watchPortfolio: ['signal', (o: object) => watchPortfolio(feed, BOLT, { everyMs: DAY, ...o })],
  'createPriceFeed().price': ['maxAgeMs', (o: object) => feed.price(BOLT, o)],
  'createPriceFeed().prices': ['maxAgeMs', (o: object) => feed.prices([BOLT], o)],
  followTrades: ['signal', (o: object) => followTrades(feed, { everyMs: 60_000, ...o })],
  'createPriceFeed().watch': ['onPrice', (o: object) => feed.watch(BOLT, { everyMs: 60_000, ...o })],
  'createPriceFeed().watch().update': ['everyMs', (o: object) => watch.update(o)],
  watchCandles: ['limit', (o: object) => watchCandles(feed, BOLT, { bucket: '1h', everyMs: 60_000, ...o })],
  createPriceStream: ['headers', (o: object) => createPriceStream({ url: '/api', ...o })],
  'createPriceStream().watch': ['everyMs', (o: object) => stream.watch(BOLT, o)],
  createProxy: ['basePath', (o: object) => createProxy({ client, allow: ['etn.price'], budget: false, ...o })],
  createRedisFleet: ['leaseMs', (o: object) => createRedisFleet(redis, { name: 'y', budget: { credits: 5 }, ...o })],
  createTelemetry: ['tracer', (o: object) => createTelemetry(o)],
  etnQueries: ['staleTime', (o: object) => etnQueries(client, o)],
  formatPrice: ['digits', (o: object) => formatPrice('1', o)],
  mswHandlers: ['baseUrl', (o: object) => mswHandlers(fake, o)],
  planCredits: ['creditsPerDay', (o: object) => planCredits([], o)],
  record: ['budget', (o: object) => record({ client, budget: { credits: 5 }, run() {}, ...o })],
  useFakeService: ['seed', (o: object) => useFakeService({ after() {} }, o)],
  usePrice: ['onError', (o: object) => usePrice(feed, undefined, { everyMs: 60_000, ...o })],
  usePrices: ['onError', (o: object) => usePrices(feed, [], { everyMs: 60_000, ...o })],
}

const allow = { operation: 'token.price' } as const
test.each([0, '', null, Number.NaN])('%o is no limit, and no word for none', (limit) => {
  expect(() => createPriceFeed(client, { budget: limit as never })).toThrow(InvalidRequestError)
  expect(() => proxyWith({ perVisitor: limit })).toThrow(InvalidRequestError)
})

const proxyWith = (more: object) => createProxy({ client, allow: ['etn.price'], budget: false, ...more } as never)
const fleetWith = (more: object) => createRedisFleet(redis, { name: 'z', budget: { credits: 5 }, ...more })

/** Options that are objects themselves. */
const NESTED: Record<string, Row> = {
  'budget of createClient': ['windowMs', (o: object) => createClient({ budget: { credits: 5, ...o } })],
  'cache of createClient': ['store', (o: object) => createClient({ cache: { ttlMs: {}, ...o } })],
  'cache.ttlMs of createClient': ['token.price', (o: object) => createClient({ cache: { ttlMs: o } })],
  'hooks of createClient': ['beforeRequest', (o: object) => createClient({ hooks: o })],
  'retry of createClient': ['limit', (o: object) => createClient({ retry: o })],
  'retry of a call': ['limit', (o: object) => client.etn.price({}, { retry: o })],
  'a call of planCredits': [
    'activeHours',
    (o: object) => planCredits([{ operation: 'etn.price', everyMs: DAY, ...o }]),
  ],
  'budget of createPriceFeed': ['name', (o: object) => createPriceFeed(client, { budget: { creditsPerDay: 5, ...o } })],
  'minChange of a watch': ['percent', (o: object) => feed.watch(BOLT, { everyMs: DAY, minChange: o as never })],
  'everyMs of followTrades': ['max', (o: object) => followTrades(feed, { everyMs: { min: 1_000, max: DAY, ...o } })],
  'agent of createNodeTransport': ['http', (o: object) => createNodeTransport({ agent: o })],
  'staleTime of etnQueries': ['token.price', (o: object) => etnQueries(client, { staleTime: o })],
  'an entry of allow': ['cacheMs', (o: object) => proxyWith({ allow: [{ ...allow, ...o }] })],
  'cdn of createProxy': ['maxAgeMs', (o: object) => proxyWith({ cdn: o })],
  'cors of createProxy': ['credentials', (o: object) => proxyWith({ cors: { origins: [], ...o } })],
  'perVisitor of createProxy': [
    'requestsPerMinute',
    (o: object) => proxyWith({ perVisitor: { credits: 5, windowMs: DAY, ...o } }),
  ],
  'stream of createProxy': ['maxStreams', (o: object) => proxyWith({ feed, visitor: () => null, stream: o })],
  'stream.perVisitor of createProxy': [
    'streams',
    (o: object) => proxyWith({ feed, visitor: () => null, stream: { perVisitor: o } }),
  ],
  'visitorCookie of createProxy': ['secret', (o: object) => proxyWith({ visitorCookie: o })],
  'budget of createRedisFleet': ['windowMs', (o: object) => fleetWith({ budget: { credits: 5, ...o } })],
  'wait of createRedisFleet': ['timeoutMs', (o: object) => fleetWith({ wait: { replicas: 1, timeoutMs: 9, ...o } })],
  'a key of createFakeService': ['tier', (o: object) => createFakeService({ keys: { a: { credits: 1, ...o } } })],
  'journal of createFakeService': ['headers', (o: object) => createFakeService({ journal: o })],
  'rateLimit of createFakeService': ['lockMs', (o: object) => createFakeService({ rateLimit: { requests: 1, ...o } })],
  'world of createFakeService': ['tokens', (o: object) => createFakeService({ world: o })],
  'a step of a script': ['status', (o: object) => fake.script('etn.price', [o])],
  'budget of record': ['credits', (o: object) => record({ client, budget: { credits: 5, ...o }, run() {} })],
}

/** What takes no options: values, parameters, callbacks, or objects that others define. */
const WITHOUT = new Set([
  ...['checksumAddress', 'creditsToUsd', 'isAddress', 'isEtnMarketError', 'toUnits', 'unlocksAt'],
  ...['closedOnly', 'fillGaps', 'mergeCandles', 'toOhlcv'],
  // Parameters, which have a test below.
  ...['estimateCost', ...ids.map((id) => `createClient().${id}.estimate`)],
  ...['createFileStore', 'toNodeHandler', 'useCreditMeter', 'useFeedStatus'],
  // The function of vitest. Its option `fakeOptions` is what `createFakeService` takes.
  'test',
  // What a budget is asked by whoever implements a client; details are shown in its errors.
  ...membersOf('createBudget()', 'check reserve toJSON'),
  ...membersOf('createBudget().reserve()', 'confirm settle release markUncertain'),
  ...membersOf('createClient()', 'budget.check budget.reserve budget.toJSON close'),
  ...membersOf('createCreditMeter()', 'onEvent subscribe getSnapshot'),
  ...membersOf('createFakeService()', 'fetch keys remaining setCredits faults holdHeavySlot expectNoUnusedFaults now'),
  ...membersOf('createFakeService()', 'advance snapshot restore close'),
  ...membersOf('createFakeService().clock', 'now monotonic sleep random'),
  ...membersOf('createFakeService().world', 'unprice candles release'),
  ...membersOf('createFakeService().fault()', 'remove'),
  ...membersOf('createFakeService().listen()', 'close'),
  ...membersOf('createFileStore()', 'get set add delete close'),
  // An attempt, which the client makes.
  ...membersOf('createNodeTransport()', 'send close'),
  ...membersOf('createPriceFeed()', 'peek subscribe status close'),
  ...membersOf('createPriceFeed().watch()', 'stop'),
  ...membersOf('createPriceStream()', 'peek subscribe status close'),
  ...membersOf('createPriceStream().watch()', 'stop'),
  ...membersOf('createProxy()', 'status close'),
  // A client.
  ...membersOf('createRedisFleet()', 'status initialize reconcile close'),
  ...membersOf('createTelemetry()', 'onEvent'),
])

function membersOf(owner: string, names: string): string[] {
  return names.split(' ').map((name) => `${owner}.${name}`)
}

/** The names of the functions of an object, its prototypes and the plain objects in it. Getters are not called. */
function functionsOf(owner: string, made: object): string[] {
  const names: string[] = []
  for (let at = made; ![Object.prototype, Function.prototype, null].includes(at); at = Object.getPrototypeOf(at)) {
    for (const [name, { value, enumerable }] of Object.entries(Object.getOwnPropertyDescriptors(at))) {
      const path = `${owner}.${name}`
      const isClass = at !== made && name === 'constructor'
      if (typeof value === 'function' && !isClass) names.push(path)
      // `estimate` and `many` are properties of functions.
      const isOpen = typeof value === 'function' || (value && Object.getPrototypeOf(value) === Object.prototype)
      if (enumerable && isOpen) names.push(...functionsOf(path, value))
    }
  }
  return names
}

async function exportedFunctions(): Promise<string[]> {
  const { exports } = JSON.parse(readFileSync('package.json', 'utf8')) as { exports: object }
  const paths = Object.keys(exports).filter((path) => path !== './package.json')
  const modules = await Promise.all(paths.map((path) => import(/* @vite-ignore */ `etn-market${path.slice(1)}`)))
  const exported = modules.flatMap((module) => Object.entries(module as Record<string, unknown>))
  const isFunction = (value: unknown) => typeof value === 'function' && !(value.prototype instanceof Error)
  return exported.filter(([, value]) => isFunction(value)).map(([name]) => name)
}

test('every public function is known here, with its options or without, and so is what it makes', async () => {
  const exported = await exportedFunctions()
  expect(exported.length).toBeGreaterThan(25)
  const makers = exported.filter((name) => /^(create|etnQueries)/.test(name))
  expect(makers.filter((name) => !Object.hasOwn(MADE, `${name}()`))).toEqual([])
  const found = [...exported, ...Object.entries(MADE).flatMap(([owner, made]) => functionsOf(owner, made))]
  const known = new Set([...Object.keys(OPTIONS), ...WITHOUT])
  expect(found.filter((name) => !known.has(name))).toEqual([])
  expect([...known].filter((name) => !found.includes(name))).toEqual([])
})

/** What a function does with options: an error, or undefined if it takes them. */
async function refusalOf(run: () => unknown): Promise<(Error & { code?: string }) | undefined> {
  try {
    await run()
    return undefined
  } catch (error) {
    return error as Error
  }
}

describe('an unknown option is refused, and the error names it and the right one:', () => {
  test.each(Object.entries({ ...OPTIONS, ...NESTED }))('%s', async (_, [option, call]) => {
    const misspelt = option.slice(0, -1)
    const sent = fake.journal().length
    for (const value of [1, undefined]) {
      const error = await refusalOf(() => call({ [misspelt]: value } as never))
      expect(error).toMatchObject({ code: 'invalid_option' })
      expect(error?.name).toMatch(/^(InvalidRequestError|FakeUsageError|TypeError)$/)
      expect(error?.message).toContain(`"${misspelt}"`)
      if (error instanceof InvalidRequestError) expect(error.message).toContain(`Did you mean ${option}?`)
      else expect(error?.message).toMatch(new RegExp(`(Known|It takes): .*\\b${option}\\b`))
    }
    expect(fake.journal()).toHaveLength(sent)
  })

  test.each(ids)('the parameters of %s', async (id) => {
    const params = { ...paramsOf(id), addres: BOLT }
    const method = methodOf(client, id)
    const sent = fake.journal().length
    const calls = [
      () => method(params),
      () => method.many([params], {}),
      () => method.estimate(params),
      () => estimateCost(id as 'etn.price', params as never),
      () => planCredits([{ operation: id as 'etn.price', params: params as never, everyMs: DAY }]),
    ]
    for (const call of calls) {
      const error = await refusalOf(call)
      expect(error).toBeInstanceOf(InvalidRequestError)
      expect(error?.message).toContain('"addres"')
    }
    expect(fake.journal()).toHaveLength(sent)
  })
})

describe('a callback that is no function is refused:', () => {
  const every = { everyMs: 60_000 }
  test.each<[string, (value: never) => unknown]>([
    ['onEvent', (onEvent) => createPriceFeed(client, { onEvent })],
    ['onPrice', (onPrice) => feed.watch(BOLT, { ...every, onPrice })],
    ['onError', (onError) => feed.watch(BOLT, { ...every, onError })],
    ['onGap', (onGap) => followTrades(feed, { ...every, onGap })],
    ['fetch', (fetch) => createPriceStream({ url: '/api', fetch })],
    ['onPrice', (onPrice) => stream.watch(BOLT, { onPrice })],
    ['onError', (onError) => stream.watch(BOLT, { onError })],
  ])('%s', async (name, call) => {
    const refusal = { code: 'invalid_option', message: `Invalid ${name}: 5. It must be a function.` }
    expect(await refusalOf(() => call(5 as never))).toMatchObject(refusal)
  })
})
