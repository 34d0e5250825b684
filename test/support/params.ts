import { InvalidRequestError, type OperationId } from 'etn-market'
import { checkParams } from '../../src/request/params.ts'
import { buildPath } from '../../src/request/part.ts'

/** Where a call with these parameters goes. */
export const pathOf = (operation: OperationId, params?: unknown) => buildPath(checkParams(operation, params))

/** The error of parameters that are not accepted. */
export function refused(operation: OperationId, params: unknown): InvalidRequestError {
  try {
    checkParams(operation, params)
  } catch (error) {
    if (error instanceof InvalidRequestError) return error
  }
  throw new Error(`${operation} accepted ${JSON.stringify(params)}`)
}
