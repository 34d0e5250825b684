import type { CacheEvent, ClientEvent, RequestEventBase } from '../events.ts'
import type { RequestState } from './types.ts'

/** Raises an event. */
export type Emit = (event: ClientEvent) => void

/** Raises nothing. Events are built only for a listener: they cost a tenth of what the client adds to a call. */
export const ignoreEvents = (): void => {}

type OfRequest = Exclude<Extract<ClientEvent, Pick<RequestEventBase, 'requestId'>>, CacheEvent>
type WithoutIds<Event> = Event extends unknown ? Omit<Event, keyof RequestEventBase> : never

/** Raises an event of one attempt; its ids are added. */
export type RequestEmit = (event: WithoutIds<OfRequest>) => void

export function createRequestEmit(state: RequestState, attempt: number, emit: Emit): RequestEmit {
  if (emit === ignoreEvents) return ignoreEvents
  const { callId, requestId, request } = state
  return (event) => emit({ ...event, callId, requestId, operation: request.operation, attempt } as ClientEvent)
}

/** A copy of a value without secrets. */
type Redact = (value: unknown) => unknown

/** Passes events to the listener. A listener that throws, at once or later, breaks nothing. */
export function createEmit(listener: ((event: ClientEvent) => unknown) | undefined, redact: Redact): Emit {
  if (listener === undefined) return ignoreEvents
  return (event) => {
    try {
      const returned = listener(redactEvent(event, redact))
      if (returned instanceof Promise) returned.catch(() => {})
    } catch {
      // The listener is at fault, and the call goes on.
    }
  }
}

function redactEvent(event: ClientEvent, redact: Redact): ClientEvent {
  const copy: Record<string, unknown> = { ...event }
  for (const field of ['message', 'code', 'issues', 'params']) {
    if (copy[field] !== undefined) copy[field] = redact(copy[field])
  }
  return copy as unknown as ClientEvent
}
