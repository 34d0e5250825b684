import type { CancellationSignal } from '../concurrency/cancellation.ts'
import { type Clock, startTimer } from '../concurrency/clock.ts'
import { failed, type Progress } from './outcome.ts'
import type { AttemptOutcome, HttpAttempt, Transport } from './transport.ts'

export interface AttemptOptions extends Pick<HttpAttempt, 'url' | 'headers'> {
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
  timeoutMs,
  signal,
  clock,
  onSent: report,
}: AttemptOptions): Promise<AttemptOutcome> {
  const progress: Progress = { sent: false, head: undefined }
  if (signal.aborted) return Promise.resolve(failed('aborted', progress, signal.reason))
  return new Promise((resolve) => {
    const controller = new AbortController()
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
      progress.head = head
    }
    const fail = (cause: unknown) => end(failed('network', progress, cause))
    const finish = (outcome: Partial<AttemptOutcome> | undefined) => {
      if (outcome?.failure?.kind || outcome?.response?.headers?.get) return end(outcome as AttemptOutcome)
      // Such a transport may not have reported either that it sent the request.
      progress.sent = true
      end(failed('invalid_fetch', progress, new TypeError('the transport gave no outcome')))
    }
    // A transport of the user may throw, and may return something else than a promise.
    try {
      const listeners = { onSent, onConnecting, onConnected, onHeaders }
      Promise.resolve(transport.send({ url, headers, signal: controller.signal, ...listeners })).then(finish, fail)
    } catch (cause) {
      fail(cause)
    }
  })
}
