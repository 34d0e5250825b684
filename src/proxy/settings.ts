import { type ClientInternals, internalsOf } from '../client-internals.ts'
import { type Clock, systemClock } from '../concurrency/clock.ts'
import { type Budget, createBudget } from '../credits/budget.ts'
import { invalidOption, rejectUnknown } from '../errors/input.ts'
import type { OperationId } from '../generated/operations.ts'
import { isArray } from '../operations/type-guards.ts'
import { trimEnd } from '../utils/trim-end.ts'
import { type Rule, readRules } from './rules.ts'
import { readStreamSettings, type StreamSettings } from './stream/stream-settings.ts'
import type { ProxyCorsOptions, ProxyOptions } from './types.ts'

/** The options of a proxy, checked, with every default filled in. */
export interface ProxySettings {
  readonly client: ClientInternals
  readonly clock: Clock
  readonly basePath: string
  readonly rules: ReadonlyMap<OperationId, Rule>
  readonly visitor: ProxyOptions['visitor']
  readonly perVisitor: ProxyOptions['perVisitor']
  readonly budget: Budget
  readonly cors: ProxyCorsOptions
  readonly cdnMaxAgeMs: number
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
    feed,
    stream,
  } = options
  const internals = typeof client === 'object' && client !== null ? internalsOf(client) : undefined
  if (internals === undefined) throw invalidOption('client', client, 'a client made by createClient')
  if (visitor !== undefined && typeof visitor !== 'function') throw invalidOption('visitor', visitor, 'a function')
  if (perVisitor !== undefined) checkPerVisitor(perVisitor, clock)
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
    stream: feed && readStreamSettings(feed, stream),
  }
}

function readBasePath(path: unknown): string {
  const isPath = typeof path === 'string' && (path === '' || /^\/[\w\-.~/]*$/.test(path))
  if (!isPath || new URL(path, 'http://proxy').pathname !== (path || '/'))
    throw invalidOption('basePath', path, 'a path such as /api/market')
  return trimEnd(path, '/')
}

function checkPerVisitor(perVisitor: NonNullable<ProxyOptions['perVisitor']>, clock: Clock): void {
  rejectUnknown('perVisitor option', perVisitor, ['credits', 'windowMs'])
  const { windowMs } = perVisitor
  if (!(typeof windowMs === 'number' && windowMs > 0 && windowMs < Number.POSITIVE_INFINITY))
    throw invalidOption('perVisitor.windowMs', windowMs, 'a length in milliseconds above 0')
  createBudget(perVisitor, clock)
}

function readBudget(budget: ProxyOptions['budget'], clock: Clock): Budget {
  if (budget === undefined) return createBudget({ credits: Number.POSITIVE_INFINITY }, clock)
  if (typeof budget !== 'object' || budget === null)
    throw invalidOption('budget', budget, '{ credits, windowMs } or a budget of createBudget')
  return 'reserve' in budget ? budget : createBudget(budget, clock)
}

function checkCors(cors: ProxyCorsOptions): void {
  rejectUnknown('cors option', cors, ['origins', 'credentials'])
  const { origins, credentials } = cors
  const isOrigin = (origin: unknown) => typeof origin === 'string' && URL.canParse(origin) && isExact(origin)
  if (!isArray(origins) || !origins.every(isOrigin))
    throw invalidOption('cors.origins', origins, 'a list of origins such as https://dapp.example')
  if (credentials !== undefined && typeof credentials !== 'boolean')
    throw invalidOption('cors.credentials', credentials, 'true or false')
}

/** A path, or a scheme whose pages all have the origin "null", would never match, or match too much. */
const isExact = (origin: string) => new URL(origin).origin === origin.toLowerCase() && new URL(origin).origin !== 'null'

function readMaxAge(cdn: NonNullable<ProxyOptions['cdn']>): number {
  rejectUnknown('cdn option', cdn, ['maxAgeMs'])
  const { maxAgeMs } = cdn
  if (typeof maxAgeMs === 'number' && maxAgeMs >= 0) return maxAgeMs
  throw invalidOption('cdn.maxAgeMs', maxAgeMs, 'a number of milliseconds, 0 or more')
}
