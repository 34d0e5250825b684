import { type CancellationSignal, LightAbortController } from '../concurrency/cancellation.ts'
import { type Clock, startTimer } from '../concurrency/clock.ts'
import { namedError } from '../utils/runtime.ts'
import { acceptsLightSignal, failed, type Progress, responseOf } from './outcome.ts'
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

const nothing = (): void => {}

/** The request that is attempted: it decides whether it may be sent. */
export interface AttemptOwner {
  /** Ends the attempt from outside. */
  readonly signal: CancellationSignal
  /** A connection is being made or could not be made. */
  noteConnecting(): void
  /** Waits for what the last look needs. What it rejects with, the attempt rejects with. */
  recheck(): Promise<void>
  /**
   * The last look, right before the request is handed to the network, once for each redirect that is followed. False where the request may
   * be sent later, but not now. What it throws, the attempt rejects with.
   */
  mayBeSent(): boolean
}

export interface AttemptOptions extends Pick<HttpAttempt, 'url' | 'headers' | 'context'> {
  readonly transport: Transport
  readonly maxResponseBytes: number
  /** From the start, hooks included, to the last byte of the body. Milliseconds. */
  readonly timeoutMs: number
  readonly clock: Clock
}

/**
 * One try to send a request, which the transport talks to. It ends with the transport's outcome, or because its time is over or the caller aborted
 * it: it does not wait for a transport that ignores its signal. What a transport takes is its own: it may be copied and taken apart.
 */
export class Attempt implements HttpAttempt {
  readonly url: string
  readonly headers: HttpAttempt['headers']
  readonly context: HttpAttempt['context']
  readonly maxResponseBytes: number
  readonly signal: AbortSignal
  readonly #controller: AbortController | LightAbortController
  readonly #options: AttemptOptions
  readonly #progress: Progress = { sent: false, head: undefined }
  /** Undefined when it has ended: what a transport keeps leads to no call and no answer. */
  #owner: AttemptOwner | undefined
  #stopTimer = nothing
  #resolve: (outcome: AttemptOutcome | undefined) => void = nothing
  #reject: (error: unknown) => void = nothing

  constructor(options: AttemptOptions, owner: AttemptOwner) {
    this.url = options.url
    this.headers = options.headers
    this.context = options.context
    this.maxResponseBytes = options.maxResponseBytes
    this.#controller = acceptsLightSignal(options.transport.send) ? new LightAbortController() : new AbortController()
    this.signal = ('signal' in this.#controller ? this.#controller.signal : this.#controller) as AbortSignal
    this.#options = options
    this.#owner = owner
  }

  /** Undefined where the request must be sent later: nothing was sent. Rejects only with what the owner throws. */
  send(): Promise<AttemptOutcome | undefined> {
    const { transport, clock, timeoutMs } = this.#options
    const { signal } = this.#owner as AttemptOwner
    if (signal.aborted) return Promise.resolve(failed('aborted', this.#progress, signal.reason))
    return new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
      signal.addEventListener('abort', this.#onAbort)
      this.#stopTimer = startTimer(clock, timeoutMs, this.#onTimeout)
      // A transport of the user may throw, and may return something else than a promise.
      try {
        Promise.resolve(transport.send(this)).then(this.#finish, this.#fail)
      } catch (cause) {
        this.#fail(cause)
      }
    })
  }

  readonly onConnecting = (): void => this.#owner?.noteConnecting()

  readonly recheck = (): Promise<void> => {
    const looked = this.#look()
    // A transport of the user may not wait for it.
    looked.catch(nothing)
    return looked
  }

  readonly beforeSend = (): void => {
    const owner = this.#requireOngoing()
    let isAllowed = false
    try {
      isAllowed = owner.mayBeSent()
    } catch (error) {
      this.#refuse(error)
    }
    if (!isAllowed) this.#sendNothing(new Error('The request must not be sent now: the client sends it later.'))
    this.#progress.sent = true
  }

  readonly onHeaders = (head: ResponseHead): void => {
    this.#progress.head = isHead(head) ? head : undefined
  }

  async #look(): Promise<void> {
    await this.#requireOngoing()
      .recheck()
      .catch((error: unknown) => this.#refuse(error))
  }

  #requireOngoing(): AttemptOwner {
    if (this.#owner === undefined) throw new Error('The attempt has ended, so its request must not be sent.')
    return this.#owner
  }

  /** Ends it without an outcome: for the transport it was aborted. */
  #sendNothing(reason: unknown): never {
    if (this.#owner !== undefined) {
      this.#end(undefined)
      this.#controller.abort(reason)
    }
    throw reason
  }

  #refuse(error: unknown): never {
    this.#reject(error)
    return this.#sendNothing(error)
  }

  readonly #onAbort = () => this.#stop('aborted', this.#owner?.signal.reason)

  readonly #onTimeout = () => {
    const { timeoutMs } = this.#options
    this.#stop('timeout', namedError('TimeoutError', `No complete response within ${timeoutMs} ms`))
  }

  #stop(kind: 'timeout' | 'aborted', reason: unknown): void {
    this.#end(failed(kind, this.#progress, reason))
    this.#controller.abort(reason)
  }

  readonly #fail = (cause: unknown) => this.#end(failed('network', this.#progress, cause))

  readonly #finish = (given: unknown) => this.#end(this.#read(given))

  #read(given: unknown): AttemptOutcome {
    const progress = this.#progress
    const outcome = checkOutcome(given, progress.head)
    if (outcome === undefined) {
      // Such a transport may not have reported either that it sent the request.
      progress.sent = true
      return failed('invalid_fetch', progress, new TypeError('the transport gave no outcome that can be read'))
    }
    const answer = responseOf(outcome)
    const tooLarge = sizeError(answer?.text, this.maxResponseBytes)
    if (answer === undefined || tooLarge === undefined) return outcome
    progress.head = { status: answer.status, headers: answer.headers }
    return { ...failed('too_large', progress, tooLarge), answered: outcome.answered }
  }

  #end(outcome: AttemptOutcome | undefined): void {
    const owner = this.#owner
    if (owner === undefined) return
    this.#owner = undefined
    this.#stopTimer()
    owner.signal.removeEventListener('abort', this.#onAbort)
    this.#resolve(outcome)
    this.#resolve = this.#reject = nothing
  }
}

/**
 * The outcome, where a transport of the user gave one that can be read and billed; else undefined. Its getters may throw.
 * @param head what was found readable when it arrived
 */
function checkOutcome(outcome: unknown, head?: ResponseHead): AttemptOutcome | undefined {
  try {
    const { response, failure, answered } = Object(outcome) as Partial<
      Record<'response' | 'failure' | 'answered', unknown>
    >
    const isWholeOrFailure = failure === undefined ? isWhole(response, head) : isFailure(failure)
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
    for (const name of READ_HEADERS) if (!isTextOrNone(headers.get(name))) return false
    return true
  } catch {
    return false
  }
}

function isWhole(response: unknown, known?: ResponseHead): boolean {
  const { status, headers, text } = Object(response) as Partial<HttpResponse>
  const isKnown = known !== undefined && known.status === status && known.headers === headers
  return (isKnown || isHead(response)) && isTextOrNone(text)
}

function isFailure(failure: unknown): boolean {
  const { kind, mayHaveArrived, response } = Object(failure) as Partial<TransportFailure>
  if (!KINDS.includes(kind) || typeof mayHaveArrived !== 'boolean') return false
  return response === undefined || isWhole(response)
}

function isTextOrNone(value: unknown): boolean {
  return typeof value === 'string' || value === undefined || value === null
}
