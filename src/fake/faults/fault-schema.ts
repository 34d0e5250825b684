import type { Schema } from '../rules/check-schema.ts'
import { MAX_TIME_MS, MAX_WAIT_MS } from '../rules/clock.ts'
import { count, flag, number, numberFrom1, object, oneOrMore, only, operation, text } from '../rules/schemas.ts'

const headerValue: Schema = {
  type: 'string',
  pattern: '^[\\t\\x20-\\x7e\\x80-\\xff]*$',
  description: 'a header value (text without line breaks)',
}
const headerOrNumber: Schema = { anyOf: [headerValue, number] }
const milliseconds: Schema = { type: 'number', minimum: -MAX_TIME_MS, maximum: MAX_TIME_MS }

/** The effects of a fault that JSON can hold. */
export const EFFECTS: Record<string, Schema> = {
  status: { type: 'integer', minimum: 200, maximum: 599, description: 'Answer with this status; not charged.' },
  code: text,
  message: text,
  body: { description: 'The whole body instead of the envelope; any JSON.' },
  headers: { type: 'object', additionalProperties: oneOrMore(headerValue) },
  retryAfter: {
    description: 'Seconds, raw text, several lines, a date in some milliseconds, or false for none.',
    anyOf: [
      { type: 'number', minimum: 0 },
      oneOrMore(headerValue),
      object({ inMs: milliseconds }, ['inMs']),
      only(false),
    ],
  },
  delayMs: { type: 'number', minimum: 0, maximum: MAX_WAIT_MS },
  never: only(true),
  reset: only('before', 'after'),
  truncate: {
    description: 'Bytes of the body, or below 1 a part of it.',
    anyOf: [{ type: 'number', minimum: 0, maximum: 1 }, numberFrom1],
  },
  stall: count,
  malformed: only(true),
  html: { type: 'integer', minimum: 200, maximum: 599 },
  creditHeaders: { anyOf: [only('missing', 'duplicate'), object({ cost: headerOrNumber, remaining: headerOrNumber })] },
  date: {
    description: 'Raw text, unix milliseconds, or the right one and some milliseconds.',
    anyOf: [headerValue, milliseconds, object({ skewMs: milliseconds }, ['skewMs'])],
  },
  charge: flag,
}

/** What selects the requests of a fault, as JSON. */
export const MATCH: Record<string, Schema> = {
  operation: oneOrMore(operation),
  key: text,
  nth: oneOrMore(numberFrom1),
  times: { description: 'Hits; "Infinity" for no end.', anyOf: [numberFrom1, only('Infinity')] },
  probability: { type: 'number', minimum: 0, maximum: 1 },
}
