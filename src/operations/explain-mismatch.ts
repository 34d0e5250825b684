import type { CallName, Issue } from '../errors/base.ts'
import { isArray, isObject } from './type-guards.ts'

/** More would not help: a list of 500 may be wrong 500 times. */
const MAX_ISSUES = 20
/** No list of the service is longer; the schemas make some objects for each wrong item. */
const MAX_ITEMS = 500

const UNKNOWN_ISSUE: Issue = { path: '', message: 'it has another shape' }

/** Why an answer does not match the contract. The schemas that know load only now. The answer is left as it is. */
export async function explainMismatch(operation: CallName, envelope: { readonly data: unknown }): Promise<Issue[]> {
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
