import { existsSync } from 'node:fs'
import { addAbortSignal } from 'node:stream'
import type { Command } from 'commander'
import {
  type ApiPromise,
  type CallOptions,
  type Client,
  checksumAddress,
  estimateCost,
  isAddress,
  type OperationId,
  operations,
  type Sweep,
  type SweepOptions,
} from 'etn-market'
import type { Operation, Param } from '../operations/operation.ts'
import { readItems } from './common-options.ts'
import { didYouMean, usageError } from './failure.ts'
import { readTextFile } from './files.ts'
import { formatItems } from './output.ts'
import type { Session } from './session.ts'

export type ParamOptions = Readonly<Record<string, unknown>>

export function addParamOptions(command: Command): Command {
  for (const [name, { param, operations }] of paramUsers()) {
    const rule = param.kind === 'choice' ? param.values.join(', ') : RULES[param.kind]
    const where = operations.length > 4 ? formatItems(operations.length, 'operation') : operations.join(', ')
    command.option(`--${name} <${name === 'addresses' ? 'a,b,…|-' : 'value'}>`, `${rule} (${where})`)
  }
  return command
}

/** The operation with this name. @throws CommandError with the nearest name */
export function readOperation(name: string): OperationId {
  const known = Object.keys(operations)
  if (known.includes(name)) return name as OperationId
  throw usageError(`unknown operation ${JSON.stringify(name)}. ${didYouMean(name, known)}`)
}

/** The cost of a call whose parameters are checked here. @throws InvalidRequestError naming the parameter */
export const estimateCall = estimateCost as (operation: OperationId, params: unknown) => ReturnType<typeof estimateCost>

/** The parameters of a call, from the options. The library checks them. `-` reads addresses from standard input. */
export async function readParams(session: Session, options: ParamOptions): Promise<Record<string, unknown>> {
  const params: Record<string, unknown> = {}
  for (const name of paramUsers().keys()) {
    const value = options[name]
    if (typeof value !== 'string') continue
    if (name === 'addresses') {
      const list = value === '-' ? await readAddressLines(session) : splitAddresses(value)
      if (list.length === 0) throw usageError('--addresses: the list is empty.')
      params[name] = list
    } else params[name] = ['limit', 'version'].includes(name) ? readItems(value) : value
  }
  return params
}

function paramUsers(): Map<string, { readonly param: Param; readonly operations: string[] }> {
  const users: ReturnType<typeof paramUsers> = new Map()
  for (const [operation, { params }] of Object.entries<Operation>(operations))
    for (const param of params) {
      const known = users.get(param.name) ?? { param, operations: [] }
      known.operations.push(operation)
      users.set(param.name, known)
    }
  return users
}

const RULES = {
  address: '0x and 40 hex digits',
  addresses: 'addresses; - reads them from standard input, one a line',
  limit: 'number of items',
}

interface OperationMethod {
  (params: unknown, options: CallOptions): ApiPromise<unknown>
  many<Params>(params: readonly Params[], options: SweepOptions): Sweep<Params, unknown>
}

/** A method of a client, for an operation that is known when the program runs. */
export function methodOf(client: Client, operation: OperationId): OperationMethod {
  const [group = '', action = ''] = operation.split('.')
  const groups = client as unknown as Record<string, Record<string, OperationMethod>>
  return groups[group]?.[action] as OperationMethod
}

/** Addresses of the command line, each once: an argument is an address, a file with one a line, or `-` for standard input. */
export async function readAddresses(session: Session, args: readonly string[]): Promise<string[]> {
  const lists = await Promise.all(args.map((arg) => readArgument(session, arg)))
  const addresses = [...new Set(lists.flat())]
  if (addresses.length === 0) throw usageError('no addresses: the list is empty.')
  return addresses
}

async function readArgument(session: Session, arg: string): Promise<string[]> {
  if (arg === '-') return checkAll(await readAddressLines(session), 'standard input')
  const file = session.file(arg)
  if (!arg.startsWith('0x') && existsSync(file.path)) return checkAll(splitAddresses(readTextFile('file', file)), arg)
  return [checkAddress(arg, '')]
}

/** The addresses on standard input, one a line. Blank lines and comments after `#` are skipped. */
export async function readAddressLines({ host, signal }: Session): Promise<string[]> {
  if (host.stdin.isTTY) host.stderr.write('Reading addresses, one a line; Ctrl-D ends.\n')
  let text = ''
  for await (const chunk of addAbortSignal(signal, host.stdin)) text += chunk
  return splitAddresses(text)
}

export function splitAddresses(text: string): string[] {
  return text
    .replace(/#.*$/gm, '')
    .split(/[\s,;]+/)
    .filter((word) => word !== '')
}

/** @throws CommandError for the first that is none, with its place in the source */
export const checkAll = (addresses: readonly string[], source: string): string[] =>
  addresses.map((address, index) => checkAddress(address, ` (entry ${index + 1} of ${source})`))

function checkAddress(address: string, where: string): string {
  const isValid: boolean = isAddress(address)
  if (isValid) return address
  const rule = /^0x[0-9a-f]{40}$/i.test(address)
    ? `its EIP-55 checksum is wrong: check the digits, or write ${checksumAddress(address.toLowerCase())}`
    : 'an address is 0x and 40 hex digits'
  throw usageError(`invalid address ${JSON.stringify(address.slice(0, 80))}${where}: ${rule}.`)
}
