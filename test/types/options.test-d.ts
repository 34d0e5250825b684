import type {
  ApiPromise,
  BeforeRequestHook,
  Budget,
  BudgetOptions,
  CallOptions,
  ClientEvent,
  ClientOptions,
  EtnMarketError,
  FetchLike,
  OperationId,
  Reservation,
  TokenPrice,
} from 'etn-market'
import { createBudget, createClient } from 'etn-market'
import type { createFakeService } from 'etn-market/fake'
import { expectTypeOf, test } from 'vitest'
import type * as z from 'zod/mini'
import type { MemoryReservation } from '../../src/credits/budget.ts'

const address = '0x043fAa1b5C5FC9a7dc35171f290c29ECDE0cCff1'
const client = createClient({ apiKey: 'esk_live_test' })

/** The options that cannot be left out, or be `undefined`. */
type Needed<T> = { [K in keyof T]-?: { [P in K]: undefined } extends Pick<T, K> ? never : K }[keyof T]

test('every option has a default, and undefined equals a missing option', () => {
  createClient()
  client.token.price({ address }, undefined)
  expectTypeOf<Needed<ClientOptions>>().toBeNever()
  expectTypeOf<Needed<CallOptions>>().toBeNever()
  expectTypeOf<Needed<Exclude<ClientOptions['retry'], false | undefined>>>().toBeNever()
  expectTypeOf<Needed<NonNullable<ClientOptions['hooks']>>>().toBeNever()
  expectTypeOf<Needed<Extract<BudgetOptions, { credits: number }>>>().toEqualTypeOf<'credits'>()
  expectTypeOf<Needed<Extract<BudgetOptions, { creditsPerDay: number }>>>().toEqualTypeOf<'creditsPerDay'>()
  expectTypeOf<Needed<NonNullable<ClientOptions['cache']>>>().toEqualTypeOf<'ttlMs'>()
})

test('options accept each of their documented forms', () => {
  createClient({ apiKey: () => 'key' })
  createClient({ apiKey: async () => 'key' })
  createClient({ fetch: globalThis.fetch, retry: false, validate: 'off' })
  createClient({ budget: { credits: 5, windowMs: 1000 } })
  createClient({ budget: { creditsPerDay: 5 } })
  // @ts-expect-error: one of the two
  createBudget({ creditsPerDay: 5, credits: 5 })
  // @ts-expect-error: a limit
  createBudget({ windowMs: 1000 })
  createClient({ budget: createBudget({ credits: 5 }) })
  createClient({ cache: { ttlMs: { 'token.list': 1000 }, store: new Map<string, string>() } })
  client.etn.price({}, { signal: AbortSignal.timeout(5), retry: { limit: 0 } })
})

test('hooks take one object, with types of their own', () => {
  createClient({ hooks: { afterResponse: [() => {}, async () => undefined] } })
  createClient({
    hooks: {
      beforeRequest: [
        ({ request, operation, callId, attempt }) => {
          expectTypeOf(request).toEqualTypeOf<Request>()
          expectTypeOf(operation).toEqualTypeOf<OperationId | 'request' | 'stream'>()
          expectTypeOf({ callId, attempt }).toEqualTypeOf<{ callId: string; attempt: number }>()
          return new Request(request)
        },
      ],
      afterResponse: [async ({ response }) => Response.json(await response.json(), response)],
    },
  })
  expectTypeOf<Parameters<BeforeRequestHook>['length']>().toEqualTypeOf<1>()
  // @ts-expect-error a hook gets one object, no arguments one after the other
  createClient({ hooks: { afterResponse: [(_request, _options, response) => response] } })
  // @ts-expect-error only a Request or a Response takes the place of what is sent
  createClient({ hooks: { beforeRequest: [() => 'https://market.test'] } })
  // @ts-expect-error the client itself retries
  createClient({ hooks: { beforeRetry: [] } })
})

test('a client rejects unknown and wrong options', () => {
  // @ts-expect-error misspelt
  createClient({ apikey: 'key' })
  // @ts-expect-error a signal belongs to a call
  createClient({ signal: AbortSignal.timeout(5) })
  // @ts-expect-error milliseconds are a number
  createClient({ timeoutMs: '5s' })
  // @ts-expect-error only false is accepted
  createClient({ retry: true })
  // @ts-expect-error misspelt
  createClient({ retry: { retries: 5 } })
  // @ts-expect-error misspelt
  createClient({ budget: { credit: 5 } })
  // @ts-expect-error no such operation
  createClient({ cache: { ttlMs: { 'token.prices': 1000 } } })
  // @ts-expect-error the credits of the caller are not cached
  createClient({ cache: { ttlMs: { 'account.me': 1000 } } })
  // @ts-expect-error a key is a text
  createClient({ apiKey: null })
  // @ts-expect-error misspelt
  createBudget({ credits: 5, window: 1000 })
  // @ts-expect-error no limit at all
  createBudget({})
})

test('a call rejects unknown and wrong options', () => {
  // @ts-expect-error misspelt
  client.token.price({ address }, { timeout: 5 })
  // @ts-expect-error a budget belongs to the client
  client.token.price({ address }, { budget: { credits: 5 } })
  // @ts-expect-error a controller is not a signal
  client.token.price({ address }, { signal: new AbortController() })
  // @ts-expect-error no such mode
  client.etn.price({}, { validate: true })
  // @ts-expect-error options come second
  client.etn.price({ signal: AbortSignal.timeout(5) })
})

