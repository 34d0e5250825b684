import type {
  Budget,
  BudgetOptions,
  CallOptions,
  ClientEvent,
  ClientOptions,
  FetchLike,
  FetchResponse,
  OperationId,
} from 'etn-market'
import { createBudget, createClient } from 'etn-market'
import { expectTypeOf, test } from 'vitest'
import type * as z from 'zod/mini'

const address = '0x043fAa1b5C5FC9a7dc35171f290c29ECDE0cCff1'
const client = createClient({ apiKey: 'esk_live_test' })

test('everything has a default, and undefined is as good as leaving it out', () => {
  createClient()
  createClient({})
  createClient({
    apiKey: undefined,
    baseUrl: undefined,
    fetch: undefined,
    timeoutMs: undefined,
    deadlineMs: undefined,
    retry: undefined,
    heavyConcurrency: undefined,
    batchConcurrency: undefined,
    budget: undefined,
    cache: undefined,
    validate: undefined,
    onEvent: undefined,
    clock: undefined,
  })
  createClient({ retry: { limit: undefined, maxRetryAfterMs: undefined }, cache: { ttlMs: {}, store: undefined } })
  createBudget({ credits: 5, windowMs: undefined })
  const callOptions = { signal: undefined, timeoutMs: undefined, deadlineMs: undefined, retry: undefined }
  client.token.price({ address }, { ...callOptions, validate: undefined })
  client.token.price({ address }, undefined)
})

test('the forms that options take', () => {
  createClient({ apiKey: () => 'key' })
  createClient({ apiKey: async () => 'key' })
  createClient({ fetch: globalThis.fetch, retry: false, validate: 'off' })
  createClient({ budget: { credits: 5, windowMs: 1000 } })
  createClient({ budget: createBudget({ credits: 5 }) })
  createClient({ cache: { ttlMs: { 'token.list': 1000 }, store: new Map<string, string>() } })
  client.etn.price({}, { signal: AbortSignal.timeout(5), retry: { limit: 0 } })
})

test('unknown or wrong options of a client', () => {
  // @ts-expect-error misspelt
  createClient({ apikey: 'key' })
  // @ts-expect-error a signal belongs to a call
  createClient({ signal: AbortSignal.timeout(5) })
  // @ts-expect-error milliseconds are a number
  createClient({ timeoutMs: '5s' })
  // @ts-expect-error true says nothing
  createClient({ retry: true })
  // @ts-expect-error misspelt
  createClient({ retry: { retries: 5 } })
  // @ts-expect-error no such mode
  createClient({ validate: 'lenient' })
  // @ts-expect-error a limit has a name
  createClient({ budget: 5 })
  // @ts-expect-error misspelt
  createClient({ budget: { credit: 5 } })
  // @ts-expect-error no such operation
  createClient({ cache: { ttlMs: { 'token.prices': 1000 } } })
  // @ts-expect-error the caller's own credits are not for a cache
  createClient({ cache: { ttlMs: { 'account.me': 1000 } } })
  // @ts-expect-error a key is a text
  createClient({ apiKey: null })
  // @ts-expect-error misspelt
  createBudget({ credits: 5, window: 1000 })
  // @ts-expect-error no limit at all
  createBudget({})
})

test('unknown or wrong options of a call', () => {
  // @ts-expect-error misspelt
  client.token.price({ address }, { timeout: 5 })
  // @ts-expect-error a budget belongs to the client
  client.token.price({ address }, { budget: { credits: 5 } })
  // @ts-expect-error a controller is no signal
  client.token.price({ address }, { signal: new AbortController() })
  // @ts-expect-error no such mode
  client.etn.price({}, { validate: true })
  // @ts-expect-error options come second
  client.etn.price({ signal: AbortSignal.timeout(5) })
})

test('the options of a call are these five, and all but the signal are those of a client too', () => {
  expectTypeOf<keyof CallOptions>().toEqualTypeOf<'signal' | 'timeoutMs' | 'deadlineMs' | 'retry' | 'validate'>()
  expectTypeOf<Omit<CallOptions, 'signal'>>().toEqualTypeOf<
    Pick<ClientOptions, 'timeoutMs' | 'deadlineMs' | 'retry' | 'validate'>
  >()
  expectTypeOf<FetchLike>().toEqualTypeOf<(url: string, init: RequestInit) => Promise<FetchResponse>>()
  expectTypeOf<typeof fetch>().toExtend<FetchLike>()
})

/** Whether one of the forms that a value may take is of a foreign type. */
type Takes<Value, Foreign> = [Extract<Value, Foreign>] extends [never] ? false : true
type AnOption = NonNullable<ClientOptions[keyof ClientOptions] | CallOptions[keyof CallOptions]>

test('no option is of a type of zod', () => {
  expectTypeOf<Takes<AnOption, z.core.$ZodType>>().toEqualTypeOf<false>()
  // The same question, asked of what it must not be.
  expectTypeOf<Takes<AnOption | z.ZodMiniString, z.core.$ZodType>>().toEqualTypeOf<true>()
})

test('events are told apart by their type', () => {
  createClient({
    onEvent(event) {
      expectTypeOf(event).toEqualTypeOf<ClientEvent>()
      if (event.type === 'credits.drift') expectTypeOf(event.predicted).toEqualTypeOf<number>()
      if (event.type === 'retry.scheduled') expectTypeOf(event.waitMs).toEqualTypeOf<number>()
      // @ts-expect-error not every event is about waiting
      event.waitMs
      // @ts-expect-error no such event
      if (event.type === 'credits.drifted') return
    },
  })
})

test('a client shows what it spends, and nobody can change it', () => {
  expectTypeOf(client.budget).toEqualTypeOf<Budget>()
  expectTypeOf(client.credits.byOperation).toEqualTypeOf<Readonly<Partial<Record<OperationId, number>>>>()
  expectTypeOf(client.close()).toEqualTypeOf<Promise<void>>()
  expectTypeOf(client[Symbol.asyncDispose]).returns.toEqualTypeOf<Promise<void>>()
  expectTypeOf<keyof BudgetOptions>().toEqualTypeOf<'credits' | 'windowMs'>()
  // @ts-expect-error read only
  client.budget.spent = 0
  // @ts-expect-error read only
  client.credits.charged = 0
})
