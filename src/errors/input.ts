import { findUnknown } from '../utils/known-options.ts'
import { nearestName } from '../utils/nearest.ts'
import { EtnMarketError } from './base.ts'

/** A parameter or an option was not accepted: by this library before anything was sent, or by the service (400). Never charged. */
export class InvalidRequestError extends EtnMarketError {
  override get name(): string {
    return 'InvalidRequestError'
  }
}

/** A `limit` that is not a whole number from 1 to the route's maximum. Never charged. */
export class InvalidLimitError extends InvalidRequestError {
  override get name(): string {
    return 'InvalidLimitError'
  }
}

export function invalidOption(name: string, value: unknown, rule: string): InvalidRequestError {
  return new InvalidRequestError(`Invalid ${name}: ${show(value)}. It must be ${rule}.`, { code: 'invalid_option' })
}

/** A finite number of milliseconds above 0; throws for anything else. */
export function requireMilliseconds(name: string, value: unknown): number {
  if (typeof value === 'number' && value > 0 && value < Number.POSITIVE_INFINITY) return value
  throw invalidOption(name, value, 'a number of milliseconds above 0')
}

/** A whole number from `least` to `most`; throws for anything else. */
export function requireInteger(
  name: string,
  value: unknown,
  rule = 'a whole number above 0',
  least = 1,
  most = Number.MAX_SAFE_INTEGER,
): number {
  if (Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most) return Number(value)
  throw invalidOption(name, value, rule)
}

/** The length of a window: every option that is one is checked here. */
export function requireWindowMs(name: string, value: unknown): number {
  return requireInteger(name, value, 'a whole number of milliseconds above 0')
}

/** Options and values that are objects may hold secrets, or refuse to become a text. */
function show(value: unknown): string {
  return (typeof value === 'object' && value !== null) || typeof value === 'function'
    ? `a value of type ${typeof value}`
    : String(value)
}

/** Throws unless an object of the caller, such as a store, is left out or has these methods. */
export function checkMethods(name: string, value: unknown, methods: readonly string[], rule: string): void {
  const given = value as Record<string, unknown> | null | undefined
  if (given === undefined || methods.every((method) => typeof given?.[method] === 'function')) return
  throw invalidOption(name, value, rule)
}

/** Throws unless a signal is left out or can be listened to; it may be one of another realm, such as a frame or a test environment. */
export function checkSignal(signal: AbortSignal | undefined): void {
  checkMethods('signal', signal, ['addEventListener', 'removeEventListener'], 'an AbortSignal')
  if (signal !== undefined && typeof signal.aborted !== 'boolean')
    throw invalidOption('signal', signal, 'an AbortSignal')
}

/** Throws unless each callback among options is left out or can be called. */
export function checkCallbacks(options: object): void {
  for (const [name, value] of Object.entries(options))
    if (/^(on[A-Z]|fetch$)/.test(name) && value !== undefined && typeof value !== 'function')
      throw invalidOption(name, value, 'a function')
}

export function checkStore(name: string, store: unknown, ...more: readonly string[]): void {
  const methods = ['get', 'set', ...more]
  checkMethods(name, store, methods, `a store with the methods ${methods.join(', ')}`)
}

/** What every part that waits uses. */
const BASE_GLOBALS = ['AbortController', 'clearTimeout', 'performance.now', 'queueMicrotask', 'setTimeout']

/** Throws where the runtime lacks a global that is used later, by its name: an answer that is paid for must not end in a ReferenceError. */
export function requireGlobals(...more: readonly string[]): void {
  type Members = Readonly<Record<string, unknown>> | undefined
  const find = (name: string) => name.split('.').reduce((found, key) => found?.[key] as Members, globalThis as Members)
  const missing = [...BASE_GLOBALS, ...more].filter((name) => !find(name))
  if (missing.length > 0)
    throw new EtnMarketError(`This runtime has no ${missing.join(', ')}: load a polyfill.`, { code: 'missing_global' })
}

/** Throws for an unknown option: a misspelt one, such as a budget that is none, could cost money. */
export function rejectUnknown(what: string, options: object, known: readonly string[]): void {
  if (typeof options !== 'object' || options === null)
    throw invalidOption(what, options, `an object with ${known.join(', ')}`)
  const unknown = findUnknown(options, known)
  if (unknown === undefined) return
  const meant = nearestName(unknown, known)
  const question = meant === undefined ? '' : ` Did you mean ${meant}?`
  const message = `Unknown ${what} "${unknown}".${question} Known: ${known.join(', ')}.`
  throw new InvalidRequestError(message, { code: 'invalid_option' })
}
