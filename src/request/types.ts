import type { AdmissionControl } from '../concurrency/admission-types.ts'
import type { CancellationSignal } from '../concurrency/cancellation.ts'
import type { Clock } from '../concurrency/clock.ts'
import type { Deadline } from '../concurrency/deadline.ts'
import type { Semaphore } from '../concurrency/semaphore.ts'
import type { Reservation } from '../credits/budget.ts'
import type { CostEstimate } from '../credits/cost.ts'
import type { SpendingLimit } from '../credits/joint-budget.ts'
import type { Usage } from '../credits/usage.ts'
import type { CallName, ChargeState } from '../errors/base.ts'
import type { CreditCost } from '../operations/operation.ts'
import type { RequestHeaders } from '../transport/request-headers.ts'
import type { ResponseHeaders, Transport, TransportFailure } from '../transport/transport.ts'
import type { Emit } from './request-events.ts'
import type { CallSettings } from './settings.ts'

/** One request that may be charged: one operation, or one chunk of a batch. */
export interface PlannedRequest {
  readonly operation: CallName
  /** Path and query below the base URL: equal for requests that ask for the same thing, and for no others. */
  readonly path: string
  readonly cost: CostEstimate
  /** How it is priced; null when it is free, undefined when the contract does not know it. */
  readonly price: CreditCost | null | undefined
  readonly isHeavy: boolean
  readonly isKeyless: boolean
  /** The field that distinguishes a bare body from the envelope, where the service may send either. */
  readonly bareField: string | undefined
  /** The addresses of a chunk of a batch, in lower case; empty for other operations. */
  readonly addresses: readonly string[]
}

/** What every answer of the service is wrapped in. */
export interface Envelope {
  readonly data: unknown
  readonly cursor?: unknown
}

/** The answer to one request. */
export interface RequestResult {
  readonly envelope: Envelope
  /** The body, from which each caller who shares the answer gets a copy. */
  readonly text: string
  readonly status: number
  readonly headers: ResponseHeaders
}

/** What one attempt was charged. */
export interface Charge {
  readonly state: ChargeState
  readonly credits: number
  /** Whether the figure is from the service's header. */
  readonly fromHeader: boolean
}

/** What one request was charged so far, all its attempts together. */
export interface ChargeTotals {
  attempts: number
  credits: number
  /** `unknown` as soon as one attempt may have been charged without an answer. */
  charge: ChargeState
  /** Whether a part of the credits was computed, because no header stated it. */
  isComputed: boolean
}

/** How one request of a call was answered. */
export interface Answer {
  readonly envelope: Envelope
  readonly status?: number | undefined
  readonly headers?: ResponseHeaders | undefined
  readonly from: 'service' | 'shared' | 'cache'
  readonly totals: ChargeTotals
}

/** How one request of a call ended. */
export type ChunkResult = { readonly answer: Answer } | { readonly answer?: undefined; readonly error: unknown }

/** The same, with what this call was charged for it. */
export type PaidResult = ChunkResult & { readonly paid: ChargeTotals; readonly isShared: boolean }

/** The time that the callers of a request have left: the longest of their deadlines. */
export type SharedDeadline = Pick<Deadline, 'remaining' | 'enterQueue' | 'leaveQueue'>

/** Those who wait for a request. */
export interface Waiters {
  /**
   * An attempt has failed, and the request would be repeated: lets those go for whom nothing more may be sent.
   * @throws the failure itself, where nobody is left for whom it would be repeated
   */
  requireRetry(failure: unknown): void
}

/** How far a request has come. */
export interface RequestProgress {
  /** Whether an attempt was handed to the network and has not ended. */
  isSending: boolean
  /** Whether it waits for a store or a fleet. */
  isAwaitingState: boolean
}

/** How a call of several requests gets on: while other calls make progress, its deadline stands still, and a silent service would never end it. */
export interface BatchProgress {
  /** Resolves when each of its requests has its worst case reserved, and rejects when one was refused: then none is sent. */
  readonly allReserved: Promise<void>
  /** The worst case of all its requests, in credits. */
  readonly needed: number
  beginReserving(credits: number): void
  /**
   * One of its requests has its worst case reserved, or was refused for this reason.
   * @throws StarterFailure with the reason, where the others are sent already
   */
  endReserving(refusal: unknown): void
  /** Records how an attempt of the call ended. */
  recordEnd(hasAnswer: boolean, failure: TransportFailure['kind'] | undefined): void
  /** Records an answer to a request that another call has sent. */
  recordAnswer(): void
  /** Calls back when no answer came for the length of a deadline. */
  onStall(callback: () => void): void
  /** @throws StarterFailure when so many requests in a row have timed out that nothing more is sent */
  requireProgress(): void
  /** Leaves no timer behind. */
  end(): void
}

/** One request while it is under way, over all its attempts. */
export interface RequestState {
  readonly request: PlannedRequest
  readonly settings: CallSettings
  /** Names of the call that started it and of the request, for events. */
  readonly callId: string
  readonly requestId: string
  /** The parameters of the call as they were passed in, for events. */
  readonly params: unknown
  /** Its number in the order of arrival. */
  readonly arrival: number
  /** Aborted when no caller waits for it. */
  readonly signal: CancellationSignal
  readonly totals: ChargeTotals
  readonly deadline: SharedDeadline
  readonly progress: RequestProgress
  readonly waiters: Waiters
  /** What the call has to fit beside the client's budget. */
  readonly limit: SpendingLimit | undefined
  /** Where a chunk of a batch waits for its turn. */
  readonly batchSlots: Semaphore | undefined
  /** How the call of a chunk gets on. */
  readonly batch: BatchProgress | undefined
  /** Credits reserved for the attempt under way; undefined before the first. */
  reservation: Reservation | Promise<Reservation> | undefined
  /** Whether it has waited since it was last about to be sent. */
  hasWaited: boolean
}

/** The parts of a client that a request passes through. */
export interface SendContext {
  readonly clock: Clock
  readonly budget: SpendingLimit
  readonly usage: Usage
  readonly admission: AdmissionControl
  readonly transport: Transport
  readonly requestHeaders: RequestHeaders
  /** The longest cool-down, in milliseconds; after it one request asks again. */
  readonly maxCooldownMs: number
  /** The most bytes of an answer, decoded. */
  readonly maxResponseBytes: number
  readonly emit: Emit
  /** The key for a request; undefined to send none. */
  apiKey(signal: CancellationSignal): string | undefined | Promise<string | undefined>
  /** The name of a key, which shows nothing of it. */
  keyName(apiKey: string): string
  baseUrl(): string
  /** Records that a request of the client was answered and need not be repeated. */
  recordProgress(): void
  /** How long ago a call of the client was ended early, milliseconds. */
  msSinceEarlyEnd(): number
}
