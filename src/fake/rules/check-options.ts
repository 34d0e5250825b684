import { trimEnd } from '../../utils/runtime.ts'

/**
 * A mistake in what the fake was given: an option, an argument, a fault. Its message names it, and what is allowed there.
 *
 * @example
 * await useFakeService({ after() {} }, { sed: 7 } as object).catch((error: Error) => error.name) // 'FakeUsageError'
 */
export class FakeUsageError extends TypeError {
  /** Name of the class. */
  override readonly name = 'FakeUsageError'
  /** As in the errors of a client. */
  readonly code = 'invalid_option'
}

/** Characters of a value that a message repeats. */
const MAX_SHOWN = 100

/** Rejects unknown option names, and lists the known ones. */
export function checkNames(owner: string, given: object, allowed: readonly string[]): void {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw new FakeUsageError(`${owner} takes an object of options.`)
  const wrong = Object.keys(given).find((name) => !allowed.includes(name))
  if (wrong !== undefined)
    throw new FakeUsageError(
      `${owner} knows no option "${wrong.slice(0, MAX_SHOWN)}". It takes: ${allowed.join(', ')}.`,
    )
}

/** Returns a whole number of 0 or more, or throws. */
export function asCount(name: string, value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value
  throw new FakeUsageError(`${name} is a whole number of 0 or more, not ${show(value)}.`)
}

/** Returns a number within bounds, both included, or throws. */
export function asNumber(name: string, value: unknown, from: number, to: number = Number.MAX_SAFE_INTEGER): number {
  if (typeof value === 'number' && value >= from && value <= to) return value
  throw new FakeUsageError(`${name} is a number from ${from} to ${to}, not ${show(value)}.`)
}

/** Returns one of the allowed values, or throws. */
export function asOneOf<T extends string>(name: string, value: unknown, allowed: readonly T[]): T {
  const found = allowed.find((one) => one === value)
  if (found !== undefined) return found
  throw new FakeUsageError(`${name} is one of ${allowed.join(', ')}, not ${show(value)}.`)
}

/** Returns the base URL without a slash at its end, or throws. */
export function asBaseUrl(name: string, value: unknown): string {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return trimEnd(url.href, '/')
  throw new FakeUsageError(`${name} is an absolute http or https URL, not ${show(value)}.`)
}

/** Throws unless the value is an object with these functions. */
export function checkFunctions(name: string, what: string, value: unknown, functions: readonly string[]): void {
  const found = Object(value) as Record<string, unknown>
  if (functions.every((one) => typeof found[one] === 'function')) return
  throw new FakeUsageError(`${name} is ${what}, not ${show(value)}.`)
}

/** Returns a list, or throws. */
export function asList<T>(name: string, value: readonly T[]): readonly T[] {
  if (Array.isArray(value)) return value
  throw new FakeUsageError(`${name} is a list, not ${show(value)}.`)
}

/** A text for a message, without its rest if it is long. */
export function cut(text: string, max: number = MAX_SHOWN): string {
  return text.length > max ? `${text.slice(0, max)}… (${text.length} characters)` : text
}

/** A value as text for a message. */
export function show(value: unknown): string {
  if (typeof value === 'string') return `"${cut(value)}"`
  // An object without a prototype has no text.
  const isData = typeof value === 'object' && value !== null && !(value instanceof Error)
  return isData ? (Array.isArray(value) ? 'a list' : 'an object') : cut(String(value))
}
