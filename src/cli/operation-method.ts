import type { ApiPromise, CallOptions, Client, OperationId, Sweep, SweepOptions } from 'etn-market'

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
