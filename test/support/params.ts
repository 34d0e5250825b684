import { InvalidRequestError, type OperationId } from 'etn-market'
import { validateParams } from '../../src/operations/validate-params.ts'
import { buildPath } from '../../src/request/plan-requests.ts'

/** The path of a call with these parameters. */
export const pathOf = (operation: OperationId, params?: unknown) => buildPath(validateParams(operation, params))

/** The error of a call with invalid parameters. */
export function refused(operation: OperationId, params: unknown): InvalidRequestError {
  try {
    validateParams(operation, params)
  } catch (error) {
    if (error instanceof InvalidRequestError) return error
  }
  throw new Error(`${operation} accepted ${JSON.stringify(params)}`)
}
