import type { AttemptOutcome, HttpResponse, ResponseHead, TransportFailure } from './transport.ts'

const KINDS: Readonly<Record<TransportFailure['kind'], true>> = {
  network: true,
  timeout: true,
  aborted: true,
  redirect: true,
  hook: true,
  invalid_fetch: true,
  too_large: true,
}

/** The headers that a client reads. */
const READ_HEADERS = ['x-credits-cost', 'x-credits-remaining', 'content-type', 'retry-after', 'date']

/**
 * The outcome, where a transport of the user gave one that can be read and billed; else undefined. Its getters may throw.
 * @param known a head that can be read, for which it is not looked at again
 */
export function checkOutcome(outcome: unknown, known?: ResponseHead): AttemptOutcome | undefined {
  try {
    const { response, failure, answered } = Object(outcome) as Partial<
      Record<'response' | 'failure' | 'answered', unknown>
    >
    const isWholeOrFailure = failure === undefined ? isWhole(response, known) : isFailure(failure)
    const isValid = isWholeOrFailure && (answered === undefined || checkOutcome(answered) !== undefined)
    return isValid ? (outcome as AttemptOutcome) : undefined
  } catch {
    return undefined
  }
}

/** Whether status and headers can be read. */
export function isHead(head: unknown): head is ResponseHead {
  try {
    const { status, headers } = Object(head) as Partial<ResponseHead>
    if (!Number.isInteger(status) || Number(status) < 100 || Number(status) > 999) return false
    if (typeof headers?.get !== 'function' || typeof headers[Symbol.iterator] !== 'function') return false
    return READ_HEADERS.every((name) => isTextOrNone(headers.get(name)))
  } catch {
    return false
  }
}

function isWhole(response: unknown, known?: ResponseHead): boolean {
  const { headers, status, text } = Object(response) as Partial<HttpResponse>
  const isKnown = known !== undefined && headers === known.headers && status === known.status
  return (isKnown || isHead(response)) && isTextOrNone(text)
}

function isFailure(failure: unknown): boolean {
  const { kind, mayHaveArrived, response } = Object(failure) as Partial<TransportFailure>
  if (!Object.hasOwn(KINDS, String(kind)) || typeof mayHaveArrived !== 'boolean') return false
  return response === undefined || isWhole(response)
}

function isTextOrNone(value: unknown): boolean {
  return typeof value === 'string' || value === undefined || value === null
}
