import { EFFECTS, MATCH } from '../../faults/fault-schema.ts'
import { KEYS } from '../../rules/accounts.ts'
import type { Schema } from '../../rules/check-schema.ts'
import { EXPECTED } from '../../rules/expect.ts'
import { count, flag, number, OPERATION, object, operation, refTo, text } from '../../rules/schemas.ts'

// What the control routes accept and answer: requests are checked with these schemas, and the OpenAPI document shows them.

const orNull = (type: string): Schema => ({ type: [type, 'null'] })

/** The fields of a command that takes none. */
export const NOTHING = object({})

/** A reference to a component. */
export const ref = (name: keyof typeof COMPONENTS): Schema => refTo(name)

/** An object in an answer: all its fields are there. */
export function answer(properties: Record<string, Schema>, optional: readonly string[] = []): Schema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name))
  return { type: 'object', properties, required }
}

const CANDLE = { time: count, open: number, high: number, low: number, close: number, volume: number, count }

export const COMPONENTS = {
  Operation: OPERATION,
  Fault: object({ ...MATCH, ...EFFECTS }),
  Effects: object(EFFECTS),
  FaultHandle: answer({ id: count, label: text, hits: count }),
  Expected: EXPECTED,
  KeyState: answer({ credits: count, tier: text }),
  Keys: { type: 'object', additionalProperties: refTo('KeyState') },
  NewKeys: KEYS,
  Candle: object(CANDLE, Object.keys(CANDLE)),
  Charge: answer({
    key: text,
    operation,
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
