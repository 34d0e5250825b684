import type { CancellationSignal } from '../concurrency/cancellation.ts'
import type { Clock } from '../concurrency/clock.ts'
import type { CostEstimate } from '../credits/cost.ts'
import type { SpendingLimit } from '../credits/joint-budget.ts'
import type { ChargeState } from '../errors/base.ts'
import type { Methods } from '../generated/methods.ts'
import type { OperationId } from '../generated/operations.ts'
import type { ApiPromise } from './api-promise.ts'
import type { CallOptions, ValidateMode } from './options.ts'

/** What other entries of this package need of a client, and its users do not. */
export interface ClientInternals {
  /** The text without any key that the client has used. */
  redact(text: string): string
  estimate(operation: OperationId, params: unknown): CostEstimate
  /** What each of its calls has to fit. */
  readonly budget: SpendingLimit
  /** What its calls do by default with an answer against the contract. */
  readonly validate: ValidateMode
  /** What is made of the client lives on its clock. */
  readonly clock: Clock
  /** Aborts when the client is closed: what is made of it ends with it. */
  readonly closed: CancellationSignal
  /**
   * Opens a path below the base URL, whose answer is read as it arrives: with the client's `fetch`, hooks and headers, and without a key.
   * It rejects as `fetch` does.
   */
  open(path: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Response | undefined>
  /** A call with more than its method takes. */
  call(operation: OperationId, params: unknown, options: InternalOptions, more: CallExtras): ApiPromise<unknown>
  /**
   * The same client, each of whose calls has these extras and default options beside its own: those of its methods, and those that a feed,
   * a proxy or anything else makes of it.
   */
  extend(extension: ClientExtension): Methods
}

/** What all calls of an extended client have. */
export interface ClientExtension {
  readonly budget: SpendingLimit
  readonly onAnswer: AnswerListener
  readonly options: CallOptions
}

/** The options of a call, which uses no more of a signal than this one has. */
export type InternalOptions = Omit<CallOptions, 'signal'> & { readonly signal?: CancellationSignal }

/** What a call of another entry takes beside its options. */
export interface CallExtras {
  /**
   * Attempts have to fit it beside the client's own budget. Answers of requests that others have started count in neither, and no
   * refusal of it reaches another caller.
   */
  readonly budget?: SpendingLimit | undefined
  /** Aborts when nothing more may be sent for the call, which then waits for an answer on its way, or rejects with the reason. */
  readonly stop?: CancellationSignal | undefined
  /** Learns of each answer as it came, before anything is completed or sorted in it, and of the error of a request without one. */
  readonly onAnswer?: AnswerListener | undefined
  /** Learns what the call was charged, however it ends. */
  readonly onEnd?: ((charged: { readonly credits: number; readonly charge: ChargeState }) => void) | undefined
}

/** Gets the path of a request below the base URL, and its body or its error. */
export type AnswerListener = (path: string, outcome: { readonly text: string } | { readonly error: unknown }) => void

/** Registered, because an application may load the ES module and the CommonJS copy of the package. */
const INTERNALS = Symbol.for('etn-market.client')

/** Adds the internals of a client. Copies of the object have them too. */
export function withInternals<Made extends object>(made: Made, internals: ClientInternals): Made {
  return Object.assign(made, { [INTERNALS]: () => internals })
}

/** The internals of a client, or of a feed that was made of one; undefined for anything else. */
export function internalsOf(client: unknown): ClientInternals | undefined {
  return (Object(client) as { [INTERNALS]?: () => ClientInternals })[INTERNALS]?.()
}
