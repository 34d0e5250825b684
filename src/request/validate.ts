import type { ErrorDetails, Issue } from '../errors/base.ts'
import { ResponseError } from '../errors/response.ts'
import type { Emit } from '../events.ts'
import type { OperationId } from '../generated/operations.ts'
import { answerSchemas } from '../generated/schemas.ts'
import type { ValidateMode } from '../options.ts'
import type { Envelope } from './types.ts'

/** Enough to see what is wrong; a list of 500 may be wrong 500 times. */
const MOST_ISSUES = 20

/**
 * Compares an answer with the contract and leaves it as it is.
 * @throws ResponseError in the mode 'strict'; in the mode 'warn' the event tells.
 */
export function validate(
  operation: OperationId,
  envelope: Envelope,
  mode: ValidateMode,
  emit: Emit,
  details: Omit<ErrorDetails, 'code'>,
): void {
  if (mode === 'off') return
  const issues = findIssues(operation, envelope)
  const [first] = issues
  if (first === undefined) return
  if (mode === 'warn') {
    emit({ type: 'response.mismatch', operation, issues })
    return
  }
  const where = `${first.path || 'the body'}: ${first.message}`
  throw new ResponseError(
    `${operation}: the answer is not what the contract says (${where}). It was paid for and is not asked again; it is in error.body.`,
    {
      operation,
      ...details,
      code: 'unexpected_shape',
      issues,
      body: envelope,
    },
  )
}

function findIssues(operation: OperationId, envelope: Envelope): Issue[] {
  const result = answerSchemas[operation].safeParse(envelope)
  if (result.success) return []
  return result.error.issues.slice(0, MOST_ISSUES).map((issue) => ({
    path: issue.path.map(String).join('.'),
    message: 'expected' in issue ? `expected ${String(issue.expected)}` : issue.message,
  }))
}
