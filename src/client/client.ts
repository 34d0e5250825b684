import { type Clock, SystemClock } from '../concurrency/clock.ts'
import { type Budget, openBudget } from '../credits/budget.ts'
import type { CostEstimate } from '../credits/cost.ts'
import { estimate } from '../credits/cost.ts'
import { joinLimits, type SpendingLimit } from '../credits/joint-budget.ts'
import { createKeyNames } from '../credits/key-name.ts'
import { type CreditsReport, Usage } from '../credits/usage.ts'
import { requireGlobals } from '../errors/input.ts'
import { Redactor } from '../errors/redact.ts'
import { fleetInternalsOf } from '../fleet/fleet.ts'
import type { Methods } from '../generated/methods.ts'
import { type OperationId, operations } from '../generated/operations.ts'
import { openLog } from '../log/open-log.ts'
import { ClientAdmission } from '../request/admission.ts'
import { createApiKeySource, warnInPage } from '../request/api-key.ts'
import { createBaseUrl, isPublicService } from '../request/base-url.ts'
import { Cache } from '../request/cache.ts'
import { type CallContext, startCall } from '../request/call.ts'
import { CallLifetimes } from '../request/call-lifetime.ts'
import { InFlightRequests } from '../request/dedupe.ts'
import { type CallInput, operationInput, pathInput } from '../request/plan-requests.ts'
import type { Emit } from '../request/send.ts'
import { clientSettings, count } from '../request/settings.ts'
import { createSweep } from '../sweep/sweep.ts'
import { KyTransport } from '../transport/ky.ts'
import { createRequestHeaders } from '../transport/request-headers.ts'
import { type AddressReader, createAddressReader } from '../utils/address.ts'
import { ASYNC_DISPOSE, callSafely } from '../utils/runtime.ts'
import type { ApiPromise } from './api-promise.ts'
import { type ClientExtension, withInternals } from './client-internals.ts'
import type { ClientEvent } from './events.ts'
import type { CallOptions, ClientOptions, RequestOptions } from './options.ts'
import type { Sweep, SweepOptions } from './sweep-types.ts'

/** Node prints what a function under this name returns. */
const INSPECT = Symbol.for('nodejs.util.inspect.custom')
/** What the transport of ky and fetch uses. */
const SENT_WITH = ['Headers', 'Request', 'Response', 'TextDecoder', 'TextEncoder']
/** 16 MiB; the largest answer seen has 84 kB. */
const MAX_RESPONSE_BYTES = 16_777_216

