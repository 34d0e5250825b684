import { ResponseError } from '../errors/api.ts'
import type { Issue } from '../errors/base.ts'
import { isArray, isObject } from '../operations/type-guards.ts'
import type { ValidateMode } from '../options.ts'
import { bodyOfError } from './response-errors.ts'
import type { Envelope, PlannedRequest, RequestResult } from './types.ts'

/** More would not help: a list of 500 may be wrong 500 times. */
const MAX_ISSUES = 20
/** No list of the service is longer; the schemas make some objects for each wrong item. */
const MAX_ITEMS = 500

/**
 * Explains why an answer does not match the contract. The schemas that know load only now. The answer is left as it is.
 * @returns the issues, for the event of the mode 'warn'
 * @throws ResponseError in the mode 'strict'
 */
export async function explainMismatch(
  { operation }: PlannedRequest,
  { envelope, text }: Pick<RequestResult, 'envelope' | 'text'>,
  mode: ValidateMode,
): Promise<Issue[]> {
  const issues = await findIssues(operation, envelope)
  if (mode !== 'strict') return issues
  const first = issues.slice(0, 1).map(({ path, message }) => `${path || 'the body'}: ${message}`)
  throw new ResponseError(
    `${operation}: the answer does not match the contract (${first}). The call was paid for and is not retried; the body is in error.body.`,
    { operation, code: 'unexpected_shape', issues, body: bodyOfError(envelope, text) },
  )
}

const UNKNOWN_ISSUE: Issue = { path: '', message: 'it has another shape' }

async function findIssues(operation: PlannedRequest['operation'], envelope: Envelope): Promise<Issue[]> {
  try {
    const { answerSchemas } = await import('../generated/answer-schemas.ts')
    const { error } =
      operation === 'request'
        ? {}
        : answerSchemas[operation].safeParse({ ...envelope, data: withShortLists(envelope.data) })
    const issues = (error?.issues ?? []).slice(0, MAX_ISSUES).map((issue) => ({
      path: issue.path.map(String).join('.'),
      message: 'expected' in issue ? `expected ${String(issue.expected)}` : issue.message,
    }))
    return issues.length > 0 ? issues : [UNKNOWN_ISSUE]
  } catch {
    // A page that is offline cannot load the schemas; that the answer is wrong is known all the same.
    return [UNKNOWN_ISSUE]
  }
}

/** The data without the items of its lists that are beyond the longest list of the service. */
function withShortLists(data: unknown): unknown {
  if (isArray(data)) return (data as unknown[]).slice(0, MAX_ITEMS)
  if (!isObject(data)) return data
  const short = (value: unknown) => (isArray(value) ? (value as unknown[]).slice(0, MAX_ITEMS) : value)
  return Object.fromEntries(
    Object.entries(data)
      .slice(0, MAX_ITEMS)
      .map(([name, value]) => [name, short(value)]),
  )
}
