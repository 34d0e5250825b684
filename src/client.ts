import { readAddress, remember } from './address.ts'
import { systemClock } from './clock.ts'
import { type CreditsReport, createAccount } from './credits/account.ts'
import { type Budget, type BudgetOptions, createBudget } from './credits/budget.ts'
import { ASYNC_DISPOSE } from './dispose.ts'
import { invalidOption } from './errors/input.ts'
import { createRedactor, type Redactor } from './errors/redact.ts'
import { estimate } from './estimate.ts'
import { createEmit } from './events.ts'
import type { Methods } from './generated/methods.ts'
import { type OperationId, operations } from './generated/operations.ts'
import { createKeySource, environment, warnInPage } from './key.ts'
import type { ApiPromise } from './method.ts'
import type { CallOptions, ClientOptions } from './options.ts'
import { createCache } from './request/cache.ts'
import { type CallContext, type CallEnd, call } from './request/call.ts'
import { createLane } from './request/lane.ts'
import { createScopes } from './request/scope.ts'
import { clientSettings, count, DEFAULT_BASE_URL } from './request/settings.ts'
import { createFlights } from './request/share.ts'
import { createTransport } from './request/transport.ts'

/** A client: every operation as `client.group.action`, and what it has spent. */
export interface Client extends Methods {
  /** What may still be spent. */
  readonly budget: Budget
  /** What was charged up to now. */
  readonly credits: CreditsReport
  /** Ends every call under way and lets no further one begin; resolves when all have ended. Nothing of the client is left behind. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Makes a client. Clients share nothing, unless they are handed the same budget or store.
 * @example const client = createClient({ apiKey, budget: { credits: 100_000, windowMs: 86_400_000 } })
 * @throws InvalidRequestError when an option is unknown or not accepted.
 */
export function createClient(options: ClientOptions = {}): Client {
  const redactor = createRedactor()
  try {
    return assemble(options, redactor)
  } catch (error) {
    throw redactor.error(error)
  }
}

function assemble(options: ClientOptions, redactor: Redactor): Client {
  const apiKey = createKeySource(options.apiKey, redactor)
  const settings = clientSettings(options)
  const clock = options.clock ?? systemClock
  const baseUrl = resolveBaseUrl(options.baseUrl ?? environment('ETN_MARKET_BASE_URL') ?? DEFAULT_BASE_URL)
  const emit = createEmit(options.onEvent, redactor.text)
  const budget = resolveBudget(options.budget, clock)
  const account = createAccount()
  const context: CallContext = {
    settings,
    clock,
    budget,
    account,
    emit,
    redactor,
    baseUrl,
    apiKey,
    lane: createLane(clock, count('heavyConcurrency', options.heavyConcurrency, 2, 1)),
    transport: createTransport(clock, options.fetch),
    scopes: createScopes(clock),
    flights: createFlights(),
    cache: options.cache && createCache(options.cache, baseUrl, clock, emit),
    batchConcurrency: count('batchConcurrency', options.batchConcurrency, 4, 1),
    readAddress: remember(readAddress),
  }
  warnInPage(options, emit)
  const close = () => context.scopes.close()
  return {
    ...bindMethods(context),
    budget,
    get credits() {
      return account.report()
    },
    close,
    [ASYNC_DISPOSE]: close,
  }
}

/** `client.group.action` for every operation of the contract. */
function bindMethods(context: CallContext): Methods {
  const groups: Record<string, Record<string, unknown>> = {}
  for (const operation of Object.keys(operations) as OperationId[]) {
    const [group = '', action = ''] = operation.split('.')
    const method = (params?: unknown, options?: CallOptions) => toApiPromise(call(operation, params, options, context))
    groups[group] ??= {}
    groups[group][action] = Object.assign(method, {
      estimate: (params?: unknown) => {
        try {
          return estimate(operation, params, context.readAddress)
        } catch (error) {
          throw context.redactor.error(error)
        }
      },
    })
  }
  return groups as unknown as Methods
}

/** One call, read as the data alone or with what it cost; the way that is not read makes no unhandled rejection. */
function toApiPromise(end: Promise<CallEnd>): ApiPromise<unknown> {
  const data = end.then((ended) => ended.data)
  return Object.assign(data, {
    withMeta() {
      data.catch(() => {})
      return end.then((ended) => ({ data: ended.data, meta: ended.readMeta() }))
    },
  })
}

function resolveBudget(budget: Budget | BudgetOptions | undefined, clock: NonNullable<ClientOptions['clock']>): Budget {
  if (budget === undefined) return createBudget({ credits: Number.POSITIVE_INFINITY }, clock)
  return 'reserve' in budget ? budget : createBudget(budget, clock)
}

/** Absolute, so that a page can name its proxy by path alone; ends in a slash, so that paths can be appended. */
function resolveBaseUrl(baseUrl: string): string {
  const page = (globalThis as { location?: { href?: string } }).location?.href
  const absolute = typeof baseUrl === 'string' && URL.canParse(baseUrl, page) ? new URL(baseUrl, page) : undefined
  if (absolute === undefined || !/^https?:$/.test(absolute.protocol))
    throw invalidOption('baseUrl', baseUrl, 'an http or https address')
  if (absolute.username || absolute.password || absolute.search || absolute.hash) {
    throw invalidOption('baseUrl', absolute.origin, 'an address without credentials, query or fragment')
  }
  return absolute.href.endsWith('/') ? absolute.href : `${absolute.href}/`
}
