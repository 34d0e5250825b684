import { asCount, asNumber, asOneOf, checkNames, show } from '../rules/check-options.ts'
import { MAX_WAIT_MS } from '../rules/clock.ts'
import { fakeOperations } from '../rules/routes.ts'
import { isWithoutBody } from './alter-reply.ts'
import { checkHeaders } from './check-headers.ts'
import type { FaultEffects, FaultOptions, ScriptOptions, ScriptStep } from './fault-options.ts'

const MATCHES = ['operation', 'key', 'when', 'nth', 'times', 'probability'] as const
// biome-ignore format: a list of names
const EFFECTS = ['status', 'code', 'message', 'body', 'headers', 'retryAfter', 'delayMs', 'never', 'reset', 'truncate', 'stall', 'malformed', 'html', 'creditHeaders', 'date', 'transform', 'charge'] as const
/** Effects that exclude each other, because each decides the content of the answer. */
const CONTENTS = ['status', 'html', 'never', 'reset'] as const
const DELIVERIES = ['never', 'reset', 'truncate', 'stall'] as const
/** Effects that are invisible without an answer. */
// biome-ignore format: a list of names
const VISIBLE = ['headers', 'retryAfter', 'malformed', 'creditHeaders', 'date', 'transform'] as const

/** Throws a TypeError that lists the allowed values, so that a mistaken fault does not look like one without a hit. */
export function checkFault(options: FaultOptions): void {
  checkNames('fault', options, [...MATCHES, ...EFFECTS])
  checkMatch(options)
  checkEffects(options)
  checkTogether(options)
}

/** The same for the steps of a script. */
export function checkScript(operation: unknown, steps: readonly ScriptStep[], options: ScriptOptions): void {
  asOneOf('operation', operation, fakeOperations)
  checkNames('script', options, ['key', 'when'])
  checkMatch(options)
  if (!Array.isArray(steps) || steps.length === 0) throw new TypeError('A script is a list of one or more steps.')
  for (const [i, step] of steps.entries()) {
    if (step === 'ok') continue
    if (typeof step !== 'object' || step === null)
      throw new TypeError(`Step ${i + 1} of the script is an object of effects or 'ok', not ${show(step)}.`)
    checkNames(`Step ${i + 1} of the script`, step, EFFECTS)
    checkEffects(step)
    checkTogether(step)
  }
}

function checkMatch({ operation, key, when, nth, times, probability }: FaultOptions): void {
  const operations = operation === undefined ? [] : typeof operation === 'string' ? [operation] : operation
  if (!Array.isArray(operations)) throw new TypeError('operation is a name or a list of names.')
  if (Array.isArray(operation) && operation.length === 0) throw new TypeError('operation is not an empty list.')
  for (const one of operations) asOneOf('operation', one, fakeOperations)
  if (key !== undefined && typeof key !== 'string') throw new TypeError('key is a string.')
  if (when !== undefined && typeof when !== 'function') throw new TypeError('when is a function that gets the request.')
  if (Array.isArray(nth) && nth.length === 0) throw new TypeError('nth is not an empty list.')
  for (const one of nth === undefined ? [] : [nth].flat())
    if (asCount('nth', one) === 0) throw new TypeError('nth counts from 1.')
  if (times !== undefined && times !== Number.POSITIVE_INFINITY && asCount('times', times) === 0) {
    throw new TypeError('times is a whole number from 1 on, or Infinity.')
  }
  if (probability !== undefined) asNumber('probability', probability, 0, 1)
}

function checkEffects(effects: FaultEffects): void {
  const { status, html, delayMs, truncate, stall, reset, never, malformed, transform, charge, code, message } = effects
  for (const [name, value] of Object.entries({ status, html })) {
    if (value !== undefined && !Number.isInteger(asNumber(name, value, 200, 599)))
      throw new TypeError(`${name} is a whole number.`)
  }
  if (html !== undefined && isWithoutBody(html)) throw new TypeError(`html is a status with a body, not ${html}.`)
  for (const [name, value] of Object.entries({ code, message })) {
    if (value !== undefined && typeof value !== 'string') throw new TypeError(`${name} is a text, not ${show(value)}.`)
  }
  if (delayMs !== undefined) asNumber('delayMs', delayMs, 0, MAX_WAIT_MS)
  if (truncate !== undefined && asNumber('truncate', truncate, 0) >= 1)
    asCount('truncate (bytes; below 1 a fraction)', truncate)
  if (stall !== undefined) asCount('stall', stall)
  if (reset !== undefined) asOneOf('reset', reset, ['before', 'after'])
  for (const [name, value] of Object.entries({ never, malformed })) {
    if (value !== undefined && value !== true) throw new TypeError(`${name} is true or left out, not ${show(value)}.`)
  }
  checkHeaders(effects)
  if (transform !== undefined && typeof transform !== 'function')
    throw new TypeError('transform is a function that gets the body.')
  if (charge !== undefined && typeof charge !== 'boolean') throw new TypeError('charge is true or false.')
  if ('body' in effects) checkBody(effects.body)
}

function checkBody(body: unknown): void {
  try {
    if (JSON.stringify(body) !== undefined) return
  } catch (error) {
    throw new TypeError(`body is JSON: ${show(error)}`, { cause: error })
  }
  throw new TypeError(`body is JSON, not ${show(body)}.`)
}

function checkTogether(effects: FaultEffects): void {
  const given = EFFECTS.filter((name) => effects[name] !== undefined)
  if (!given.some((name) => name !== 'charge'))
    throw new TypeError(`A fault needs an effect: one or more of ${EFFECTS.join(', ')}.`)
  atMostOne(effects, CONTENTS)
  atMostOne(effects, DELIVERIES)
  atMostOne(effects, ['html', 'malformed'])
  atMostOne(effects, ['html', 'transform'])
  for (const name of ['code', 'message', 'body'] as const) {
    if (effects[name] !== undefined && effects.status === undefined) throw new TypeError(`${name} goes with a status.`)
  }
  if (effects.body !== undefined && (effects.code !== undefined || effects.message !== undefined)) {
    throw new TypeError('body replaces the whole envelope: leave out code and message, or put them into it.')
  }
  const unseen = effects.never || effects.reset ? VISIBLE.find((name) => effects[name] !== undefined) : undefined
  if (unseen)
    throw new TypeError(
      `${unseen} cannot be seen where there is no answer: leave out ${effects.never ? 'never' : 'reset'}.`,
    )
  if (effects.never && effects.delayMs !== undefined) throw new TypeError('never has no end: leave out delayMs.')
  if (effects.reset && effects.charge !== undefined)
    throw new TypeError("reset says itself whether it charges: 'before' or 'after'.")
}

function atMostOne(effects: FaultEffects, names: readonly (keyof FaultEffects)[]): void {
  const given = names.filter((name) => effects[name] !== undefined)
  if (given.length > 1) throw new TypeError(`${given.join(' and ')} exclude each other: use two faults.`)
}
