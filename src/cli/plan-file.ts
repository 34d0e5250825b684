import { dirname, resolve } from 'node:path'
import {
  type CreditPlan,
  checksumAddress,
  type OperationId,
  operations,
  type PlannedCall,
  planCredits,
} from 'etn-market'
import type { AlertOptions } from 'etn-market/feed'
import * as z from 'zod/mini'
import { readConditions } from '../feed/watch/alert.ts'
import { resolveFile } from '../file-store/replace-file.ts'
import type { Operation } from '../operations/operation.ts'
import { DAY_MS, formatDuration } from '../utils/time-units.ts'
import { checkAll, readOperation, splitAddresses } from './call-params.ts'
import { type CommandError, didYouMean, usageError } from './failure.ts'
import { type NamedFile, nameFile, readTextFile, statPath } from './files.ts'
import { activeHoursOf, type LineTimes, parseOnce, parseSpan } from './line-times.ts'
import { formatItems } from './output.ts'

export interface PlanFile {
  /** Where the file is, whatever link leads to it. */
  readonly path: string
  /** What the plan names is there: beside the plan, or where the command runs if the plan comes from a pipe. */
  readonly folder: string
  readonly lines: readonly PlanLine[]
  readonly creditsPerDay?: number | undefined
  readonly balance?: number | undefined
}

/** A line of a plan: one call, or one for each of its addresses, made again and again. */
export type PlanLine = Readonly<ReturnType<typeof readLine>>

/** How `run` carries a line out. */
export function kindOf({ operation, addresses }: PlanLine): 'prices' | 'candles' | 'sweep' | 'call' {
  if (addresses === undefined) return 'call'
  if (isPriceOperation(operation)) return 'prices'
  return operation === 'token.candles' ? 'candles' : 'sweep'
}

