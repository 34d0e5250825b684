import type { FaultEffects, FaultOptions } from './fault-options.ts'
import { asCount, asNumber, asOneOf, checkNames, show } from './input.ts'
import { LONGEST_WAIT_MS } from './options.ts'
import { fakeOperations } from './routes.ts'

const MATCHES = ['operation', 'key', 'when', 'nth', 'times', 'probability'] as const
// biome-ignore format: a list of names
const EFFECTS = ['status', 'code', 'message', 'body', 'headers', 'retryAfter', 'delayMs', 'never', 'reset', 'truncate', 'stall', 'malformed', 'html', 'creditHeaders', 'date', 'transform', 'charge'] as const
/** Effects of which one answer can have but one: they decide what it says, or how it ends. */
const CONTENTS = ['status', 'html', 'never', 'reset'] as const
const ENDINGS = ['never', 'reset', 'truncate', 'stall'] as const
/** What cannot be seen when there is no answer. */
// biome-ignore format: a list of names
const VISIBLE = ['headers', 'retryAfter', 'malformed', 'creditHeaders', 'date', 'transform'] as const

/** Throws a TypeError that names the allowed values, so that a mistaken fault cannot pass for one that never struck. */
export function checkFault(options: FaultOptions): void {
  checkNames('fault', options, [...MATCHES, ...EFFECTS])
  checkMatch(options)
  checkEffects(options)
  checkTogether(options)
}

function checkMatch({ operation, key, when, nth, times, probability }: FaultOptions): void {
  const operations = operation === undefined ? [] : typeof operation === 'string' ? [operation] : operation
  if (!Array.isArray(operations)) throw new TypeError('operation is a name or a list of names.')
  for (const one of operations) asOneOf('operation', one, fakeOperations)
  if (key !== undefined && typeof key !== 'string') throw new TypeError('key is a string.')
  if (when !== undefined && typeof when !== 'function') throw new TypeError('when is a function that gets the request.')
  for (const one of nth === undefined ? [] : [nth].flat())
    if (asCount('nth', one) === 0) throw new TypeError('nth counts from 1.')
  if (times !== undefined && times !== Number.POSITIVE_INFINITY && asCount('times', times) === 0) {
    throw new TypeError('times is a whole number from 1 on, or Infinity.')
  }
  if (probability !== undefined) asNumber('probability', probability, 0, 1)
}

function checkEffects(effects: FaultEffects): void {
  const {
    status,
    html,
    delayMs,
    truncate,
    stall,
    reset,
    creditHeaders,
    date,
    retryAfter,
    never,
    malformed,
    transform,
    charge,
  } = effects
  for (const [name, value] of Object.entries({ status, html })) {
    if (value !== undefined && !Number.isInteger(asNumber(name, value, 200, 599)))
      throw new TypeError(`${name} is a whole number.`)
  }
  if (delayMs !== undefined) asNumber('delayMs', delayMs, 0, LONGEST_WAIT_MS)
  if (truncate !== undefined && asNumber('truncate', truncate, 0) >= 1)
    asCount('truncate (bytes; below 1 a fraction)', truncate)
  if (stall !== undefined) asCount('stall', stall)
  if (reset !== undefined) asOneOf('reset', reset, ['before', 'after'])
  for (const [name, value] of Object.entries({ never, malformed })) {
    if (value !== undefined && value !== true) throw new TypeError(`${name} is true or left out, not ${show(value)}.`)
  }
  if (typeof creditHeaders === 'object') checkNames('creditHeaders', creditHeaders, ['cost', 'remaining'])
  else if (creditHeaders !== undefined)
    asOneOf('creditHeaders (or { cost, remaining })', creditHeaders, ['missing', 'duplicate'])
  if (typeof date === 'object') asNumber('date.skewMs', date.skewMs, Number.MIN_SAFE_INTEGER)
  if (typeof retryAfter === 'object' && 'inMs' in retryAfter)
    asNumber('retryAfter.inMs', retryAfter.inMs, Number.MIN_SAFE_INTEGER)
  if (transform !== undefined && typeof transform !== 'function')
    throw new TypeError('transform is a function that gets the body.')
  if (charge !== undefined && typeof charge !== 'boolean') throw new TypeError('charge is true or false.')
}

function checkTogether(effects: FaultEffects): void {
  const given = EFFECTS.filter((name) => effects[name] !== undefined)
  if (!given.some((name) => name !== 'charge'))
    throw new TypeError(`A fault needs an effect: one or more of ${EFFECTS.join(', ')}.`)
  atMostOne(effects, CONTENTS)
  atMostOne(effects, ENDINGS)
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
