import { type CancellationSignal, LightAbortController } from '../concurrency/cancellation.ts'
import { type Clock, startTimer } from '../concurrency/clock.ts'
import { checkOutcome, isHead } from './check-outcome.ts'
import { acceptsLightSignal } from './light-signal.ts'
import { failed, type Progress } from './outcome.ts'
import { sizeError } from './response-text.ts'
import type { AttemptOutcome, HttpAttempt, Transport } from './transport.ts'

export interface AttemptOptions extends Pick<HttpAttempt, 'url' | 'headers' | 'context' | 'maxResponseBytes'> {
  readonly transport: Transport
  /** From the start, hooks included, to the last byte of the body. Milliseconds. */
  readonly timeoutMs: number
  /** Ends the attempt from outside. */
  readonly signal: CancellationSignal
  readonly clock: Clock
  /** Called before the request is handed to the network, once for each redirect that is followed. */
  onSent?(): void
}

/**
 * Sends one request and resolves as soon as it ended: with the transport's outcome, or because its time is over or the caller
 * aborted it. It does not wait for a transport that ignores its signal. It never rejects.
 */
export function attempt({
  transport,
  url,
  headers,
  context,
  maxResponseBytes = Number.POSITIVE_INFINITY,
  timeoutMs,
  signal,
  clock,
  onSent: report,
}: AttemptOptions): Promise<AttemptOutcome> {
  const progress: Progress = { sent: false, head: undefined }
  if (signal.aborted) return Promise.resolve(failed('aborted', progress, signal.reason))
  return new Promise((resolve) => {
    // A real one costs 9 µs, an eighth of a call over `node:http`.
    const controller = acceptsLightSignal(transport.send) ? new LightAbortController() : new AbortController()
    const end = (outcome: AttemptOutcome) => {
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
    const stopTimer = startTimer(clock, timeoutMs, () =>
      stop('timeout', new DOMException(`No complete response within ${timeoutMs} ms`, 'TimeoutError')),
    )
    const onSent = () => {
      // What the report aborts is not sent.
      report?.()
      progress.sent ||= !signal.aborted
    }
    const onConnecting = () => {
      progress.isConnecting = true
    }
    const onConnected = () => {
      progress.isConnecting = false
    }
    const onHeaders: HttpAttempt['onHeaders'] = (head) => {
      progress.head = isHead(head) ? head : undefined
    }
    const fail = (cause: unknown) => end(failed('network', progress, cause))
    const finish = (given: unknown) => {
      const outcome = checkOutcome(given, progress.head)
      if (outcome === undefined) {
        // Such a transport may not have reported either that it sent the request.
        progress.sent = true
        return end(failed('invalid_fetch', progress, new TypeError('the transport gave no outcome that can be read')))
      }
      const answer = outcome.response ?? outcome.failure.response
      const tooLarge = sizeError(answer?.text, maxResponseBytes)
      if (answer === undefined || tooLarge === undefined) return end(outcome)
      progress.head = { status: answer.status, headers: answer.headers }
      end(failed('too_large', progress, tooLarge))
    }
    // A transport of the user may throw, and may return something else than a promise.
    try {
      const signal = ('signal' in controller ? controller.signal : controller) as AbortSignal
      const sending = transport.send({
        url,
        headers,
        context,
        signal,
        maxResponseBytes,
        onSent,
        onConnecting,
        onConnected,
        onHeaders,
      })
      Promise.resolve(sending).then(finish, fail)
    } catch (cause) {
      fail(cause)
    }
  })
}
