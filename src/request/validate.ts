import type { ErrorDetails, Issue } from '../errors/base.ts'
import { ResponseError } from '../errors/response.ts'
import type { Emit } from '../events.ts'
import { answerGuards } from '../generated/guards.ts'
import type { OperationId } from '../generated/operations.ts'
import type { ValidateMode } from '../options.ts'
import type { Envelope } from './types.ts'

/** Enough to see what is wrong; a list of 500 may be wrong 500 times. */
const MOST_ISSUES = 20

/**
 * Tells why an answer is not what the contract says; the schemas that know load only now. The answer is left as it is.
 * @throws ResponseError in the mode 'strict'; in the mode 'warn' the event tells.
 */
export async function reportMismatch(
  operation: OperationId,
  envelope: Envelope,
  mode: ValidateMode,
  emit: Emit,
  details: Omit<ErrorDetails, 'code'>,
): Promise<void> {
  const issues = await findIssues(operation, envelope)
  if (mode === 'warn') {
    emit({ type: 'response.mismatch', operation, issues })
    return
  }
  const where = issues.slice(0, 1).map(({ path, message }) => `${path || 'the body'}: ${message}`)
  throw new ResponseError(
    `${operation}: the answer is not what the contract says (${where}). It was paid for and is not asked again; it is in error.body.`,
    { operation, ...details, code: 'unexpected_shape', issues, body: envelope },
  )
}

/** Whether the answer is not what the contract says, as far as anybody wants to know. */
export function isUnexpected(operation: OperationId, envelope: Envelope, mode: ValidateMode): boolean {
  return mode !== 'off' && !answerGuards[operation](envelope)
}

async function findIssues(operation: OperationId, envelope: Envelope): Promise<Issue[]> {
  try {
    const { answerSchemas } = await import('../generated/schemas.ts')
    const { error } = answerSchemas[operation].safeParse(envelope)
    return (error?.issues ?? []).slice(0, MOST_ISSUES).map((issue) => ({
      path: issue.path.map(String).join('.'),
      message: 'expected' in issue ? `expected ${String(issue.expected)}` : issue.message,
    }))
  } catch {
    // A page that is offline cannot load them; that the answer is wrong is known all the same.
    return [{ path: '', message: 'it has another shape' }]
  }
}
