import type { CacheEvent, ClientEvent, RequestEventBase } from '../events.ts'
import { isPromise } from '../utils/runtime.ts'
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
  return (fields) => {
    // Assigned one by one: to spread the fields takes several times as long.
    const event = fields as Record<string, unknown>
    event.callId = callId
    event.requestId = requestId
    event.operation = request.operation
    event.attempt = attempt
    emit(event as unknown as ClientEvent)
  }
}

/** A copy of a value without secrets. */
type Redact = (value: unknown) => unknown

/** Passes events to the listener. A listener that throws, at once or later, breaks nothing. */
export function createEmit(listener: ((event: ClientEvent) => unknown) | undefined, redact: Redact): Emit {
  if (listener === undefined) return ignoreEvents
  return (event) => {
    try {
      redactEvent(event, redact)
      const returned = listener(event)
      if (isPromise(returned)) returned.catch(() => {})
    } catch {
      // The listener is at fault, and the call goes on.
    }
  }
}

/** In place: each event is made for the one listener. */
function redactEvent(raised: ClientEvent, redact: Redact): void {
  const event: { message?: unknown; code?: unknown; issues?: unknown; params?: unknown } = raised as object
  if (event.message !== undefined) event.message = redact(event.message)
  if (event.code !== undefined) event.code = redact(event.code)
  if (event.issues !== undefined) event.issues = redact(event.issues)
  if (event.params !== undefined) event.params = redact(event.params)
}
