import type { CallOptions, ClientOptions, RetryOptions, ValidateMode, WhenAborted } from '../client/options.ts'
import type { CallName } from '../errors/base.ts'
import {
  checkMethods,
  checkSignal,
  InvalidRequestError,
  invalidOption,
  rejectUnknown,
  requireInteger,
} from '../errors/input.ts'
import { fleetInternalsOf } from '../fleet/fleet.ts'
import { readHeaders } from '../transport/request-headers.ts'
import { checkCache } from './cache.ts'

/** How one call behaves, every default filled in. */
export interface CallSettings {
  readonly timeoutMs: number
  readonly deadlineMs: number
  readonly retryLimit: number
  readonly maxRetryAfterMs: number
  readonly validate: ValidateMode
  readonly whenAborted: WhenAborted
  readonly headers: Readonly<Record<string, string>> | undefined
  readonly isReload: boolean
  /** Equal for equal settings: only calls with equal settings share a request. */
  readonly fingerprint: string
}

type SettingName = 'timeoutMs' | 'deadlineMs' | 'retry' | 'validate' | 'whenAborted'

const DEFAULTS: CallSettings = {
  timeoutMs: 15_000,
  deadlineMs: 60_000,
  retryLimit: 2,
  maxRetryAfterMs: 60_000,
  validate: 'warn',
  whenAborted: 'cancel',
  headers: undefined,
  isReload: false,
  fingerprint: '',
}

const OPTIONS_OF_BOTH = ['timeoutMs', 'deadlineMs', 'retry', 'validate', 'whenAborted']
/** What every call takes, beside `signal`. */
export const CALL_OPTIONS: readonly string[] = [...OPTIONS_OF_BOTH, 'headers', 'cache']
/** What single operations take beside it. */
const OWN_OPTIONS: { readonly [Name in CallName]?: readonly string[] } = {
  'prices.batch': ['partial'],
  request: ['query', 'maxCredits'],
}
const MODES: readonly unknown[] = ['strict', 'warn', 'off']

/** The settings of a client. Unknown options are rejected, because a misspelt one could cost money. */
export function clientSettings(options: ClientOptions): CallSettings {
  rejectUnknown('option', options, [
    ...OPTIONS_OF_BOTH,
    'apiKey',
    'baseUrl',
    'fetch',
    'hooks',
    'headers',
    'transport',
    'heavyConcurrency',
    'batchConcurrency',
    'maxResponseBytes',
    'budget',
    'fleet',
    'cache',
    'onEvent',
    'logLevel',
    'logger',
    'clock',
  ])
  checkParts(options)
  return merge(options, DEFAULTS)
}

/** The options that are objects or functions, which the parts of a client use without another look. */
function checkParts({ budget, heavyConcurrency, fleet, cache, onEvent, clock, ...http }: ClientOptions): void {
  checkTransport(http)
  if (fleet !== undefined && fleetInternalsOf(fleet) === undefined)
    throw invalidOption('fleet', fleet, 'a fleet of createRedisFleet')
  if (fleet !== undefined && (budget !== undefined || heavyConcurrency !== undefined)) {
    const message =
      'A fleet has a budget and heavyConcurrency of its own: give these to createRedisFleet, not to the client.'
    throw new InvalidRequestError(message, { code: 'invalid_option' })
  }
  if (budget !== undefined && (typeof budget !== 'object' || budget === null))
    throw invalidOption('budget', budget, '{ credits, windowMs } or a budget of createBudget')
  if (cache !== undefined) checkCache(cache)
  if (onEvent !== undefined && typeof onEvent !== 'function') throw invalidOption('onEvent', onEvent, 'a function')
  const methods = ['now', 'monotonic', 'sleep', 'random']
  checkMethods('clock', clock, methods, 'a clock with the methods now, monotonic, sleep and random')
}

