import { isAddress, looksLikeAddress } from '../../utils/address.ts'
import { isError, parseUrl, trimEnd } from '../../utils/runtime.ts'
import { OPERATION, type Schema } from './schema.ts'

// What the fake is given (options, arguments, faults, bodies of control routes) is checked with JSON schemas: here, once.
// The OpenAPI document of the control routes shows the same schemas, and data of a stub is checked with those of the contract.

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

interface CheckContext {
  /** What an empty path stands for in a message. */
  owner?: string
  /** Finds the schema that a `$ref` names. @default the only one that options refer to */
  resolve?(reference: string): Schema
}

/** The first mismatch of a value with a schema, in words that start with its path; `undefined` if it matches. */
export function findMismatch(
  path: string,
  schema: Schema,
  value: unknown,
  context: CheckContext = {},
): string | undefined {
  const { $ref, type, anyOf, items, minItems = 0 } = schema
  const next = (name: string, given: Schema, item: unknown) => findMismatch(name, given, item, context)
  const wrong = (allowed: string) => `${path} is ${schema.title ?? allowed}, not ${show(value)}.`
  if ($ref !== undefined) return next(path, context.resolve?.($ref) ?? OPERATION, value)
  if (schema.enum && !schema.enum.includes(value))
    return wrong(`${schema.enum.length > 1 ? 'one of ' : ''}${schema.enum.join(', ')}`)
  if (type !== undefined && ![type].flat().some((one) => isOfType(one, value))) return wrong(typeOf(schema))
  if (anyOf) {
    const mismatches = anyOf.map((one) => next(path, one, value))
    return mismatches.includes(undefined) ? undefined : mismatchOfAll(path, value, mismatches as string[])
  }
  if (typeof value === 'number') {
    const { minimum = value, maximum = value, multipleOf } = schema
    if (value < minimum || value > maximum) return wrong(typeOf(schema))
    return multipleOf !== undefined && value % multipleOf !== 0 ? wrong('a whole number') : undefined
  }
  if (typeof value === 'string') {
    const allowed = rejectText(schema, value)
    return allowed === undefined ? undefined : wrong(allowed)
  }
  if (Array.isArray(value)) {
    if (value.length < minItems) return `${path} has at least ${minItems} items.`
    return items && first(value.entries(), ([i, item]) => next(`${path}[${i}]`, items, item))
  }
  return isOfType('object', value) ? findMismatchInside(path, schema, value as object, context) : undefined
}

function findMismatchInside(path: string, schema: Schema, value: object, context: CheckContext): string | undefined {
  const { required = [], properties = {}, additionalProperties } = schema
  const join = (name: string) => (path === '' ? cut(name) : `${path}.${cut(name)}`)
  const missing = required.find((name) => !Object.hasOwn(value, name))
  if (missing !== undefined) return `${join(missing)} is missing.`
  return first(Object.entries(value), ([name, item]) => {
    const isKnown = Object.hasOwn(properties, name)
    const own = isKnown ? properties[name] : additionalProperties
    if (own === false) {
      const owner = path === '' ? (context.owner ?? 'The request') : path
      return `${owner} knows no option ${show(name)}. It takes: ${Object.keys(properties).join(', ') || 'none'}.`
    }
    const isLeftOut = isKnown && item === undefined && !required.includes(name)
    return typeof own === 'object' && !isLeftOut ? findMismatch(join(name), own, item, context) : undefined
  })
}

function first<T>(all: Iterable<T>, check: (one: T) => string | undefined): string | undefined {
  for (const one of all) {
    const mismatch = check(one)
    if (mismatch !== undefined) return mismatch
  }
  return undefined
}

/** Of several forms, the mismatch that lies deepest belongs to the form that was meant. */
function mismatchOfAll(path: string, value: unknown, mismatches: readonly string[]): string {
  const [start, end] = [`${path} is `, `, not ${show(value)}.`]
  const deeper = mismatches.find((one) => !one.startsWith(start))
  return deeper ?? start + mismatches.map((one) => one.slice(start.length, -end.length)).join(', or ') + end
}

function isOfType(type: string, value: unknown): boolean {
  if (type === 'null') return value === null
  if (type === 'array') return Array.isArray(value)
  if (type === 'integer') return Number.isSafeInteger(value)
  if (type === 'number') return Number.isFinite(value)
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value)
  return typeof value === type
}

const WORDS: Record<string, string> = {
  string: 'a text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
  function: 'a function',
}

/** The types of a schema in words, with the bounds of a number. */
function typeOf({ type = 'number', minimum, maximum }: Schema): string {
  const words = [type].flat().map((one) => WORDS[one] ?? one)
  const upTo = maximum === undefined ? '' : ` to ${maximum}`
  const bounds = minimum === undefined ? upTo : upTo === '' ? ` of ${minimum} or more` : ` from ${minimum}${upTo}`
  return words.join(' or ') + bounds
}

const FORMATS: Record<string, (text: string) => boolean> = {
  address: looksLikeAddress,
  checksum: isAddress,
  url: (text) => /^https?:$/.test(parseUrl(text)?.protocol ?? ''),
}

/** What a text should be, in words, if it is something else. */
function rejectText({ format = '', pattern, minLength = 0, description }: Schema, text: string): string | undefined {
  if (text.length < minLength) return WORDS.string
  const isInPattern = pattern === undefined || new RegExp(pattern).test(text)
  if (isInPattern && FORMATS[format]?.(text) !== false) return undefined
  if (format !== '') return format === 'address' ? 'an address' : `a ${format}`
  return description ?? `a text that matches ${pattern}`
}

/** The options without those that are undefined, which is as if they were left out. */
export const given = <Options extends object>(options: Options): Options =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Options

/** Throws an error that names the path and what is allowed. The schema refers to no other but `operation`. */
export function checkValue(path: string, schema: Schema, value: unknown, owner?: string): void {
  const mismatch = findMismatch(path, schema, value, owner === undefined ? {} : { owner })
  if (mismatch !== undefined) throw new FakeUsageError(mismatch)
}

/** The same for the options of a function, which a message names as their owner. */
export function checkOptions(owner: string, schema: Schema, value: unknown, path = ''): void {
  if (!isOfType('object', value)) throw new FakeUsageError(`${owner} takes an object of options.`)
  checkValue(path, schema, value, owner)
}

export function checkFunctions(name: string, what: string, value: unknown, functions: readonly string[]): void {
  const found = Object(value) as Record<string, unknown>
  if (functions.every((one) => typeof found[one] === 'function')) return
  throw new FakeUsageError(`${name} is ${what}, not ${show(value)}.`)
}

/** Returns a base URL without a slash at its end, or throws. */
export function readBaseUrl(value: unknown): string {
  checkValue('baseUrl', { type: 'string', format: 'url', title: 'an absolute http or https URL' }, value)
  return trimEnd(new URL(String(value)).href, '/')
}

/** Characters of a value that a message repeats. */
const MAX_SHOWN = 100

/** A text for a message, without its rest if it is long. */
export function cut(text: string, max: number = MAX_SHOWN): string {
  return text.length > max ? `${text.slice(0, max)}… (${text.length} characters)` : text
}

/** A value as text for a message. */
export function show(value: unknown): string {
  if (typeof value === 'string') return `"${cut(value)}"`
  // An object without a prototype has no text.
  const isData = typeof value === 'object' && value !== null && !isError(value)
  return isData ? (Array.isArray(value) ? 'a list' : 'an object') : cut(String(value))
}
