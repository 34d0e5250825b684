import { tryTo, UNREADABLE } from '../utils/runtime.ts'
import type { AttemptOutcome, HttpResponse, ResponseHead, Transport, TransportFailure } from './transport.ts'

export interface Progress {
  sent: boolean
  /** Status and headers, as soon as they have arrived. */
  head: ResponseHead | undefined
}

export function failed(
  kind: TransportFailure['kind'],
  { sent, head }: Progress,
  thrown: unknown,
  more?: Pick<TransportFailure, 'hook' | 'response'>,
): AttemptOutcome {
  const isUnsent = tryTo(() => isNeverSent(thrown))
  const cause = isUnsent === undefined ? UNREADABLE : thrown
  const mayHaveArrived = head !== undefined || (sent && (kind !== 'network' || !isUnsent))
  const response = head && { status: head.status, headers: head.headers, text: undefined }
  return { failure: { kind, mayHaveArrived, response, cause, ...more } }
}

/** Codes of failures in which no byte of the request reached the server, where no step is given. */
const NEVER_SENT_CODE =
  /^(ERR_NO_FETCH|ERR_PROXY_TUNNEL|ERR_INVALID_URL|ERR_INVALID_PROTOCOL|ECONNREFUSED|ENOTFOUND|EAI_\w+|EADDRNOTAVAIL|UND_ERR_(?:CONNECT_TIMEOUT|INVALID_ARG)|UND_MOCK_ERR_MOCK_NOT_MATCHED|ERR_NOCK_NO_MATCH|ConnectionRefused|FailedToOpenSocket|CERT_\w+|ERR_TLS_CERT_\w+|ERR_SSL_(WRONG_VERSION_NUMBER|UNSUPPORTED_PROTOCOL|\w*HANDSHAKE_FAILURE|TLSV1_ALERT_\w+)|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+)$/

/** Steps before a connection is made, as Node names them. Every other one, such as `read`, needs a connection. */
const STEPS_BEFORE_SENDING = /^(connect|bind|getaddrinfo|query\w+)$/

/** These happen while a connection is made and also while it is read. */
const CODE_OF_TWO_STEPS = /^(EHOSTUNREACH|ENETUNREACH)$/

/** How undici, and the agent of the package hpagent, say that a forward proxy refused a tunnel. */
const REFUSED_TUNNEL = /^(?:Proxy response \(|Bad response: )(\d{3})(?:\) !== 200 when HTTP Tunneling)?$/

/** The same of Deno, which names one status only. */
const REFUSED_TUNNEL_IN_DENO = /client error \(Connect\): (?:(proxy authentication required)|unsuccessful tunnel)/

/**
 * Failures without a code of their own. `fetch` blocks some ports, in the words of Node, Deno and Safari. Then follow a TLS handshake that the
 * server cut off, in Node; a tunnel that a forward proxy refused, in undici; whatever failed while Deno connected; and what the mocks of a test
 * refuse, in nock and msw.
 */
const NEVER_SENT_MESSAGE =
  /^bad port$|Requests to port \d+ are blocked|restricted network port|before secure TLS connection was established|^Proxy response \(\d{3}\) !== 200 when HTTP Tunneling$|\): client error \(Connect\)|^Nock: Disallowed net connect for |^\[MSW\] Cannot bypass a request /i

const MAX_DEPTH = 5

/** A code of this library for requests that a transport does not send. */
export const NOT_SENT = 'ERR_NO_FETCH'

/** A code of Node and Bun, and of this library: a forward proxy refused a tunnel to the service. */
export const PROXY_TUNNEL = 'ERR_PROXY_TUNNEL'

/** Whether an error, or a cause of it, says that a forward proxy refused a tunnel, and the status with which, where it is known. */
export function refusedTunnel(error: unknown, depth = 0): { readonly status: number | undefined } | undefined {
  if (typeof error !== 'object' || error === null || depth > MAX_DEPTH) return undefined
  const { code, message, statusCode, status = statusCode, cause } = error as Record<string, unknown>
  if (code === PROXY_TUNNEL && typeof status === 'number') return { status }
  const text = typeof message === 'string' ? message : ''
  const stated = REFUSED_TUNNEL.exec(text)
  if (stated !== null) return { status: Number(stated[1]) }
  const byDeno = REFUSED_TUNNEL_IN_DENO.exec(text)
  if (byDeno !== null) return { status: byDeno[1] === undefined ? undefined : 407 }
  return refusedTunnel(cause, depth + 1)
}

