import { type CostEstimate, requestCost } from '../credits/cost.ts'
import type { OperationId } from '../generated/operations.ts'
import { chunkAddresses } from './batch.ts'
import { buildPath, type CheckedParams } from './params.ts'
import type { Part } from './types.ts'

/** The requests that a call takes: one, or one for each chunk of a batch. */
export function splitCall(checked: CheckedParams): Part[] {
  const { operation, values } = checked
  if (values.addresses === undefined) {
    const path = buildPath(checked)
    return [{ operation, path, key: path, cost: costOfRequest(operation, values.limit), addresses: [] }]
  }
  return chunkAddresses(values.addresses as readonly string[]).map((addresses) => {
    const ask = (list: readonly string[]) => buildPath({ operation, values: { ...values, addresses: list } })
    const cost = requestCost(operation, { addresses: addresses.length })
    return { operation, path: ask(addresses), key: ask([...addresses].sort()), cost, addresses }
  })
}

function costOfRequest(operation: OperationId, limit: unknown): CostEstimate {
  return requestCost(operation, typeof limit === 'number' ? { limit } : {})
}
