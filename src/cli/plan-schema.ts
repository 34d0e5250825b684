import * as z from 'zod/mini'
import { suggest } from './text.ts'

/** Something that is wrong in a plan, and where. */
export interface PlanProblem {
  readonly path: readonly (string | number)[]
  readonly message: string
}

/** A time of day, in UTC. */
const TIME = '(?:[01]\\d|2[0-3]):[0-5]\\d'
const NUMBER_OR_TEXT = z.union([z.number(), z.string()])

const alert = z.strictObject({
  above: z.optional(NUMBER_OR_TEXT),
  below: z.optional(NUMBER_OR_TEXT),
  movePercent: z.optional(NUMBER_OR_TEXT),
})

/** What the library checks is of any type here: its errors say more. */
const call = z.strictObject({
  operation: z.optional(z.unknown()),
  params: z.optional(z.unknown()),
  every: z.optional(z.unknown()),
  everyMs: z.optional(z.unknown()),
  activeHours: z.optional(z.unknown()),
  once: z.optional(
    z
      .string('night, day or a time in UTC such as 03:30')
      .check(z.regex(new RegExp(`^(?:night|day|${TIME})$`), 'night, day or a time in UTC such as 03:30')),
  ),
  hours: z.optional(
    z
      .string('a span in UTC such as 08:00-20:00')
      .check(z.regex(new RegExp(`^${TIME}-${TIME}$`), 'a span in UTC such as 08:00-20:00')),
  ),
  count: z.optional(z.int('a whole number above 0').check(z.positive('a whole number above 0'))),
  addresses: z.optional(
    z.union(
      [z.string().check(z.minLength(1)), z.array(z.string()).check(z.minLength(1))],
      'a list of addresses, or the name of a file with one a line',
    ),
  ),
  for: z.optional(z.string('a text that says what the line is for')),
  file: z.optional(z.string('the name of a file').check(z.minLength(1, 'the name of a file'))),
  alert: z.optional(alert),
})

/** The fields of a call. */
export const callFields: readonly string[] = Object.keys(call.shape)

const credits = z.number('a number of credits above 0').check(z.positive('a number of credits above 0'))

const plan = z.strictObject({
  creditsPerDay: z.optional(credits),
  balance: z.optional(credits),
  calls: z.array(call, 'a list of calls'),
})

/** A line of a plan as its file has it. */
export type PlanCall = z.infer<typeof call>
export type PlanDocument = z.infer<typeof plan>

/** The document, or the first thing that is wrong in it. A list of calls is a plan without limits. */
export function checkPlan(value: unknown): { readonly plan: PlanDocument } | { readonly problem: PlanProblem } {
  const isList = Array.isArray(value)
  const { data, error } = plan.safeParse(isList ? { calls: value } : value)
  // A misspelt field explains why another one is missing.
  const issues = error?.issues ?? []
  const issue = issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0]
  if (issue === undefined) return { plan: data as PlanDocument }
  const { path, message } = toProblem(issue)
  return { problem: { path: isList ? path.slice(1) : path, message } }
}

function toProblem(issue: z.core.$ZodIssue): PlanProblem {
  const path = issue.path.filter((key) => typeof key !== 'symbol')
  const name = String(path.at(-1) ?? '')
  if (issue.code === 'unrecognized_keys') {
    const [key = ''] = issue.keys
    return { path: [...path, key], message: `unknown field ${JSON.stringify(key)}. ${hint(key, fieldsAt(path))}` }
  }
  if (path.length === 0)
    return { path, message: `it must hold a list of calls, or an object with ${Object.keys(plan.shape).join(', ')}.` }
  if (name === 'calls' && path.length === 1) return { path, message: 'calls is missing. It must be a list of calls.' }
  if (typeof path.at(-1) === 'number') return { path, message: 'it must be an object with an operation.' }
  return { path, message: `${name} must be ${issue.message}.` }
}

const fieldsAt = (path: readonly unknown[]): string[] =>
  Object.keys(path.length === 0 ? plan.shape : path.at(-1) === 'alert' ? alert.shape : call.shape)

function hint(typed: string, known: readonly string[]): string {
  const near = suggest(typed, known)
  return near === undefined ? `Known: ${known.join(', ')}.` : `Did you mean ${near}?`
}
