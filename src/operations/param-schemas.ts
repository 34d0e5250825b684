import * as z from 'zod/mini'
import { isAddress } from '../utils/address.ts'
import { ruleOf } from './operation.ts'

/** `isAddress` alone decides; the pattern is for what is made of the schema, for example a JSON Schema. */
const ADDRESS = /^0x[0-9a-fA-F]{40}$/

/** An address in lower, upper or EIP-55 case. */
export function address() {
  const error = must(ruleOf({ kind: 'address' }))
  return z.string({ error }).check(z.regex(ADDRESS, { error, abort: true }), z.refine(isAddress, { error }))
}

/** A list of addresses; an empty one is a call that sends nothing. */
export function addresses() {
  const error = must(ruleOf({ kind: 'addresses' }))
  return z.array(address(), { error })
}

export function limit(max: number) {
  const error = must(ruleOf({ kind: 'limit', max }))
  return z.int({ error }).check(z.minimum(1, { error }), z.maximum(max, { error }))
}

export function choice<const Value extends string | number>(values: readonly [Value, ...Value[]]) {
  return z.literal(values, { error: must(ruleOf({ kind: 'choice', values })) })
}

/** One of the values, in any case of letters; parsing returns it in upper case, as it is sent. */
export function choiceInAnyCase<const Value extends string>(values: readonly [Value, ...Value[]]) {
  const error = must(ruleOf({ kind: 'choice', values, anyCase: true }))
  return z.pipe(z.string({ error }).check(z.toUpperCase()), z.literal(values, { error }))
}

export function chain<const Id extends number>(id: Id) {
  return z.literal(id, { error: must(`${id}, the only chain`) })
}

/** An object with these parameters and no others: a misspelt limit would be paid for. */
export function params<Shape extends z.core.$ZodShape>(shape: Shape) {
  const known = Object.keys(shape).join(', ') || 'none'
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `unknown parameter ${(issue.keys as string[]).map((key) => JSON.stringify(key)).join(', ')}; known: ${known}`
        : must('an object of parameters'),
  })
}

const must = (rule: string) => `must be ${rule}`
