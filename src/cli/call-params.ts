import type { Command } from 'commander'
import {
  type ApiPromise,
  type CallOptions,
  type Client,
  estimateCost,
  type OperationId,
  operations,
  type Sweep,
  type SweepOptions,
} from 'etn-market'
import type { Operation, Param } from '../operations/operation.ts'
import { readItems } from './common-options.ts'
import { didYouMean, usageError } from './failure.ts'
import { readAddressLines, splitAddresses } from './read-addresses.ts'
import type { Session } from './session.ts'

/** The values of parameter options. */
export type ParamOptions = Readonly<Record<string, unknown>>

/** Adds an option for each parameter that an operation takes. */
export function addParamOptions(command: Command): Command {
  for (const [name, { param, operations }] of paramUsers()) {
    const rule = param.kind === 'choice' ? param.values.join(', ') : RULES[param.kind]
    const where = operations.length > 4 ? `${operations.length} operations` : operations.join(', ')
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
    if (name === 'addresses') params[name] = await readList(session, value)
    else params[name] = ['limit', 'version'].includes(name) ? readItems(value) : value
  }
  return params
}

async function readList(session: Session, value: string): Promise<string[]> {
  const list = value === '-' ? await readAddressLines(session) : splitAddresses(value)
  if (list.length === 0) throw usageError('--addresses: the list is empty.')
  return list
}

/** Each parameter, and the operations that take it. */
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
