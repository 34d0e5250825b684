import { dirname } from 'node:path'
import * as z from 'zod/mini'
import { readConditions } from '../feed/watch/alert.ts'
import { resolveFile } from '../file-store/replace-file.ts'
import { type CommandError, didYouMean, usageError } from './failure.ts'
import { type NamedFile, readTextFile, statPath } from './files.ts'
import { readLine } from './plan-line.ts'

export type PlanFile = Readonly<Awaited<ReturnType<typeof readPlanFile>>>

/** A time of day, in UTC. */
const TIME = '(?:[01]\\d|2[0-3]):[0-5]\\d'

const whole = (rule: string) => z.optional(z.int(rule).check(z.positive(rule)))
const textLike = (pattern: string, rule: string) => z.optional(z.string(rule).check(z.regex(new RegExp(pattern), rule)))

const unchecked = z.optional(z.unknown())
const alert = z.strictObject(
  { above: unchecked, below: unchecked, movePercent: unchecked },
  'an object with above, below or movePercent',
)

const ADDRESSES = 'a list of addresses, or the name of a file with one a line'

/** What the library checks is of any type here: its errors say more. */
const line = z.strictObject({
  operation: unchecked,
  params: unchecked,
  every: unchecked,
  everyMs: unchecked,
  activeHours: unchecked,
  once: textLike(`^(?:night|day|${TIME})$`, 'night, day or a time in UTC such as 03:30'),
  hours: textLike(`^${TIME}-${TIME}$`, 'a span in UTC such as 08:00-20:00'),
  count: whole('a whole number above 0'),
  addresses: z.optional(
    z.union([z.string().check(z.minLength(1)), z.array(z.string()).check(z.minLength(1))], ADDRESSES),
  ),
  for: z.optional(z.string('a text that says what the line is for')),
  file: textLike('^[^\\0]+$', 'the name of a file'),
  alert: z.optional(alert),
})

export type GivenLine = z.infer<typeof line>

export const lineFields: readonly string[] = Object.keys(line.shape)

const credits = whole('a whole number of credits above 0')
const plan = z.strictObject({
  creditsPerDay: credits,
  balance: credits,
  lines: z.array(line, 'a list of lines').check(z.minLength(1)),
})

/** The place of a value in a plan, such as `['lines', 0, 'every']`. */
type Path = readonly (string | number)[]

/** Reads a plan from JSON or YAML: `{ creditsPerDay?, balance?, lines }` or the list of lines alone. See the guide. */
export async function readPlanFile(named: NamedFile, cwd = dirname(named.path)) {
  const { name } = named
  const isFile = statPath(named.path)?.isFile() === true
  const path = isFile ? resolveFile(named.path) : named.path
  // What the plan names is beside it, or where the command runs if the plan comes from a pipe.
  const folder = isFile ? dirname(path) : cwd
  const text = readTextFile('plan', { name, path })
  const { value, lineOf } = await parse(name, text)
  const isList = Array.isArray(value)

  function fail(at: Path, message: string, cause?: unknown): CommandError {
    const subject = typeof at[1] === 'number' ? `lines[${at[1]}]: ` : ''
    return usageError(`${name}:${lineOf(isList ? at.slice(1) : at)}: ${subject}${message}`, cause)
  }

  // A list of lines is a plan without limits.
  const { data, error } = plan.safeParse(isList ? { lines: value } : value)
  // A misspelt field explains why another one is missing.
  const issue = error?.issues.find(({ code }) => code === 'unrecognized_keys') ?? error?.issues[0]
  if (issue !== undefined) throw fail(...describeIssue(issue))
  const { lines: given, creditsPerDay, balance } = data as z.infer<typeof plan>
  const lines = given.map((line, index) => {
    const at = ['lines', index]
    try {
      const read = readLine(line, index, folder)
      at.push('alert')
      if (read.alert !== undefined) readConditions(read.alert, read.times.everyMs)
      return read
    } catch (error) {
      throw fail(at, (error as Error).message.replace(' Nothing was sent.', ''), error)
    }
  })
  return { path, folder, lines, creditsPerDay, balance }
}

/** Parses YAML, and JSON as a part of it. @throws CommandError naming the line */
async function parse(name: string, text: string) {
  // It is large, and loads when it is needed.
  const { LineCounter, parseDocument } = await import('yaml')
  const lineCounter = new LineCounter()
  const document = parseDocument(text, {
    lineCounter,
    // An address without quotes stays a text: as a number it would lose its digits.
    customTags: (tags) => tags.filter((tag) => typeof tag === 'string' || tag.format !== 'HEX'),
  })
  const problem = `it is no valid ${/\.json$/i.test(name) ? 'JSON' : 'YAML'}`
  const [error] = document.errors
  if (error !== undefined) {
    const [reason] = error.message.split(/\n| at line/)
    throw usageError(`${name}:${error.linePos?.[0].line ?? 1}: ${problem}: ${reason}.`)
  }

  /** The line of a value, from 1; of what contains it, if the value is missing. */
  function lineOf(path: Path): number {
    if (path.length > 0 && !document.hasIn(path)) return lineOf(path.slice(0, -1))
    const node = path.length === 0 ? document.contents : document.getIn(path, true)
    const [start] = (node as { range?: [number, number, number] } | null | undefined)?.range ?? []
    return start === undefined ? 1 : lineCounter.linePos(start).line
  }

  try {
    return { value: document.toJS() as unknown, lineOf }
  } catch (error) {
    throw usageError(`${name}: ${problem}: ${(error as Error).message}.`, error)
  }
}

function describeIssue(issue: z.core.$ZodIssue): [at: Path, message: string] {
  const path = issue.path as Path
  const last = path.at(-1)
  if (issue.code === 'unrecognized_keys') {
    const [key = ''] = issue.keys
    const { shape } = path.length === 0 ? plan : last === 'alert' ? alert : line
    return [[...path, key], `unknown field ${JSON.stringify(key)}. ${didYouMean(key, Object.keys(shape))}`]
  }
  if (path.length === 0)
    return [path, `it must hold a list of lines, or an object with ${Object.keys(plan.shape).join(', ')}.`]
  if (last === 'lines' && issue.code === 'too_small') return [path, 'the plan has no lines. Add one.']
  if (last === 'lines') return [path, 'lines is missing. It must be a list of lines.']
  if (typeof last === 'number') return [path, 'it must be an object with an operation.']
  return [path, `${last} must be ${issue.message}.`]
}
