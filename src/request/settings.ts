import { invalidOption, refuseUnknown } from '../errors/input.ts'
import type { CallOptions, ClientOptions, RetryOptions, ValidateMode } from '../options.ts'

/** How one call behaves, every default filled in. */
export interface CallSettings {
  readonly timeoutMs: number
  readonly deadlineMs: number
  readonly retryLimit: number
  readonly maxRetryAfterMs: number
  readonly validate: ValidateMode
  /** Equal for equal settings: calls are shared only with their like. */
  readonly fingerprint: string
}

/** The shortest wait after a refusal that asks for none, so that nothing hammers; the base of the exponential backoff. */
export const LEAST_BACKOFF_MS = 500

export const DEFAULT_BASE_URL = 'https://electroswap.io/public-api/v1'

const DEFAULTS: CallSettings = {
  timeoutMs: 15_000,
  deadlineMs: 60_000,
  retryLimit: 2,
  maxRetryAfterMs: 60_000,
  validate: 'warn',
  fingerprint: '',
}

const OPTIONS_OF_BOTH = ['timeoutMs', 'deadlineMs', 'retry', 'validate']
const MODES: readonly unknown[] = ['strict', 'warn', 'off']

/** The settings of a client. A misspelt option could cost money (a budget that is none), so unknown ones are refused. */
export function clientSettings(options: ClientOptions): CallSettings {
  refuseUnknown('option', options, [
    ...OPTIONS_OF_BOTH,
    'apiKey',
    'baseUrl',
    'fetch',
    'heavyConcurrency',
    'batchConcurrency',
    'budget',
    'cache',
    'onEvent',
    'clock',
  ])
  return merge(options, DEFAULTS)
}

/** The settings of one call on a client; the client's own object when nothing is overridden. */
export function callSettings(options: CallOptions | undefined, client: CallSettings): CallSettings {
  if (options === undefined) return client
  refuseUnknown('call option', options, ['signal', ...OPTIONS_OF_BOTH])
  const { timeoutMs, deadlineMs, retry, validate } = options
  const overridden = [timeoutMs, deadlineMs, retry, validate].some((value) => value !== undefined)
  return overridden ? merge(options, client) : client
}

function merge(options: CallOptions, base: CallSettings): CallSettings {
  const retry: RetryOptions = options.retry === false ? { limit: 0 } : (options.retry ?? {})
  if (typeof retry !== 'object' || retry === null)
    throw invalidOption('retry', retry, 'false or { limit, maxRetryAfterMs }')
  refuseUnknown('retry option', retry, ['limit', 'maxRetryAfterMs'])
  if (options.validate !== undefined && !MODES.includes(options.validate)) {
    throw invalidOption('validate', options.validate, "'strict', 'warn' or 'off'")
  }
  const settings = {
    timeoutMs: duration('timeoutMs', options.timeoutMs, base.timeoutMs),
    deadlineMs: duration('deadlineMs', options.deadlineMs, base.deadlineMs),
    retryLimit: count('retry.limit', retry.limit, base.retryLimit, 0),
    maxRetryAfterMs: wait('retry.maxRetryAfterMs', retry.maxRetryAfterMs, base.maxRetryAfterMs),
    validate: options.validate ?? base.validate,
  }
  return { ...settings, fingerprint: Object.values(settings).join() }
}

function duration(name: string, value: number | undefined, fallback: number): number {
  if (value === undefined) return fallback
  if (typeof value !== 'number' || !(value > 0)) throw invalidOption(name, value, 'a number of milliseconds above 0')
  return value
}

function wait(name: string, value: number | undefined, fallback: number): number {
  if (value === undefined) return fallback
  if (typeof value !== 'number' || !(value >= 0))
    throw invalidOption(name, value, 'a number of milliseconds, 0 or more')
  return value
}

export function count(name: string, value: number | undefined, fallback: number, least: number): number {
  if (value === undefined) return fallback
  if (!Number.isSafeInteger(value) || value < least)
    throw invalidOption(name, value, `a whole number, ${least} or more`)
  return value
}
