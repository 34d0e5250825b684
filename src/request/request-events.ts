import type { CacheEvent, ClientEvent, RequestEventBase } from '../client/events.ts'
import { isPromise } from '../utils/runtime.ts'

export type Emit = (event: ClientEvent) => void

/** Raises nothing: what is raised at each call is made only for a listener, because that takes a tenth of the call. */
export const ignoreEvents = (): void => {}

type OfRequest = Exclude<Extract<ClientEvent, Pick<RequestEventBase, 'requestId'>>, CacheEvent>
type WithoutIds<Event> = Event extends unknown ? Omit<Event, keyof RequestEventBase> : never

/** Raises an event of one attempt; its ids are added. */
export type RequestEmit = (event: WithoutIds<OfRequest>) => void

/** What may quote the service or the caller. */
const QUOTING_FIELDS = ['message', 'code', 'issues', 'params']

/** Passes events to the listener, without secrets. A listener that throws, at once or later, breaks nothing. */
export function createEmit(
  listener: ((event: ClientEvent) => unknown) | undefined,
  redact: (value: unknown) => unknown,
): Emit {
  if (listener === undefined) return ignoreEvents
  return (raised) => {
    try {
      const event = raised as unknown as Record<string, unknown>
      for (const name of QUOTING_FIELDS) if (event[name] !== undefined) event[name] = redact(event[name])
      const returned = listener(raised)
      if (isPromise(returned)) returned.catch(() => {})
    } catch {
      // The listener is at fault, and the call goes on.
    }
  }
}
