import { type CancellationSignal, LightAbortController } from '../concurrency/cancellation.ts'
import { type Clock, startTimer } from '../concurrency/clock.ts'
import { namedError } from '../utils/runtime.ts'
import { acceptsLightSignal } from './light-signal.ts'
import { failed, type Progress, responseOf } from './outcome.ts'
import { sizeError } from './response-text.ts'
import type {
  AttemptOutcome,
  HttpAttempt,
  HttpResponse,
  ResponseHead,
  Transport,
  TransportFailure,
} from './transport.ts'

const KINDS: readonly unknown[] = [
  'network',
  'timeout',
  'aborted',
  'redirect',
  'hook',
  'not_built',
  'invalid_fetch',
  'too_large',
]

const READ_HEADERS = ['x-credits-cost', 'x-credits-remaining', 'content-type', 'retry-after', 'date']

interface AttemptOptions extends Pick<HttpAttempt, 'url' | 'headers' | 'context'> {
  readonly transport: Transport
  readonly maxResponseBytes: number
  /** From the start, hooks included, to the last byte of the body. Milliseconds. */
  readonly timeoutMs: number
  /** Ends the attempt from outside. */
  readonly signal: CancellationSignal
  readonly clock: Clock
  /** Called when a connection is being made or could not be made. */
  onConnecting(): void
  /** Waits for what the last look needs. What it rejects with, the attempt rejects with. */
  prepareLook(): Promise<void>
  /**
   * The last look, right before the request is handed to the network, once for each redirect that is followed. False where the request may
   * be sent later, but not now. What it throws, the attempt rejects with.
   */
  mayBeSent(): boolean
}

/**
 * Sends one request and resolves as soon as it ended: with the transport's outcome, or because its time is over or the caller
 * aborted it. It does not wait for a transport that ignores its signal. Undefined where the request must be sent later: nothing was sent.
 * It rejects only with what the last look throws.
 */
export function attempt(options: AttemptOptions): Promise<AttemptOutcome | undefined> {
  const { url, headers, context, maxResponseBytes, timeoutMs, signal } = options
  const progress: Progress = { sent: false, head: undefined }
  if (signal.aborted) return Promise.resolve(failed('aborted', progress, signal.reason))
  return new Promise((resolve, reject) => {
    const controller = acceptsLightSignal(options.transport.send) ? new LightAbortController() : new AbortController()
    let hasEnded = false
    const end = (outcome: AttemptOutcome | undefined) => {
      hasEnded = true
      stopTimer()
      signal.removeEventListener('abort', onAbort)
      resolve(outcome)
    }
    const stop = (kind: 'timeout' | 'aborted', reason: unknown) => {
      end(failed(kind, progress, reason))
      controller.abort(reason)
    }
    const onAbort = () => stop('aborted', signal.reason)
    signal.addEventListener('abort', onAbort)
    const stopTimer = startTimer(options.clock, timeoutMs, () =>
      stop('timeout', namedError('TimeoutError', `No complete response within ${timeoutMs} ms`)),
    )
    /** Ends it without an outcome: for the transport it was aborted. */
    const sendNothing = (reason: unknown): never => {
      if (!hasEnded) {
        end(undefined)
        controller.abort(reason)
      }
      throw reason
    }
    const refuse = (error: unknown): never => {
      reject(error)
      return sendNothing(error)
    }
    const requireOngoing = () => {
      if (hasEnded) throw new Error('The attempt has ended, so its request must not be sent.')
    }
    const look = async () => {
      requireOngoing()
      await options.prepareLook().catch(refuse)
    }
    const onSent = () => {
      requireOngoing()
      let isAllowed = false
      try {
        isAllowed = options.mayBeSent()
      } catch (error) {
        refuse(error)
      }
      if (!isAllowed) sendNothing(new Error('The request must not be sent now: the client sends it later.'))
      progress.sent = true
    }
    const fail = (cause: unknown) => end(failed('network', progress, cause))
    const finish = (given: unknown) => {
      const outcome = checkOutcome(given)
      if (outcome === undefined) {
        // Such a transport may not have reported either that it sent the request.
        progress.sent = true
        return end(failed('invalid_fetch', progress, new TypeError('the transport gave no outcome that can be read')))
      }
      const answer = responseOf(outcome)
      const tooLarge = sizeError(answer?.text, maxResponseBytes)
      if (answer === undefined || tooLarge === undefined) return end(outcome)
      progress.head = { status: answer.status, headers: answer.headers }
      end({ ...failed('too_large', progress, tooLarge), answered: outcome.answered })
    }
    // A transport of the user may throw, and may return something else than a promise.
    try {
      const sending = options.transport.send({
        url,
        headers,
        context,
        signal: ('signal' in controller ? controller.signal : controller) as AbortSignal,
        maxResponseBytes,
        onConnecting() {
          if (!hasEnded) options.onConnecting()
        },
        lastLook() {
          const looked = look()
          // A transport of the user may not wait for it.
          looked.catch(() => {})
          return looked
        },
        onSent,
        onHeaders(head) {
          progress.head = isHead(head) ? head : undefined
        },
      })
      Promise.resolve(sending).then(finish, fail)
    } catch (cause) {
      fail(cause)
    }
  })
}

/** The outcome, where a transport of the user gave one that can be read and billed; else undefined. Its getters may throw. */
function checkOutcome(outcome: unknown): AttemptOutcome | undefined {
  try {
    const { response, failure, answered } = Object(outcome) as Partial<
      Record<'response' | 'failure' | 'answered', unknown>
    >
    const isWholeOrFailure = failure === undefined ? isWhole(response) : isFailure(failure)
    const isValid = isWholeOrFailure && (answered === undefined || checkOutcome(answered) !== undefined)
    return isValid ? (outcome as AttemptOutcome) : undefined
  } catch {
    return undefined
  }
}

function isHead(head: unknown): head is ResponseHead {
  try {
    const { status, headers } = Object(head) as Partial<ResponseHead>
    if (!Number.isInteger(status) || Number(status) < 100 || Number(status) > 999) return false
    if (typeof headers?.get !== 'function' || typeof headers[Symbol.iterator] !== 'function') return false
    return READ_HEADERS.every((name) => isTextOrNone(headers.get(name)))
  } catch {
    return false
  }
}

function isWhole(response: unknown): boolean {
  return isHead(response) && isTextOrNone((response as Partial<HttpResponse>).text)
}

function isFailure(failure: unknown): boolean {
  const { kind, mayHaveArrived, response } = Object(failure) as Partial<TransportFailure>
  if (!KINDS.includes(kind) || typeof mayHaveArrived !== 'boolean') return false
  return response === undefined || isWhole(response)
}

function isTextOrNone(value: unknown): boolean {
  return typeof value === 'string' || value === undefined || value === null
}
