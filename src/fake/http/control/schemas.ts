import type { Schema } from '../../rules/check-schema.ts'
import { MAX_WAIT_MS } from '../../rules/clock.ts'
import { fakeOperations } from '../../rules/routes.ts'

// What the control routes accept and answer: requests are checked with these schemas, and the OpenAPI document shows them.

export const text: Schema = { type: 'string' }
export const flag: Schema = { type: 'boolean' }
export const count: Schema = { type: 'integer', minimum: 0 }
export const numberFrom1: Schema = { type: 'integer', minimum: 1 }
export const address: Schema = { type: 'string', format: 'address' }
/** A decimal as text, or a number. */
export const amount: Schema = { type: ['string', 'number'] }
const number: Schema = { type: 'number' }
const texts: Schema = { type: 'array', items: text, minItems: 1 }
const textOrTexts: Schema = { anyOf: [text, texts] }
const only = (...values: (string | boolean)[]): Schema => ({ type: typeof values[0], enum: values })
const orNull = (type: string): Schema => ({ type: [type, 'null'] })

export const ref = (name: keyof typeof COMPONENTS): Schema => ({ $ref: `#/components/schemas/${name}` })
const refTo = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` })

/** An object with these fields and no others. */
export function object(properties: Record<string, Schema>, required: readonly string[] = []): Schema {
  return { type: 'object', properties, additionalProperties: false, ...(required.length > 0 ? { required } : {}) }
}

/** An object in an answer: all its fields are there. */
export function answer(properties: Record<string, Schema>, optional: readonly string[] = []): Schema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name))
  return { type: 'object', properties, required }
}

const EFFECTS: Record<string, Schema> = {
  status: { type: 'integer', minimum: 200, maximum: 599, description: 'Answer with this status; not charged.' },
  code: text,
  message: text,
  body: { description: 'The whole body instead of the envelope; any JSON.' },
  headers: { type: 'object', additionalProperties: textOrTexts },
  retryAfter: {
    description: 'Seconds, raw text, several lines, a date in some milliseconds, or false for none.',
    anyOf: [{ type: 'number', minimum: 0 }, text, texts, object({ inMs: number }, ['inMs']), only(false)],
  },
  delayMs: { type: 'number', minimum: 0, maximum: MAX_WAIT_MS },
  never: only(true),
  reset: only('before', 'after'),
  truncate: { type: 'number', minimum: 0, description: 'Bytes of the body, or below 1 a part of it.' },
  stall: count,
  malformed: only(true),
  html: { type: 'integer', minimum: 200, maximum: 599 },
  creditHeaders: {
    anyOf: [only('missing', 'duplicate'), object({ cost: amount, remaining: amount })],
  },
  date: {
    description: 'Raw text, unix milliseconds, or the right one and some milliseconds.',
    anyOf: [text, number, object({ skewMs: number }, ['skewMs'])],
  },
  charge: flag,
}

const MATCH: Record<string, Schema> = {
  operation: { anyOf: [refTo('Operation'), { type: 'array', items: refTo('Operation'), minItems: 1 }] },
  key: text,
  nth: { anyOf: [numberFrom1, { type: 'array', items: numberFrom1, minItems: 1 }] },
  times: { description: 'Hits; "Infinity" for no end.', anyOf: [numberFrom1, only('Infinity')] },
  probability: { type: 'number', minimum: 0, maximum: 1 },
}

export const COMPONENTS = {
  Operation: { type: 'string', enum: fakeOperations },
  Fault: object({ ...MATCH, ...EFFECTS }),
  Effects: object(EFFECTS),
  FaultHandle: answer({ id: count, label: text, hits: count }),
  Expected: {
    description: 'A total, or an amount for each operation; `unknown` are requests without a route.',
    anyOf: [
      count,
      object(
        Object.fromEntries([...fakeOperations, 'unknown'].map((operation): [string, Schema] => [operation, count])),
      ),
    ],
  },
  KeyState: answer({ credits: count, tier: text }),
  Keys: { type: 'object', additionalProperties: refTo('KeyState') },
  NewKeys: {
    type: 'object',
    additionalProperties: { anyOf: [count, object({ credits: count, tier: text }, ['credits'])] },
  },
  Candle: object({ time: count, open: number, high: number, low: number, close: number, volume: number, count }, [
    'time',
    'open',
    'high',
    'low',
    'close',
    'volume',
    'count',
  ]),
  Charge: answer({
    key: text,
    operation: refTo('Operation'),
    items: count,
    credits: count,
    delivered: flag,
    at: number,
    request: count,
  }),
  JournalEntry: answer(
    {
      id: count,
      at: number,
      method: text,
      url: text,
      path: text,
      query: { type: 'object', additionalProperties: text },
      operation: { anyOf: [refTo('Operation'), { type: 'null' }] },
      key: orNull('string'),
      attempt: count,
      inFlight: count,
      heavyInFlight: count,
      status: orNull('integer'),
      code: orNull('string'),
      fault: orNull('string'),
      credits: count,
      delivered: flag,
      finished: flag,
      headers: { type: 'object', additionalProperties: text },
    },
    ['headers'],
  ),
  Version: answer({ version: count }),
  Time: answer({ now: number }),
  Ok: answer({ ok: flag }),
  Id: answer({ id: count }),
  Removed: answer({ removed: count }),
  Error: answer({ error: answer({ code: text, message: text }) }),
} satisfies Record<string, Schema>

/** The schema that a reference names. */
export function resolveComponent(reference: string): unknown {
  return COMPONENTS[reference.slice('#/components/schemas/'.length) as keyof typeof COMPONENTS]
}
