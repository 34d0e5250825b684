import { type ClientInternals, internalsOf } from '../client-internals.ts'
import { type Clock, systemClock } from '../concurrency/clock.ts'
import { type Budget, createBudget } from '../credits/budget.ts'
import { invalidOption, rejectUnknown } from '../errors/input.ts'
import type { OperationId } from '../generated/operations.ts'
import { isArray } from '../operations/type-guards.ts'
import { trimEnd } from '../utils/trim-end.ts'
import { checkWindow } from './credit-window.ts'
import { type Rule, readRules } from './rules.ts'
import { readStreamSettings, type StreamSettings } from './stream/stream-settings.ts'
import type { ProxyCorsOptions, ProxyOptions, VisitorLimits } from './types.ts'

/** The options of a proxy, checked, with every default filled in. */
export interface ProxySettings {
  readonly client: ClientInternals
  readonly clock: Clock
  readonly basePath: string
  readonly rules: ReadonlyMap<OperationId, Rule>
  readonly visitor: ProxyOptions['visitor']
  readonly perVisitor: VisitorLimits | undefined
  readonly budget: Budget
  readonly cors: ProxyCorsOptions
  readonly cdnMaxAgeMs: number
  readonly operator: ProxyOptions['operator']
  /** Undefined without a feed. */
  readonly stream: StreamSettings | undefined
}

const OPTIONS = [
  'client',
  'basePath',
  'allow',
  'visitor',
  'perVisitor',
  'budget',
  'cors',
  'cdn',
  'operator',
  'feed',
  'stream',
  'clock',
]

/** @throws InvalidRequestError for an option that is unknown or not accepted: a misspelt limit would be none */
export function readSettings(options: ProxyOptions): ProxySettings {
  rejectUnknown('proxy option', options, OPTIONS)
  const {
    client,
    clock = systemClock,
    visitor,
    perVisitor,
    budget,
    cors = { origins: [] },
    cdn,
    operator,
    feed,
    stream,
  } = options
  const internals = typeof client === 'object' && client !== null ? internalsOf(client) : undefined
  if (internals === undefined) throw invalidOption('client', client, 'a client made by createClient')
  if (visitor !== undefined && typeof visitor !== 'function') throw invalidOption('visitor', visitor, 'a function')
  if (operator !== undefined && typeof operator !== 'function') throw invalidOption('operator', operator, 'a function')
  if (feed !== undefined && visitor === undefined)
    throw invalidOption(
      'visitor',
      visitor,
      'a function that identifies who opens a stream, because the proxy has a feed',
    )
  if (perVisitor !== undefined) checkPerVisitor(perVisitor)
  checkCors(cors)
  if (stream !== undefined && feed === undefined) throw invalidOption('stream', stream, 'given together with feed')
  return {
    client: internals,
    clock,
    basePath: readBasePath(options.basePath ?? ''),
    rules: readRules(options.allow),
    visitor,
    perVisitor,
    budget: readBudget(budget, clock),
    cors,
    cdnMaxAgeMs: cdn === undefined ? 0 : readMaxAge(cdn),
    operator,
    stream: feed && readStreamSettings(feed, stream),
  }
}

function readBasePath(path: unknown): string {
  const isPath = typeof path === 'string' && (path === '' || /^\/[\w\-.~/]*$/.test(path))
  if (!isPath || new URL(path, 'http://proxy').pathname !== (path || '/'))
    throw invalidOption('basePath', path, 'a path such as /api/market')
  return trimEnd(path, '/')
}

function checkPerVisitor(perVisitor: VisitorLimits): void {
  rejectUnknown('perVisitor option', perVisitor, ['credits', 'windowMs', 'requestsPerMinute'])
  const { credits, windowMs, requestsPerMinute } = perVisitor
  checkWindow('perVisitor', { credits, windowMs })
  if (requestsPerMinute !== undefined && !(Number.isSafeInteger(requestsPerMinute) && requestsPerMinute > 0))
    throw invalidOption('perVisitor.requestsPerMinute', requestsPerMinute, 'a whole number above 0')
}

function readBudget(budget: ProxyOptions['budget'], clock: Clock): Budget {
  if (budget === false) return createBudget({ credits: Number.POSITIVE_INFINITY }, clock)
  if (typeof budget !== 'object' || budget === null)
    throw invalidOption('budget', budget, '{ credits, windowMs } for all visitors together, or false for no limit')
  return 'reserve' in budget ? budget : createBudget(budget, clock)
}

function checkCors(cors: ProxyCorsOptions): void {
  rejectUnknown('cors option', cors, ['origins', 'credentials'])
  const { origins, credentials } = cors
  if (!isArray(origins)) throw invalidOption('cors.origins', origins, 'a list of origins such as https://dapp.example')
  for (const origin of origins) {
    const isOrigin = typeof origin === 'string' && URL.canParse(origin) && isExact(origin)
    if (!isOrigin) throw invalidOption('cors.origins', origin, ruleFor(origin))
  }
  if (credentials !== undefined && typeof credentials !== 'boolean')
    throw invalidOption('cors.credentials', credentials, 'true or false')
}

/** A path, or a scheme whose pages all have the origin "null", would never match, or match too much. */
const isExact = (origin: string) => new URL(origin).origin === origin.toLowerCase() && new URL(origin).origin !== 'null'

/** A slash at the end is the usual mistake: it is copied from the address bar. */
function ruleFor(origin: unknown): string {
  const isUrl = typeof origin === 'string' && URL.canParse(origin) && new URL(origin).origin !== 'null'
  if (!isUrl) return 'origins such as https://dapp.example'
  return `an origin, without a slash or a path at the end: ${new URL(origin).origin}`
}

function readMaxAge(cdn: NonNullable<ProxyOptions['cdn']>): number {
  rejectUnknown('cdn option', cdn, ['maxAgeMs'])
  const { maxAgeMs } = cdn
  if (typeof maxAgeMs === 'number' && maxAgeMs >= 0) return maxAgeMs
  throw invalidOption('cdn.maxAgeMs', maxAgeMs, 'a number of milliseconds, 0 or more')
}