const isPriceOperation = (operation: string): boolean => operation === 'token.price' || operation === 'prices.batch'

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
export async function readPlanFile(named: NamedFile, cwd = dirname(named.path)): Promise<PlanFile> {
  const { name } = named
  const isFile = statPath(named.path)?.isFile() === true
  const path = isFile ? resolveFile(named.path) : named.path
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
      // The library names the call by its position in the list that it was given.
      const reason = (error as Error).message
        .replace(/\bcalls\[0\]/g, `lines[${index}]`)
        .replace(' Nothing was sent.', '')
      throw fail(at, reason, error)
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

/** @throws CommandError or the library's error for a line that contradicts itself or cannot be called */
function readLine(given: GivenLine, index: number, folder: string) {
  const { every, everyMs, activeHours, once, hours, addresses: listed } = given
  const operation = readOperation(String(given.operation))
  const addresses = listed === undefined ? undefined : readAddresses(listed, folder)
  requireConsistent(given, operation)
  const params = { ...(given.params as object | undefined) } as Record<string, unknown>
  const own = {
    ...(given.count !== undefined && missingAddress(operation, params)),
    ...params,
    ...addressParam(operation, addresses?.[0]),
  }
  const span = hours === undefined ? undefined : parseSpan(hours)
  // The library checks what it is given, so that its messages say what is wrong.
  const call = {
    operation,
    params: Object.keys(own).length > 0 ? own : given.params,
    ...(once === undefined ? { every, everyMs } : { everyMs: DAY_MS }),
    activeHours: span === undefined ? activeHours : span.length / 60,
  } as unknown as PlannedCall
  const planned = planCredits([call]).calls[0] as CreditPlan['calls'][number]
  const times: LineTimes =
    once === undefined
      ? {
          everyMs: planned.everyMs,
          span: span ?? { from: 0, length: Math.max(1, Math.round(60 * planned.activeHours)) },
        }
      : { everyMs: DAY_MS, once: parseOnce(once) }
  const count = addresses?.length ?? given.count ?? 1
  return {
    index,
    operation,
    /** Those of each call, without the addresses of the line. */
    params,
    times,
    /** How the interval is written: `5m`, `night`. */
    every: once ?? (typeof every === 'string' ? every : formatDuration(planned.everyMs)),
    count,
    /** In EIP-55 form, each one once; undefined for a line that calls with `params` alone. */
    addresses,
    /** The file that has the addresses. */
    source: typeof listed === 'string' ? resolve(folder, listed) : undefined,
    purpose: given.for ?? describeTarget(params, listed, count),
    /** One of its calls, as the library plans it. */
    call: { ...call, activeHours: activeHoursOf(times) },
    /** Where `run` writes what the line buys. */
    file: given.file,
    alert: given.alert as Pick<AlertOptions, 'above' | 'below' | 'movePercent'> | undefined,
  }
}

function requireConsistent(given: GivenLine, operation: OperationId): void {
  const { once, every, everyMs, hours, activeHours, addresses, count, alert } = given
  const hasAddresses = addresses !== undefined
  const isPrices = hasAddresses && isPriceOperation(operation)
  if (once !== undefined && (every ?? everyMs ?? hours ?? activeHours) !== undefined)
    throw usageError('once stands alone, without every, everyMs, hours or activeHours.')
  if (hours !== undefined && activeHours !== undefined) throw usageError('hours and activeHours cannot stand together.')
  if (hasAddresses && count !== undefined)
    throw usageError('addresses and count cannot stand together: there are as many calls as addresses.')
  if (hasAddresses && addressParamOf(operation) === undefined) throw usageError(`${operation} takes no address.`)
  if (hasAddresses && Object.keys(Object(given.params)).some((name) => name.startsWith('address')))
    throw usageError('addresses and params with an address cannot stand together.')
  if (alert !== undefined && !isPrices) throw usageError('alert needs token.price or prices.batch with addresses.')
  if (alert !== undefined && Object.keys(alert).length === 0)
    throw usageError('alert needs above, below or movePercent.')
  if (isPrices && once !== undefined)
    throw usageError('prices of addresses are kept young: they need every instead of once.')
}

const addressParamOf = (operation: OperationId) =>
  (operations[operation] as Operation).params.find(({ kind }) => kind.startsWith('address'))

/** The parameter that one of the addresses of a line becomes. */
export function addressParam(operation: OperationId, address: string | undefined): Record<string, unknown> {
  const param = addressParamOf(operation)
  if (address === undefined || param === undefined) return {}
  return { [param.name]: param.kind === 'addresses' ? [address] : address }
}

const ANY_ADDRESS = `0x${'0'.repeat(40)}`

/** A plan says how many calls there are before it is known of which tokens. */
function missingAddress(operation: OperationId, params: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const param = addressParamOf(operation)
  const isMissing = param?.required === true && params[param.name] === undefined
  return isMissing ? addressParam(operation, ANY_ADDRESS) : {}
}

/** Whether the calls of a line can be made: a plan may count calls before it is known of which tokens. */
export const isCallable = ({ operation, params, addresses }: PlanLine): boolean =>
  addresses !== undefined || Object.keys(missingAddress(operation, params)).length === 0

function readAddresses(listed: string | readonly string[], folder: string): string[] {
  const isFile = typeof listed === 'string'
  const addresses = isFile ? splitAddresses(readTextFile('addresses', nameFile(folder, listed))) : listed
  if (addresses.length === 0) throw usageError(`addresses ${String(listed)}: the list is empty.`)
  return [...new Set(checkAll(addresses, isFile ? listed : 'addresses').map((address) => checksumAddress(address)))]
}

/** Such as `300 of tokens.txt`, `0x043f…cCff1`, `limit 20`. */
function describeTarget(params: Readonly<Record<string, unknown>>, listed: unknown, count: number): string {
  if (typeof listed === 'string') return `${count} of ${listed}`
  const { address, addresses = listed, ...rest } = params
  const list = Array.isArray(addresses) ? addresses : address === undefined ? [] : [address]
  if (list.length > 1) return formatItems(list.length, 'address')
  if (list.length === 1) return shorten(String(list[0]))
  if (count > 1) return formatItems(count, 'call')
  return Object.entries(rest)
    .map(([name, value]) => `${name} ${typeof value === 'string' ? shorten(value) : String(value)}`)
    .join(', ')
}

const shorten = (text: string) => (text.length > 14 ? `${text.slice(0, 6)}…${text.slice(-4)}` : text)
