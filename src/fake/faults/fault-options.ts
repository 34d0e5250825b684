import { checkValue, FakeUsageError, show } from '../rules/check.ts'
import { MAX_TIME_MS, MAX_WAIT_MS } from '../rules/clock.ts'
import type { JournalEntry } from '../rules/journal.ts'
import type { FakeOperation } from '../rules/routes.ts'
import * as is from '../rules/schema.ts'
import { EXCLUSIVE, type FakeFront, fakeFronts } from './effects.ts'

/** A request as a fault's `when` sees it. */
export interface FakeRequest extends Pick<JournalEntry, 'method' | 'url' | 'path' | 'query'> {
  /** The operation that the path names. */
  operation: FakeOperation
  /** Request headers. */
  headers: Headers
  /** The key of the request; `null` without one. */
  key: string | null
}

/** Selects the requests of a fault. Without a field, all values match. */
export interface FaultMatch {
  /** Only requests of this operation, or of one of these. */
  operation?: FakeOperation | readonly FakeOperation[] | undefined
  /** Only requests with this key. */
  key?: string | undefined
  /** Only requests for which it returns `true`. */
  when?: ((request: FakeRequest) => boolean | Promise<boolean>) | undefined
  /** Only the nth request that matches otherwise, counted from 1 since the fault was added. */
  nth?: number | readonly number[] | undefined
  /** Number of requests it hits. @default 1; with `nth`, the length of its list; with `probability`, `Infinity` */
  times?: number | undefined
  /** Probability that a matching request is hit, 0 to 1, drawn from the seed. @default 1 */
  probability?: number | undefined
}

/** The effects of a fault. Effects that do not exclude each other can be combined. */
export interface FaultEffects {
  /** Answer with this status instead of executing the call. Not charged, unless `charge` is `true`: then the real answer got lost. */
  status?: number | undefined
  /** Error code of the envelope. @default the service's code for that status */
  code?: string | undefined
  /** Message of the envelope. */
  message?: string | undefined
  /** The whole body instead of the envelope; with `status`. */
  body?: unknown
  /** Headers to set on the answer; a list makes several lines. */
  headers?: Readonly<Record<string, string | readonly string[]>> | undefined
  /**
   * `Retry-After`: a number of seconds, raw text, several lines for a list, `{ inMs }` for an HTTP-date, `false` for none.
   * @default 1 for a 429 and for a 503 `server_busy`, else none
   */
  retryAfter?:
    | number
    | string
    | readonly string[]
    | {
        /** Milliseconds from the time of the fake. */
        inMs: number
      }
    | false
    | undefined
  /** Delay of the answer in milliseconds, after the charge. */
  delayMs?: number | undefined
  /** No answer, after the charge, until the caller gives up. */
  never?: true | undefined
  /** The connection breaks before the call is executed, or after the charge. */
  reset?: 'before' | 'after' | undefined
  /** The body ends early: after this number of bytes, or below 1 after that fraction of it. */
  truncate?: number | undefined
  /** The body stops after this number of bytes, and the connection stays open. */
  stall?: number | undefined
  /** The body is not JSON. */
  malformed?: true | undefined
  /**
   * The answer is lost after the charge, and this front answers in its place. {@link fakeFronts} lists what each answers. With
   * `charge: false` the front refuses the call before it forwards it, so that it is not executed.
   */
  front?: FakeFront | undefined
  /** Credit headers missing, sent twice, or with these raw values. */
  creditHeaders?:
    | 'missing'
    | 'duplicate'
    | {
        /** Raw `X-Credits-Cost`. */
        cost?: string | number | undefined
        /** Raw `X-Credits-Remaining`. */
        remaining?: string | number | undefined
      }
    | undefined
  /** `Date` header: raw text, unix milliseconds, or the right one plus `skewMs`. */
  date?:
    | string
    | number
    | {
        /** Milliseconds to add to the time of the fake. */
        skewMs: number
      }
    | undefined
  /** Changes the body: receives the envelope and returns the one to send. */
  transform?: ((body: unknown) => unknown) | undefined
  /** Whether the call is charged, for faults that do not determine it. */
  charge?: boolean | undefined
}

/**
 * Options of `fake.fault`.
 *
 * @example
 * fake.fault({ operation: 'locks.get', status: 503, retryAfter: 5 })
 * fake.fault({ operation: ['token.price', 'prices.batch'], reset: 'after', nth: [1, 3] }) // charged, and lost
 * fake.fault({ operation: 'farm.list', front: 'varnish' }) // charged, and answered with 503 in HTML
 * fake.fault({ probability: 0.01, delayMs: 2_000 })
 * fake.fault({ when: ({ query }) => query.limit === '100', transform: (body) => ({ ...Object(body), data: [] }) })
 */
export type FaultOptions = FaultMatch & FaultEffects

/** A step of a script: the effects on one call, or none. */
export type ScriptStep = FaultEffects | 'ok'

/** Selects the requests of a script, beside its operation. */
export type ScriptOptions = Pick<FaultMatch, 'key' | 'when'>

/** A fault that was added. */
export interface FaultHandle {
  /** Number of the fault, in the order in which faults were added. */
  readonly id: number
  /** A short description. */
  readonly label: string
  /** Number of requests it hit so far. */
  readonly hits: number
  /** Removes the fault. */
  remove(): void
}