/** A client: every operation as `client.group.action`, and what it has spent. */
export interface Client extends Methods {
  /**
   * Calls a path below the base URL that the contract does not know yet, with the key, retries, budget and events of every call.
   * Resolves to the `data` of the answer, unchecked.
   * @example await client.request('/staking/52014', { query: { limit: 5 }, maxCredits: 500 })
   * @throws InvalidRequestError for a path that leads elsewhere
   */
  request(path: string, options: RequestOptions): ApiPromise<unknown>
  /** What may still be spent. */
  readonly budget: Budget
  /** What was charged so far. */
  readonly credits: CreditsReport
  /**
   * Rejects every call that is under way, and every further one. Resolves when all have ended; no timer, listener or socket of the
   * client is left. A transport that was passed in stays open.
   */
  close(): Promise<void>
  /** Closes the client: `await using client = createClient()`. */
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Creates a client. Clients share nothing, unless they are given the same budget, store or transport.
 * @example const client = createClient({ apiKey, budget: { creditsPerDay: 100_000 } })
 * @throws InvalidRequestError when an option is unknown or not accepted.
 */
export function createClient(options: ClientOptions = {}): Client {
  const redactor = new Redactor()
  return redacted(redactor, () => assemble(options, redactor))
}

function redacted<T>(redactor: Redactor, run: () => T): T {
  try {
    return run()
  } catch (error) {
    throw redactor.error(error)
  }
}

function assemble(options: ClientOptions, redactor: Redactor): Client {
  requireGlobals('URL', ...(options?.transport ? [] : SENT_WITH))
  // The key comes first, so that no error of another option shows it. What is no object fails below.
  const apiKey = createApiKeySource(options ?? {}, redactor, () => isPublicService(baseUrl()))
  const settings = clientSettings(options)
  const clock = options.clock ?? new SystemClock()
  const baseUrl = createBaseUrl(options)
  const log = openLog(options)
  const emit = createEmit(log?.onEvent ?? options.onEvent, redactor)
  const usage = new Usage()
  const lifetimes = new CallLifetimes(clock)
  const requestHeaders = createRequestHeaders(options.headers)
  const ky = new KyTransport(options)
  const transport = options.transport ?? ky
  const maxResponseBytes = count('maxResponseBytes', options.maxResponseBytes, MAX_RESPONSE_BYTES, 1)
  const cache = options.cache && new Cache(options.cache, baseUrl, lifetimes.ages, emit)
  const batchConcurrency = count('batchConcurrency', options.batchConcurrency, 4, 1)
  // After all that may throw, because only a client ends its use of an entry.
  const { budget, admission, close: closeBudget } = resolveLimits(options, clock)
  const context: CallContext = {
    settings,
    clock,
    budget,
    usage,
    emit,
    baseUrl,
    apiKey,
    keyName: createKeyNames(),
    admission,
    maxCooldownMs: settings.maxRetryAfterMs,
    maxResponseBytes,
    transport: log?.behind(transport) ?? transport,
    requestHeaders,
    lifetimes,
    inFlight: new InFlightRequests(),
    cache,
    batchConcurrency,
    redact: redactor.error,
  }
  warnInPage(options, emit)
  const close = async () => {
    await Promise.all([lifetimes.close(), context.inFlight.close('The client is closed.')])
    ky.close()
    // What could not be written stays reserved in the store, and is uncertain when the budget is loaded again.
    await closeBudget().catch(() => {})
  }
  const addressReader = createAddressReader()
  const estimateSafely = (operation: OperationId, params: unknown) =>
    redacted(redactor, () => estimate(operation, params, addressReader))
  /** Everything that calls does so by `run`, so that an extended client has no way round its limits. */
  const makeClient = (run: Run, limit: SpendingLimit): Client => {
    const sweep: SweepMaker = (operation, list, options) =>
      redacted(redactor, () => createSweep(operation, list, options, { ...context, addressReader, run }))
    const client: Client = {
      ...bindMethods(run, estimateSafely, sweep, addressReader),
      request: (path, requestOptions) => run(pathInput(path, requestOptions)),
      budget,
      get credits() {
        return usage.report()
      },
      close,
      [ASYNC_DISPOSE]: close,
    }
    Object.defineProperty(client, INSPECT, { value: () => describeClient(client, baseUrl) })
    return withInternals(client, {
      redact: redactor.text,
      estimate: estimateSafely,
      budget: limit,
      validate: settings.validate,
      clock,
      closed: lifetimes.closed,
      open: (path, headers, signal) => ky.open(baseUrl() + path, { ...requestHeaders(''), ...headers }, signal),
      call: (operation, params, options, more) =>
        run({ ...operationInput(operation, params, options as CallOptions, addressReader), ...more }),
      extend: (extension) =>
        makeClient((input) => run(extendInput(input, extension)), joinLimits(limit, extension.budget)),
    })
  }
  return makeClient((input) => startCall(input, context), budget)
}

/** What may quote the service or the caller. */
const QUOTING_FIELDS = ['message', 'code', 'issues', 'params']

/** Passes events to the listener, without secrets. A listener that throws, at once or later, breaks nothing. */
function createEmit(listener: ((event: ClientEvent) => unknown) | undefined, redactor: Redactor): Emit | undefined {
  if (listener === undefined) return undefined
  const pass = (raised: ClientEvent) => {
    const event = raised as unknown as Record<string, unknown>
    for (const name of QUOTING_FIELDS) if (event[name] !== undefined) event[name] = redactor.error(event[name])
    return listener(raised)
  }
  return (raised) => callSafely(pass, raised)
}

/** A call has to fit its own limit and that of the client that it is made with; both learn of its answers. */
function extendInput(input: CallInput, { budget, onAnswer, options }: ClientExtension): CallInput {
  return {
    ...input,
    options: { ...options, ...input.options },
    budget: input.budget ? joinLimits(input.budget, budget) : budget,
    onAnswer(path, outcome) {
      input.onAnswer?.(path, outcome)
      onAnswer(path, outcome)
    },
  }
}

/** What Node, Bun and Deno print: the methods would fill a page. */
function describeClient({ budget, credits }: Client, baseUrl: () => string): string {
  const { toJSON = () => budget } = budget as { toJSON?: () => object }
  const figures = (fields: object) => Object.entries(fields).filter(([, value]) => typeof value !== 'function')
  const texts = (fields: object) => figures(fields).map(([name, value]) => `${name}: ${value}`)
  const line = (fields: object) => `{ ${texts(fields).join(', ')} }`
  const { charged, remaining } = credits
  return `Client {
  baseUrl: ${baseUrl()}
  operations: ${Object.keys(operations).join(' ')}
  budget: ${line(toJSON())}
  credits: ${line({ charged, remaining })}
}`
}

type SweepMaker = (operation: OperationId, list: unknown, options?: SweepOptions) => Sweep<unknown, unknown>

function bindMethods(
  run: Run,
  estimateSafely: (operation: OperationId, params: unknown) => CostEstimate,
  sweep: SweepMaker,
  addressReader: AddressReader,
): Methods {
  const groups: Record<string, Record<string, unknown>> = {}
  for (const operation of Object.keys(operations) as OperationId[]) {
    const [group = '', action = ''] = operation.split('.')
    const method = (params?: unknown, options?: CallOptions) =>
      run(operationInput(operation, params, options, addressReader))
    groups[group] ??= {}
    groups[group][action] = Object.assign(method, {
      estimate: (params?: unknown) => estimateSafely(operation, params),
      many: (list: unknown, options?: SweepOptions) => sweep(operation, list, options),
    })
  }
  return groups as unknown as Methods
}

type Run = (input: CallInput) => ApiPromise<unknown>

/** What limits the calls of a client: its own budget and slots, or those of a fleet beside its own. */
function resolveLimits({ budget, heavyConcurrency, fleet }: ClientOptions, clock: Clock) {
  const shared = fleetInternalsOf(fleet)
  const own = new ClientAdmission(clock, shared?.heavyConcurrency ?? count('heavyConcurrency', heavyConcurrency, 2, 1))
  const opened = openBudget(shared?.budget ?? budget ?? { credits: Number.POSITIVE_INFINITY }, clock)
  return { ...opened, admission: shared?.extendAdmission(own) ?? own }
}
