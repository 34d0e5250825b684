import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { checksumAddress, type OperationId, operations, type PlannedCall, planCredits } from 'etn-market'
import { resolveFile } from '../file-store/replace-file.ts'
import type { Operation } from '../operations/operation.ts'
import { DAY_MS, formatDuration } from '../utils/time-units.ts'
import { readOperation } from './call-params.ts'
import { usageError } from './failure.ts'
import { readTextFile } from './files.ts'
import type { NamedFile } from './host.ts'
import type { ParsedPlan } from './parse-yaml.ts'
import {
  activeHoursOf,
  isPriceOperation,
  type LineTimes,
  type PlanFile,
  type PlanLine,
  parseOnce,
  parseSpan,
} from './plan-line.ts'
import { checkPlan, type PlanCall } from './plan-schema.ts'
import { checkAll, splitAddresses } from './read-addresses.ts'

const DAY = { from: 0, length: 1_440 }

/**
 * Reads a plan from JSON or YAML: `{ creditsPerDay?, balance?, calls }` or the list of calls alone. The guide has the fields of a call.
 * @throws CommandError naming the file, the line where it is known, and what is wrong
 */
export async function readPlanFile(named: NamedFile): Promise<PlanFile> {
  const { name } = named
  const path = existsSync(named.path) ? resolveFile(named.path) : named.path
  const file = { name, path }
  const text = readTextFile('plan', file)
  // The parser of YAML is large and loads when it is needed. It is CommonJS, so a module of its own imports it.
  const isJson = /^\s*[[{]/.test(text) && !/\.ya?ml$/i.test(name)
  const parse = isJson ? parseJson : (await import('./parse-yaml.ts')).parseYaml
  const { value, lineOf } = parse(name, text)
  const isList = Array.isArray(value)
  const placeOf = (path: readonly (string | number)[]) => {
    const line = lineOf(isList ? path.slice(1) : path)
    return line === undefined ? name : `${name}:${line}`
  }
  const checked = checkPlan(value)
  if ('problem' in checked) {
    const { path, message } = checked.problem
    const full = isList ? ['calls', ...path] : path
    const subject = typeof full[1] === 'number' ? `calls[${full[1]}]: ` : ''
    throw usageError(
      `${full.length === 0 || message.startsWith('calls is') ? name : placeOf(full)}: ${subject}${message}`,
    )
  }
  const { calls, creditsPerDay, balance } = checked.plan
  const lines = calls.map((call, index) => {
    try {
      return readLine(call, index, file)
    } catch (error) {
      // The library names the call by its position in the list that it was given.
      const reason = (error as Error).message
        .replace(/\bcalls\[0\]/g, `calls[${index}]`)
        .replace(' Nothing was sent.', '')
      throw usageError(`${placeOf(['calls', index])}: calls[${index}]: ${reason}`, error)
    }
  })
  return { path, lines, creditsPerDay, balance }
}

/** @throws CommandError or the library's error for a line that contradicts itself or cannot be called */
function readLine(given: PlanCall, index: number, file: NamedFile): PlanLine {
  const { params, every, everyMs, activeHours, once, hours, count, addresses: listed, file: output, alert } = given
  const operation = readOperation(String(given.operation))
  const addresses = listed === undefined ? undefined : readAddresses(listed, file)
  requireConsistent(given, operation)
  const asked = { ...(params as object | undefined) } as Record<string, unknown>
  const own = {
    ...(count !== undefined && missingAddress(operation, asked)),
    ...asked,
    ...addressParam(operation, addresses?.[0]),
  }
  const span = hours === undefined ? undefined : parseSpan(hours)
  // The library checks what it is given, so that its messages say what is wrong.
  const call = {
    operation,
    params: Object.keys(own).length > 0 ? own : params,
    ...(once === undefined ? { every, everyMs } : { everyMs: DAY_MS }),
    activeHours: span === undefined ? activeHours : span.length / 60,
  } as unknown as PlannedCall
  const [planned] = planCredits([call]).calls
  if (planned === undefined) throw usageError('it is no call.')
  const times: LineTimes =
    once === undefined
      ? { everyMs: planned.everyMs, span: span ?? { ...DAY, length: Math.round(60 * planned.activeHours) } }
      : { everyMs: DAY_MS, once: parseOnce(once) }
  const number = addresses?.length ?? count ?? 1
  return {
    index,
    operation,
    params: asked,
    times,
    every: once ?? (typeof every === 'string' ? every : formatDuration(planned.everyMs)),
    count: number,
    addresses,
    source: typeof listed === 'string' ? resolve(dirname(file.path), listed) : undefined,
    purpose: given.for ?? describeTarget(asked, listed, number),
    call: { ...call, activeHours: activeHoursOf(times) },
    file: output,
    alert,
  }
}

/** Fields that exclude or need each other. */
function requireConsistent(given: PlanCall, operation: OperationId): void {
  const { once, every, everyMs, hours, activeHours, addresses, count, alert } = given
  if (once !== undefined && (every ?? everyMs ?? hours ?? activeHours) !== undefined)
    throw usageError('once stands alone, without every, everyMs, hours or activeHours.')
  if (hours !== undefined && activeHours !== undefined) throw usageError('hours and activeHours cannot stand together.')
  if (addresses !== undefined && count !== undefined)
    throw usageError('addresses and count cannot stand together: there are as many calls as addresses.')
  if (addresses !== undefined && !operations[operation].params.some(({ kind }) => kind.startsWith('address')))
    throw usageError(`${operation} takes no address.`)
  if (addresses !== undefined && Object.keys(Object(given.params)).some((name) => name.startsWith('address')))
    throw usageError('addresses and params with an address cannot stand together.')
  if (alert !== undefined && !(addresses !== undefined && isPriceOperation(operation)))
    throw usageError('alert needs token.price or prices.batch with addresses.')
  if (alert !== undefined && Object.keys(alert).length === 0)
    throw usageError('alert needs above, below or movePercent.')
  if (addresses !== undefined && once !== undefined && isPriceOperation(operation))
    throw usageError('prices of addresses are kept young: they need every instead of once.')
}

/** The parameter that one of the addresses of a line becomes. */
export function addressParam(operation: OperationId, address: string | undefined): Record<string, unknown> {
  if (address === undefined) return {}
  const param = operations[operation].params.find(({ kind }) => kind.startsWith('address'))
  return param === undefined ? {} : { [param.name]: param.kind === 'addresses' ? [address] : address }
}

const ANY_ADDRESS = `0x${'0'.repeat(40)}`

/** A plan says how many calls there are before it is known of which tokens. */
function missingAddress(operation: OperationId, params: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { params: known }: Operation = operations[operation]
  const isMissing = known.some(
    ({ kind, name, required }) => kind.startsWith('address') && required && params[name] === undefined,
  )
  return isMissing ? { ...addressParam(operation, ANY_ADDRESS) } : {}
}

/** Whether the calls of a line can be made: a plan may count calls before it is known of which tokens. */
export const isCallable = ({ operation, params, addresses }: PlanLine): boolean =>
  addresses !== undefined || Object.keys(missingAddress(operation, params)).length === 0

function readAddresses(listed: string | readonly string[], plan: NamedFile): string[] {
  const addresses =
    typeof listed === 'string'
      ? splitAddresses(readTextFile('addresses', { name: listed, path: resolve(dirname(plan.path), listed) }))
      : [...listed]
  if (addresses.length === 0) throw usageError(`addresses ${String(listed)}: the list is empty.`)
  const checked = checkAll(addresses, typeof listed === 'string' ? listed : 'addresses')
  return [...new Set(checked.map((address) => checksumAddress(address)))]
}

/** Such as `300 of tokens.txt`, `0x043f…cCff1`, `limit 20`. */
function describeTarget(params: Readonly<Record<string, unknown>>, listed: unknown, count: number): string {
  if (typeof listed === 'string') return `${count} of ${listed}`
  const { address, addresses = listed, ...rest } = params
  const list = Array.isArray(addresses) ? addresses : address === undefined ? [] : [address]
  if (list.length > 1) return `${list.length} addresses`
  if (list.length === 1) return shorten(String(list[0]))
  if (count > 1) return `${count} calls`
  return Object.entries(rest)
    .map(([name, value]) => `${name} ${typeof value === 'string' ? shorten(value) : String(value)}`)
    .join(', ')
}

const shorten = (text: string) => (text.length > 14 ? `${text.slice(0, 6)}…${text.slice(-4)}` : text)

function parseJson(path: string, text: string): ParsedPlan {
  try {
    return { value: JSON.parse(text), lineOf: () => undefined }
  } catch (error) {
    throw usageError(`${path}: it is no valid JSON: ${(error as Error).message}.`, error)
  }
}
