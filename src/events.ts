import type { Issue } from './errors/base.ts'
import type { OperationId } from './generated/operations.ts'

/** What a client tells while it works, discriminated by `type`. No event carries a key. */
export type ClientEvent =
  | RequestEvent
  | RetryEvent
  | CooldownEvent
  | CreditsEvent
  | CreditsUncertainEvent
  | CreditsDriftEvent
  | ResponseMismatchEvent
  | CacheEvent
  | KeyExposedEvent

/** An attempt went out, or came to its end. */
export interface RequestEvent {
  type: 'request.sent' | 'request.succeeded' | 'request.failed'
  operation: OperationId
  /** 1 for the first attempt of a request. */
  attempt: number
  /** HTTP status, where an answer came. */
  status?: number
  /** The error's code, where it failed. */
  code?: string
  /** How long the attempt took, milliseconds; not on `request.sent`. */
  durationMs?: number
}

/** A failed attempt will be repeated. */
export interface RetryEvent {
  type: 'retry.scheduled'
  operation: OperationId
  /** The attempt that failed. */
  attempt: number
  code: string
  waitMs: number
}

/** The service refused; every heavy call, or every call with the key, waits. */
export interface CooldownEvent {
  type: 'cooldown.started'
  scope: 'heavy' | 'key'
  operation: OperationId
  waitMs: number
}

/** An attempt was charged: told by its header, or computed because the header was missing or unreadable. */
export interface CreditsEvent {
  type: 'credits.charged' | 'credits.computed'
  operation: OperationId
  credits: number
  remaining?: number
}

/** An answer got lost that may have been charged; its worst case stays blocked. */
export interface CreditsUncertainEvent {
  type: 'credits.uncertain'
  operation: OperationId
  credits: number
}

/** The service charged more than the worst case of the contract. It is recorded as it is. */
export interface CreditsDriftEvent {
  type: 'credits.drift'
  operation: OperationId
  predicted: number
  charged: number
}

/** An answer is not what the contract says, and `validate` is 'warn': the data was handed over. */
export interface ResponseMismatchEvent {
  type: 'response.mismatch'
  operation: OperationId
  issues: readonly Issue[]
}

/** An answer came from the cache, or the cache's store failed (the call went on without it). */
export interface CacheEvent {
  type: 'cache.hit' | 'cache.failed'
  operation: OperationId
  /** What the store threw, where it failed. */
  message?: string
}

/** The client runs in a browser page with a key that every visitor can read. */
export interface KeyExposedEvent {
  type: 'key.exposed'
  message: string
}

export type Emit = (event: ClientEvent) => void

/** A listener that throws, at once or later, breaks nothing. */
export function createEmit(
  listener: ((event: ClientEvent) => unknown) | undefined,
  scrub: (text: string) => string,
): Emit {
  if (listener === undefined) return () => {}
  return (event) => {
    try {
      const answer = listener(scrubEvent(event, scrub))
      if (answer instanceof Promise) answer.catch(() => {})
    } catch {
      // The listener's own fault; the call it listened to goes on.
    }
  }
}

function scrubEvent(event: ClientEvent, scrub: (text: string) => string): ClientEvent {
  if ('issues' in event) {
    return {
      ...event,
      issues: event.issues.map(({ path, message }) => ({ path: scrub(path), message: scrub(message) })),
    }
  }
  if ('message' in event && event.message !== undefined) return { ...event, message: scrub(event.message) }
  if ('code' in event && event.code !== undefined) return { ...event, code: scrub(event.code) }
  return event
}
