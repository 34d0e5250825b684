import type { Command } from 'commander'
import {
  type ApiPromise,
  type CallOptions,
  type Client,
  type OperationId,
  operations,
  type Sweep,
  type SweepOptions,
} from 'etn-market'
import type { Operation, Param } from '../operations/operation.ts'
import { unknownValue, usageError } from './failure.ts'
import { readAddressLines, splitAddresses } from './read-addresses.ts'
import type { Session } from './session.ts'

/** The values of parameter options. */
export type ParamOptions = Readonly<Record<string, unknown>>

/** Adds an option for each parameter that an operation takes. */
export function addParamOptions(command: Command): Command {
  for (const [name, users] of paramUsers()) {
    command.option(`--${name} <${name === 'addresses' ? 'a,b,…|-' : 'value'}>`, describeParam(users))
  }
  return command
}

/** The operation with this name. @throws CommandError with the nearest name */
export function readOperation(name: string): OperationId {
  const known = Object.keys(operations)
  if (known.includes(name)) return name as OperationId
  throw unknownValue('operation', name, known)
}

/** The parameters of a call, from the options. The library checks them. `-` reads addresses from standard input. */
export async function readParams(session: Session, options: ParamOptions): Promise<Record<string, unknown>> {
  const params: Record<string, unknown> = {}
  for (const name of paramUsers().keys()) {
    const value = options[name]
    if (typeof value === 'string')
      params[name] = name === 'addresses' ? await readList(session, value) : readValue(name, value)
  }
  return params
}

async function readList(session: Session, value: string): Promise<string[]> {
  const list = value === '-' ? await readAddressLines(session) : splitAddresses(value)
  if (list.length === 0) throw usageError('--addresses: the list is empty.')
  return list
}

/** A number where the parameter is one. */
function readValue(name: string, value: string): string | number {
  return ['limit', 'version'].includes(name) && /^\d{1,15}$/.test(value) ? Number(value) : value
}

type Users = { readonly operation: string; readonly param: Param }[]

function paramUsers(): Map<string, Users> {
  const users = new Map<string, Users>()
  for (const [operation, { params }] of Object.entries<Operation>(operations)) {
    for (const param of params) users.set(param.name, [...(users.get(param.name) ?? []), { operation, param }])
  }
  return users
}

function describeParam(users: Users): string {
  const [first] = users
  const where = users.length > 4 ? `${users.length} operations` : users.map(({ operation }) => operation).join(', ')
  return `${first === undefined ? '' : describeRule(first.param)} (${where})`
}

function describeRule(param: Param): string {
  switch (param.kind) {
    case 'address':
      return '0x and 40 hex digits'
    case 'addresses':
      return 'addresses; - reads them from standard input, one a line'
    case 'limit':
      return 'number of items'
    case 'choice':
      return param.values.join(', ')
  }
}

/** A method of a client, for an operation that is known when the program runs. */
export interface OperationMethod {
  (params: unknown, options: CallOptions): ApiPromise<unknown>
  many<Params>(params: readonly Params[], options: SweepOptions): Sweep<Params, unknown>
}

/** The method that has the operation's name. */
export function methodOf(client: Client, operation: OperationId): OperationMethod {
  const [group = '', action = ''] = operation.split('.')
  const groups = client as unknown as Record<string, Record<string, OperationMethod>>
  return groups[group]?.[action] as OperationMethod
}