/** As node-fetch declares it. Those of undici are compiled by the matrix. */
type OtherFetch = (
  url: URL | string,
  init?: {
    method?: string
    headers?: Record<string, string>
    redirect?: 'follow' | 'manual'
    signal?: AbortSignal | null
  },
) => Promise<{
  status: number
  headers: { get(name: string): string | null; [Symbol.iterator](): Iterator<[string, string]> }
  body: NodeJS.ReadableStream | null
  text(): Promise<string>
}>

test('a fetch of the platform, or of a package, is one for the client', () => {
  expectTypeOf<typeof fetch>().toExtend<FetchLike>()
  expectTypeOf<OtherFetch>().toExtend<FetchLike>()
  expectTypeOf<ReturnType<typeof createFakeService>['fetch']>().toExtend<FetchLike>()
  expectTypeOf<Parameters<FetchLike>[1]>().toExtend<RequestInit>()
  createClient({ fetch: (url, init) => fetch(url, { ...init, credentials: 'include' }) })
  // @ts-expect-error it is called with a URL
  createClient({ fetch: (request: Request) => fetch(request) })
})

/** Whether a member of the union is a foreign type. */
type Takes<Value, Foreign> = [Extract<Value, Foreign>] extends [never] ? false : true
type AnOption = NonNullable<ClientOptions[keyof ClientOptions] | CallOptions[keyof CallOptions]>

test('no option has a type of zod', () => {
  expectTypeOf<Takes<AnOption, z.core.$ZodType>>().toEqualTypeOf<false>()
  // The check itself works: a type of zod is found.
  expectTypeOf<Takes<AnOption | z.ZodMiniString, z.core.$ZodType>>().toEqualTypeOf<true>()
})

test('the type of an event narrows it to its fields', () => {
  createClient({
    onEvent(event) {
      expectTypeOf(event).toEqualTypeOf<ClientEvent>()
      if (event.type === 'credits.drift') expectTypeOf(event.predicted).toEqualTypeOf<number>()
      if (event.type === 'retry.scheduled') expectTypeOf(event.waitMs).toEqualTypeOf<number>()
      // @ts-expect-error not every event has a wait
      event.waitMs
      // @ts-expect-error no such event
      if (event.type === 'credits.drifted') return
    },
  })
})

test('the budget and the credits of a client are read-only', () => {
  expectTypeOf(client.budget).toEqualTypeOf<Budget>()
  expectTypeOf(client.close()).toEqualTypeOf<Promise<void>>()
  expectTypeOf(client[Symbol.asyncDispose]).returns.toEqualTypeOf<Promise<void>>()
  // @ts-expect-error read only
  client.budget.spent = 0
  // @ts-expect-error read only
  client.credits.charged = 0
})

test('reserve returns a promise, and there is something to load, only for a budget with a store', () => {
  expectTypeOf(createBudget({ credits: 1 }).reserve(1)).toEqualTypeOf<MemoryReservation>()
  expectTypeOf(createBudget({ credits: 1, store: new Map<string, string>() }).reserve(1)).toEqualTypeOf<
    Promise<Reservation>
  >()
  expectTypeOf(createBudget({ credits: 1, store: new Map<string, string>() }).load).returns.toEqualTypeOf<
    Promise<void>
  >()
  // @ts-expect-error a budget in memory is loaded
  createBudget({ credits: 1 }).load()
  const options: BudgetOptions = { credits: 1 }
  expectTypeOf(createBudget(options)).toEqualTypeOf<Budget>()
})

test('prices.batch resolves to a partial batch with partial: return', () => {
  const whole = client.prices.batch({ addresses: [address] })
  expectTypeOf(whole).toEqualTypeOf<ApiPromise<Record<typeof address, TokenPrice | null>>>()
  expectTypeOf(client.prices.batch({ addresses: [address] }, { partial: 'throw' })).toEqualTypeOf(whole)
  expectTypeOf(client.prices.batch({ addresses: [address] }, { partial: undefined })).toEqualTypeOf(whole)
  const part = client.prices.batch({ addresses: [address] }, { partial: 'return', retry: false })
  expectTypeOf<Awaited<typeof part>>().toEqualTypeOf<{
    readonly prices: Partial<Record<typeof address, TokenPrice | null>>
    readonly missing: readonly (typeof address)[]
    readonly errors: readonly EtnMarketError[]
  }>()
  expectTypeOf(part.withMeta).toBeFunction()
  // @ts-expect-error no such mode
  client.prices.batch({ addresses: [address] }, { partial: 'ignore' })
  // @ts-expect-error only a batch has parts
  client.token.price({ address }, { partial: 'return' })
})

test('client.request resolves to an unknown value and needs maxCredits', () => {
  expectTypeOf(client.request('/staking/52014', { maxCredits: 500 })).toEqualTypeOf<ApiPromise<unknown>>()
  client.request('/x', {
    maxCredits: 0,
    query: { limit: 5, own: true, none: undefined },
    signal: AbortSignal.timeout(5),
  })
  // @ts-expect-error no options
  client.request('/x')
  // @ts-expect-error no maxCredits
  client.request('/x', { query: {} })
  // @ts-expect-error credits are a number
  client.request('/x', { maxCredits: '5' })
  // @ts-expect-error a query has no nested values
  client.request('/x', { maxCredits: 5, query: { filter: { own: true } } })
  // @ts-expect-error a path is a text
  client.request(new URL('https://market.test/x'), { maxCredits: 5 })
})