const headerValue: is.Schema = {
  type: 'string',
  pattern: '^[\\t\\x20-\\x7e\\x80-\\xff]*$',
  description: 'a header value (text without line breaks)',
}
const headerOrNumber: is.Schema = { anyOf: [headerValue, is.number] }
const milliseconds = is.between(-MAX_TIME_MS, MAX_TIME_MS)

/** The effects of a fault that JSON can hold. */
export const EFFECTS: Record<string, is.Schema> = {
  status: { type: 'integer', minimum: 200, maximum: 599, description: 'Answer with this status; not charged.' },
  code: is.text,
  message: is.text,
  body: { description: 'The whole body instead of the envelope; any JSON.' },
  headers: is.mapOf(is.oneOrMore(headerValue)),
  retryAfter: {
    description: 'Seconds, raw text, several lines, a date in some milliseconds, or false for none.',
    anyOf: [is.numberFrom0, is.oneOrMore(headerValue), is.record({ inMs: milliseconds }), is.only(false)],
  },
  delayMs: is.between(0, MAX_WAIT_MS),
  never: is.only(true),
  reset: is.only('before', 'after'),
  truncate: {
    description: 'Bytes of the body, or below 1 a part of it.',
    anyOf: [is.between(0, 1), is.numberFrom1],
  },
  stall: is.count,
  malformed: is.only(true),
  front: {
    ...is.only(...Object.keys(fakeFronts)),
    description: 'The answer is lost, and this front answers in its place; charged.',
  },
  creditHeaders: {
    anyOf: [is.only('missing', 'duplicate'), is.object({ cost: headerOrNumber, remaining: headerOrNumber })],
  },
  date: {
    description: 'Raw text, unix milliseconds, or the right one and some milliseconds.',
    anyOf: [headerValue, milliseconds, is.record({ skewMs: milliseconds })],
  },
  charge: is.flag,
}

/** What selects the requests of a fault, as JSON. */
export const MATCH: Record<string, is.Schema> = {
  operation: is.oneOrMore(is.operation),
  key: is.text,
  nth: is.oneOrMore(is.numberFrom1),
  times: { description: 'Hits; "Infinity" for no end.', anyOf: [is.numberFrom1, is.only('Infinity')] },
  probability: is.between(0, 1),
}

// What JSON cannot hold: functions, and numbers without an end.
const ALL_EFFECTS = { ...EFFECTS, transform: is.anyFunction }
const ALL_MATCHES = {
  ...MATCH,
  when: is.anyFunction,
  times: { anyOf: [is.numberFrom1, { enum: [Number.POSITIVE_INFINITY] }] },
}
const FAULT = is.object({ ...ALL_MATCHES, ...ALL_EFFECTS })
const STEPS: is.Schema = { ...is.listOf({ anyOf: [is.only('ok'), is.object(ALL_EFFECTS)] }), minItems: 1 }

/** Throws an error that lists the allowed values, so that a mistaken fault does not look like one without a hit. */
export function checkFault(options: FaultOptions): void {
  checkValue('fault', FAULT, options)
  checkEffects(options)
}

/** The same for the steps of a script. */
export function checkScript(operation: unknown, steps: readonly ScriptStep[], options: ScriptOptions): void {
  checkValue('operation', is.operation, operation)
  checkValue('script', is.object({ key: is.text, when: is.anyFunction }), options)
  checkValue('steps', STEPS, steps)
  for (const step of steps) if (step !== 'ok') checkEffects(step)
}

/** What a schema cannot say. */
function checkEffects(effects: FaultEffects): void {
  const names = Object.keys(ALL_EFFECTS) as (keyof FaultEffects)[]
  if (!names.some((name) => name !== 'charge' && effects[name] !== undefined))
    throw new FakeUsageError(`A fault needs an effect: one or more of ${names.join(', ')}.`)
  for (const [one, other, reason] of EXCLUSIVE) {
    const first = one.find((name) => effects[name] !== undefined)
    const second = other.find((name) => name !== first && effects[name] !== undefined)
    if (first && second) throw new FakeUsageError(`${first} and ${second} exclude each other: ${reason}.`)
  }
  for (const name of ['code', 'message', 'body'] as const) {
    if (effects[name] !== undefined && effects.status === undefined)
      throw new FakeUsageError(`${name} goes with a status.`)
  }
  if (effects.body !== undefined && (effects.code !== undefined || effects.message !== undefined))
    throw new FakeUsageError('body replaces the whole envelope: leave out code and message, or put them into it.')
  const { headers = {} } = effects
  // A wrong header breaks the connection before the caller sees the answer.
  for (const name of Object.keys(headers)) {
    if (!/^[!#$%&'*+.^_`|~\dA-Za-z-]+$/.test(name))
      throw new FakeUsageError(`headers: ${show(name)} is not a header name.`)
    if (/^(content-length|transfer-encoding)$/i.test(name))
      throw new FakeUsageError(`headers: ${name} belongs to the transport. To cut the body short, use truncate.`)
  }
  if ('body' in effects) checkBody(effects.body)
}

function checkBody(body: unknown): void {
  try {
    if (JSON.stringify(body) !== undefined) return
  } catch (error) {
    throw new FakeUsageError(`body is JSON: ${show(error)}`, { cause: error })
  }
  throw new FakeUsageError(`body is JSON, not ${show(body)}.`)
}