/** Whether an error, or a cause of it, shows that the request never reached the server: by the step that failed, else by the code. */
export function isNeverSent(error: unknown, depth = 0): boolean {
  if (typeof error !== 'object' || error === null || depth > MAX_DEPTH) return false
  const { code, message, errors, cause } = error as Record<'code' | 'message' | 'errors' | 'cause', unknown>
  // Several addresses were tried to make one connection.
  if (Array.isArray(errors) && errors.length > 0)
    return errors.every((one: unknown) => isNeverSent(one, depth + 1) || isOfTwoSteps(one))
  const step = stepOf(error)
  if (typeof message === 'string' && NEVER_SENT_MESSAGE.test(message)) return true
  if (step !== undefined) return STEPS_BEFORE_SENDING.test(step)
  if (typeof code === 'string' && NEVER_SENT_CODE.test(code)) return true
  return isNeverSent(cause, depth + 1)
}

function isOfTwoSteps(error: unknown): boolean {
  const { code } = Object(error) as { code?: unknown }
  return stepOf(error) === undefined && typeof code === 'string' && CODE_OF_TWO_STEPS.test(code)
}

/** The step at which Node failed: `syscall`, which some errors have in their message only, as in `connect ECONNREFUSED 127.0.0.1:80`. */
function stepOf(error: unknown): string | undefined {
  const { syscall, code, message } = Object(error) as Record<'syscall' | 'code' | 'message', unknown>
  if (typeof syscall === 'string') return syscall
  if (typeof code !== 'string' || typeof message !== 'string') return undefined
  const [first = '', second] = message.slice(0, 100).split(' ')
  return second === code ? first : undefined
}

/** Registered, because the client and `etn-market/node` are files of their own. */
const LIGHT_SIGNAL = Symbol.for('etn-market.light-signal')

/**
 * Marks a `send` that uses no more of its signal than `CancellationSignal` has: to make and collect an AbortSignal takes a third of a call over
 * `node:http`. The value of the mark is the function itself, so that a wrapper, a copy and a `Proxy` of it are not marked: code of the user gets
 * a real AbortSignal.
 */
export function acceptLightSignal<Send extends Transport['send']>(send: Send): Send {
  return Object.defineProperty(send, LIGHT_SIGNAL, { value: send })
}

export function acceptsLightSignal(send: Transport['send']): boolean {
  return (send as { [LIGHT_SIGNAL]?: unknown })[LIGHT_SIGNAL] === send
}

const KINDS: readonly unknown[] = [
  'network',
  'timeout',
  'aborted',
  'redirect',
  'hook',
  'not_built',
  'invalid_fetch',
  'too_large',
  'not_decoded',
]

const READ_HEADERS = ['x-credits-cost', 'x-credits-remaining', 'content-type', 'retry-after', 'date']

/**
 * The outcome, where a transport of the user gave one that can be read and billed; else undefined. Its getters may throw.
 * @param head what was found readable when it arrived
 */
export function checkOutcome(outcome: unknown, head?: ResponseHead): AttemptOutcome | undefined {
  const isValid = tryTo(() => {
    const { response, failure, answered } = Object(outcome) as Partial<
      Record<'response' | 'failure' | 'answered', unknown>
    >
    const isWholeOrFailure = failure === undefined ? isWhole(response, head) : isFailure(failure)
    return isWholeOrFailure && (answered === undefined || checkOutcome(answered) !== undefined)
  })
  return isValid ? (outcome as AttemptOutcome) : undefined
}

/** Whether a value has what is used of `Headers`. */
export const isHeaders = (value: unknown): value is Headers =>
  typeof (value as Headers | undefined)?.get === 'function' && typeof (value as Headers)[Symbol.iterator] === 'function'

export function isHead(head: unknown): head is ResponseHead {
  const isReadable = tryTo(() => {
    const { status, headers } = Object(head) as Partial<ResponseHead>
    if (!Number.isInteger(status) || Number(status) < 100 || Number(status) > 999) return false
    return isHeaders(headers) && READ_HEADERS.every((name) => isTextOrNone(headers.get(name)))
  })
  return isReadable === true
}

function isWhole(response: unknown, known?: ResponseHead): boolean {
  const { status, headers, text } = Object(response) as Partial<HttpResponse>
  const isKnown = known !== undefined && known.status === status && known.headers === headers
  return (isKnown || isHead(response)) && isTextOrNone(text)
}

function isFailure(failure: unknown): boolean {
  const { kind, mayHaveArrived, response, cause } = Object(failure) as Partial<TransportFailure>
  if (!KINDS.includes(kind) || typeof mayHaveArrived !== 'boolean') return false
  // Throws for a cause that cannot be read.
  isNeverSent(cause)
  return response === undefined || isWhole(response)
}

function isTextOrNone(value: unknown): boolean {
  return typeof value === 'string' || value === undefined || value === null
}
