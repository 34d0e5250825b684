import { resolve } from 'node:path'
import { checksumAddress, type OperationId, operations, type PlannedCall } from 'etn-market'
import type { AlertOptions } from 'etn-market/feed'
import { atTimes, readCall } from '../credits/plan.ts'
import type { Operation } from '../operations/operation.ts'
import { DAY_MS, formatDuration } from '../utils/time-units.ts'
import { checkAll, readOperation, splitAddresses } from './call-params.ts'
import { usageError } from './failure.ts'
import { nameFile, readTextFile } from './files.ts'
import { type LineTimes, parseOnce, parseSpan } from './line-times.ts'
import { formatItems } from './output.ts'
import type { GivenLine } from './plan-file.ts'

/** A line of a plan: one call, or one for each of its addresses, made again and again. */
export type PlanLine = Readonly<ReturnType<typeof readLine>>

const isPriceOperation = (operation: string): boolean => operation === 'token.price' || operation === 'prices.batch'

/** @throws CommandError or the library's error for a line that contradicts itself or cannot be called */
export function readLine(given: GivenLine, index: number, folder: string) {
  const { every, everyMs, activeHours, once, hours, addresses: listed } = given
  const operation = readOperation(String(given.operation))
  const addresses = listed === undefined ? undefined : readAddresses(listed, folder)
  requireConsistent(given, operation)
  const params = { ...(given.params as object | undefined) } as Record<string, unknown>
  const missing = addresses === undefined ? missingAddress(operation, params) : {}
  const own = {
    ...(given.count !== undefined && missing),
    ...params,
    ...addressParam(operation, addresses?.[0]),
  }
  const givenSpan = hours === undefined ? undefined : parseSpan(hours)
  // The library checks what it is given, so that its messages say what is wrong.
  const call = {
    operation,
    params: Object.keys(own).length > 0 ? own : given.params,
    ...(once === undefined ? { every, everyMs } : { everyMs: DAY_MS }),
    activeHours: givenSpan === undefined ? activeHours : givenSpan.length / 60,
  } as unknown as PlannedCall
  const planned = readCall(call, index, `lines[${index}]`)
  const span = givenSpan ?? { from: 0, length: Math.max(1, Math.round(60 * planned.activeHours)) }
  const times: LineTimes =
    once === undefined ? { everyMs: planned.everyMs, span } : { everyMs: DAY_MS, once: parseOnce(once) }
  const count = addresses?.length ?? given.count ?? 1
  return {
    index,
    operation,
    kind: kindOf(operation, addresses),
    /** Whether its calls can be made: a plan may count calls before it is known of which tokens. */
    isCallable: Object.keys(missing).length === 0,
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
    /** How often one of its calls is made, and what it costs. */
    rate: atTimes(planned, planned.everyMs, span.length / 60),
    /** Where `run` writes what the line buys. */
    file: given.file,
    alert: given.alert as Pick<AlertOptions, 'above' | 'below' | 'movePercent'> | undefined,
  }
}

/** How `run` carries a line out. */
function kindOf(operation: OperationId, addresses: unknown): 'prices' | 'candles' | 'sweep' | 'call' {
  if (addresses === undefined) return 'call'
  if (isPriceOperation(operation)) return 'prices'
  return operation === 'token.candles' ? 'candles' : 'sweep'
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
