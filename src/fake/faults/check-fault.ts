import { FakeUsageError, show } from '../rules/check-options.ts'
import type { Schema } from '../rules/check-schema.ts'
import {
  anyFunction,
  checkValue,
  numberFrom1,
  object,
  only,
  operation as operationName,
  text,
} from '../rules/schemas.ts'
import { isWithoutBody } from './alter-reply.ts'
import { EXCLUSIVE } from './combine.ts'
import type { FaultEffects, FaultOptions, ScriptOptions, ScriptStep } from './fault-options.ts'
import { EFFECTS, MATCH } from './fault-schema.ts'

// What JSON cannot hold: functions, and numbers without an end.
const ALL_EFFECTS = { ...EFFECTS, transform: anyFunction }
const ALL_MATCHES = {
  ...MATCH,
  when: anyFunction,
  times: { anyOf: [numberFrom1, { enum: [Number.POSITIVE_INFINITY] }] },
}
const FAULT = object({ ...ALL_MATCHES, ...ALL_EFFECTS })
const STEP: Schema = { anyOf: [only('ok'), object(ALL_EFFECTS)] }

/** Throws an error that lists the allowed values, so that a mistaken fault does not look like one without a hit. */
export function checkFault(options: FaultOptions): void {
  checkValue('fault', FAULT, options)
  checkEffects(options)
}

/** The same for the steps of a script. */
export function checkScript(operation: unknown, steps: readonly ScriptStep[], options: ScriptOptions): void {
  checkValue('operation', operationName, operation)
  checkValue('script', object({ key: text, when: anyFunction }), options)
  checkValue('steps', { type: 'array', items: STEP, minItems: 1 }, steps)
  for (const step of steps) if (step !== 'ok') checkEffects(step)
}

/** What a schema cannot say. */
function checkEffects(effects: FaultEffects): void {
  const names = Object.keys(ALL_EFFECTS) as (keyof FaultEffects)[]
  if (!names.some((name) => name !== 'charge' && effects[name] !== undefined))
    throw new FakeUsageError(`A fault needs an effect: one or more of ${names.join(', ')}.`)
  checkTogether(effects)
  const { html, headers = {} } = effects
  if (html !== undefined && isWithoutBody(html)) throw new FakeUsageError(`html is a status with a body, not ${html}.`)
  for (const name of Object.keys(headers)) checkHeaderName(name)
  if ('body' in effects) checkBody(effects.body)
}

function checkTogether(effects: FaultEffects): void {
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
}

/** A wrong header breaks the connection before the caller sees the answer. */
function checkHeaderName(name: string): void {
  if (!/^[!#$%&'*+.^_`|~\dA-Za-z-]+$/.test(name))
    throw new FakeUsageError(`headers: ${show(name)} is not a header name.`)
  if (/^(content-length|transfer-encoding)$/i.test(name))
    throw new FakeUsageError(`headers: ${name} belongs to the transport. To cut the body short, use truncate.`)
}

function checkBody(body: unknown): void {
  try {
    if (JSON.stringify(body) !== undefined) return
  } catch (error) {
    throw new FakeUsageError(`body is JSON: ${show(error)}`, { cause: error })
  }
  throw new FakeUsageError(`body is JSON, not ${show(body)}.`)
}