function checkTransport({ transport, fetch, hooks }: ClientOptions): void {
  if (fetch !== undefined && typeof fetch !== 'function') throw invalidOption('fetch', typeof fetch, 'a function')
  if (hooks !== undefined) {
    rejectUnknown('hook', hooks, ['beforeRequest', 'afterResponse'])
    for (const [name, list] of Object.entries(hooks)) {
      const isList = Array.isArray(list) && list.every((hook) => typeof hook === 'function')
      if (list !== undefined && !isList) throw invalidOption(`hooks.${name}`, typeof list, 'an array of functions')
    }
  }
  if (transport === undefined) return
  if (typeof transport?.send !== 'function')
    throw invalidOption('transport', typeof transport, 'an object with send(attempt), such as createNodeTransport()')
  for (const [name, option] of Object.entries({ fetch, hooks })) {
    if (option !== undefined)
      throw invalidOption(name, 'given with transport', 'left out then: a transport uses neither fetch nor hooks')
  }
}

/** The settings of one call on a client; the client's own object when nothing is overridden. */
export function callSettings(options: CallOptions, client: CallSettings, operation: CallName): CallSettings {
  rejectUnknown('call option', options, ['signal', ...CALL_OPTIONS, ...(OWN_OPTIONS[operation] ?? [])])
  checkSignal(options.signal)
  const { timeoutMs, deadlineMs, retry, validate, whenAborted, headers, cache } = options
  const overridden = [timeoutMs, deadlineMs, retry, validate, whenAborted].some((value) => value !== undefined)
  const settings = overridden ? merge(options, client) : client
  if (headers === undefined && cache === undefined) return settings
  if (cache !== undefined && cache !== 'default' && cache !== 'reload')
    throw invalidOption('cache', cache, "'default' or 'reload'")
  const own = readHeaders(headers)
  const fingerprint = [settings.fingerprint, ...Object.entries(own)].join('\n')
  return { ...settings, headers: own, isReload: cache === 'reload', fingerprint }
}

function merge(options: Pick<CallOptions, SettingName>, base: CallSettings): CallSettings {
  const { retry: given = {} } = options
  const retry: RetryOptions = given === false ? { limit: 0 } : given
  if (typeof retry !== 'object' || retry === null)
    throw invalidOption('retry', retry, 'false or { limit, maxRetryAfterMs }')
  rejectUnknown('retry option', retry, ['limit', 'maxRetryAfterMs'])
  if (options.validate !== undefined && !MODES.includes(options.validate)) {
    throw invalidOption('validate', options.validate, "'strict', 'warn' or 'off'")
  }
  const { whenAborted = base.whenAborted } = options
  if (whenAborted !== 'cancel' && whenAborted !== 'finish')
    throw invalidOption('whenAborted', whenAborted, "'cancel' or 'finish'")
  const shared = {
    timeoutMs: duration('timeoutMs', options.timeoutMs, base.timeoutMs),
    deadlineMs: duration('deadlineMs', options.deadlineMs, base.deadlineMs),
    retryLimit: count('retry.limit', retry.limit, base.retryLimit, 0),
    maxRetryAfterMs: duration('retry.maxRetryAfterMs', retry.maxRetryAfterMs, base.maxRetryAfterMs, true),
    validate: options.validate ?? base.validate,
  }
  // The last caller to leave decides: calls that differ in this alone share a request.
  return { ...base, ...shared, whenAborted, fingerprint: Object.values(shared).join() }
}

function duration(name: string, value: number | undefined, fallback: number, mayBeZero = false): number {
  if (value === undefined) return fallback
  if (typeof value !== 'number' || !(value > 0 || (mayBeZero && value === 0)))
    throw invalidOption(name, value, `a number of milliseconds${mayBeZero ? ', 0 or more' : ' above 0'}`)
  return value
}

export function count(name: string, value: number | undefined, fallback: number, least: number): number {
  return value === undefined ? fallback : requireInteger(name, value, `a whole number, ${least} or more`, least)
}
