import type { CallName, ChargeState, Issue } from '../errors/base.ts'

/**
 * What a client reports while it works, discriminated by `type`. No event carries a key.
 *
 * | type | when | fields beside `callId`, `requestId`, `operation` |
 * |---|---|---|
 * | `call.started` | a call was accepted (no `requestId`) | `params`, `estimated` |
 * | `call.succeeded`, `call.failed` | a call has settled (no `requestId`) | `credits`, `charge`, `attempts`, `durationMs`; `shared`, `cached` or `code` |
 * | `request.sent` | an attempt was handed to the network | `attempt`, `params` |
 * | `request.succeeded`, `request.failed` | the attempt has ended | `attempt`, `durationMs`, `status`, `code` |
 * | `retry.scheduled` | a failed attempt will be repeated | `attempt`, `code`, `waitMs` |
 * | `cooldown.started` | the service refused; affected calls wait | `attempt`, `scope`, `waitMs` |
 * | `credits.charged`, `credits.computed` | an attempt was charged | `attempt`, `credits`, `remaining` |
 * | `credits.uncertain` | an answer was lost that may have been charged | `attempt`, `credits` |
 * | `credits.unclaimed` | a request was charged when nobody waited for it any more | `attempt`, `credits`, `charge` |
 * | `credits.reconciled` | the balance proved what lost answers cost | `attempt`, `charged`, `freed` |
 * | `credits.drift` | a charge exceeded the predicted worst case | `attempt`, `predicted`, `charged` |
 * | `response.mismatch` | an answer does not match the contract | `attempt` when it was just received, `issues` |
 * | `cache.hit`, `cache.failed` | an answer came from the cache; its store failed | `message` |
 * | `key.exposed` | a browser page holds a key (has none of the ids) | `message` |
 */
export type ClientEvent =
  | CallStartedEvent
  | CallEndedEvent
  | RequestEvent
  | RetryEvent
  | CooldownEvent
  | CreditsEvent
  | CreditsUncertainEvent
  | CreditsUnclaimedEvent
  | CreditsReconciledEvent
  | CreditsDriftEvent
  | ResponseMismatchEvent
  | CacheEvent
  | KeyExposedEvent

/** What every event of a call has. */
export interface CallEventBase {
  /** The call, unique in its client. A request that several calls share is reported with the call that started it. */
  callId: string
  /** The operation, or `request` for `client.request()`. */
  operation: CallName
}

/** What every event of a request has. A call has one request, a batch of addresses one for each chunk. */
export interface RequestEventBase extends CallEventBase {
  /** The request, unique in its client. */
  requestId: string
  /** The attempt, 1 for the first. */
  attempt: number
}

/** A call was accepted: its parameters and options are valid. */
export interface CallStartedEvent extends CallEventBase {
  /** The name of the event. */
  type: 'call.started'
  /** The parameters as they were passed in. */
  params?: unknown
  /** The worst case of its cost, in credits. */
  estimated: number
}

/** A call has settled. */
export interface CallEndedEvent extends CallEventBase {
  /** The name of the event. */
  type: 'call.succeeded' | 'call.failed'
  /** The parameters as they were passed in. */
  params?: unknown
  /** Credits that this call was charged. */
  credits: number
  /** Whether the call was charged. */
  charge: ChargeState
  /** HTTP requests that were sent, retries included. */
  attempts: number
  /** Whether it shared a request of another call, at least in part. */
  shared: boolean
  /** Whether it was answered from the cache, at least in part. */
  cached: boolean
  /** How long the call took, in milliseconds. */
  durationMs: number
  /** The error's code, or `aborted`, where it failed. */
  code?: string
  /** The error's class, where it failed. */
  errorName?: string
}

/** An attempt was handed to the network, or has ended. Each `request.sent` is followed by one of the other two. */
export interface RequestEvent extends RequestEventBase {
  /** The name of the event. */
  type: 'request.sent' | 'request.succeeded' | 'request.failed'
  /** The parameters of the call, as they were passed in. */
  params?: unknown
  /** HTTP status, where an answer arrived. */
  status?: number
  /** The error's code, where it failed. */
  code?: string
  /** How long the attempt took, in milliseconds; not on `request.sent`. */
  durationMs?: number
}

/** A failed attempt will be repeated. */
export interface RetryEvent extends RequestEventBase {
  /** The name of the event. */
  type: 'retry.scheduled'
  /** The error's code. */
  code: string
  /** The wait before the next attempt, in milliseconds. */
  waitMs: number
}

/** The service refused a request; every heavy call, or every call with the key, waits. */
export interface CooldownEvent extends RequestEventBase {
  /** The name of the event. */
  type: 'cooldown.started'
  /** `heavy`: all heavy calls wait. `key`: all calls with the key wait. */
  scope: 'heavy' | 'key'
  /** The wait, in milliseconds. */
  waitMs: number
}

/** An attempt was charged: as its header states, or computed because the header was missing or unreadable. */
export interface CreditsEvent extends RequestEventBase {
  /** The name of the event. */
  type: 'credits.charged' | 'credits.computed'
  /** Credits that the attempt was charged. */
  credits: number
  /** Credits left on the key, as this answer states. */
  remaining?: number
}

/** The answer to a request that may have been charged was lost; its worst case stays blocked. */
export interface CreditsUncertainEvent extends RequestEventBase {
  /** The name of the event. */
  type: 'credits.uncertain'
  /** Credits of the worst case. */
  credits: number
}

/**
 * A request has ended after all its callers had left. No `call.succeeded` or `call.failed` has reported its charge, or only as `unknown`.
 * `client.credits` and the budget have counted it.
 */
export interface CreditsUnclaimedEvent extends RequestEventBase {
  /** The name of the event. */
  type: 'credits.unclaimed'
  /** Credits that the request was charged beyond what its callers were told. */
  credits: number
  /** `unknown` if the request may have been charged and its answer was lost. */
  charge: ChargeState
}

/** With `exclusiveKey`, the balance of the key showed what lost answers cost. */
export interface CreditsReconciledEvent extends RequestEventBase {
  /** The name of the event. */
  type: 'credits.reconciled'
  /** Uncertain credits that were charged after all. */
  charged: number
  /** Uncertain credits that were not, and are available again. */
  freed: number
}

/** The service charged more than the worst case of the contract. It is recorded as it is. */
export interface CreditsDriftEvent extends RequestEventBase {
  /** The name of the event. */
  type: 'credits.drift'
  /** The predicted worst case, in credits. */
  predicted: number
  /** Credits that were charged. */
  charged: number
}

/** An answer does not match the contract, and `validate` is 'warn': the data is returned as it is. */
export interface ResponseMismatchEvent extends CallEventBase {
  /** The name of the event. */
  type: 'response.mismatch'
  /** The request, unique in its client. */
  requestId: string
  /** The attempt that was answered; left out when the answer came from the cache. */
  attempt?: number
  /** What does not match, place by place. */
  issues: readonly Issue[]
}

/** An answer came from the cache, or the cache's store failed and the call went on without it. */
export interface CacheEvent extends CallEventBase {
  /** The name of the event. */
  type: 'cache.hit' | 'cache.failed'
  /** The request, unique in its client. */
  requestId: string
  /** What the store threw. */
  message?: string
}

/** The client runs in a browser page with a key that every visitor can read. */
export interface KeyExposedEvent {
  /** The name of the event. */
  type: 'key.exposed'
  /** The warning, and what to do instead. */
  message: string
}
