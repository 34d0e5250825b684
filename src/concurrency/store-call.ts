import { type CancellationSignal, raceWithAbort } from './cancellation.ts'
import { type Clock, withTimeout } from './clock.ts'

/** How long a store may take for one call, unless its part says otherwise. Milliseconds. */
export const STORE_TIMEOUT_MS = 5_000

export interface StoreCallOptions {
  readonly clock: Clock
  /** @default STORE_TIMEOUT_MS */
  readonly timeoutMs?: number | undefined
  /** Ends the wait. The store is not told. */
  readonly signal?: CancellationSignal | undefined
}

/** A call of a store that may throw or never settle. @throws what the store throws, an Error when the time is over, or the reason of the signal */
export async function callStore<T>(run: () => T, options: StoreCallOptions): Promise<Awaited<T>> {
  // Own properties alone: none of a prototype that somebody has changed.
  const { clock, timeoutMs = STORE_TIMEOUT_MS, signal }: StoreCallOptions = Object.assign(Object.create(null), options)
  const answered = Promise.resolve(run()) as Promise<Awaited<T>>
  return withTimeout(signal === undefined ? answered : raceWithAbort(answered, signal), timeoutMs, clock, () => {
    throw new Error(`The store did not answer within ${timeoutMs} ms.`)
  })
}

/**
 * The text that a store returned; undefined if it returned nothing. A store may return the bytes of a text, or parse a text of JSON: then this is the
 * text that was written.
 */
export function storedText(value: unknown): string | undefined {
  if (value === undefined || value === null || typeof value === 'string') return value ?? undefined
  return ArrayBuffer.isView(value) ? new TextDecoder().decode(value) : String(JSON.stringify(value))
}
