import type { Transport } from './transport.ts'

/** Registered, because the client and `etn-market/node` are files of their own. */
const LIGHT_SIGNAL = Symbol.for('etn-market.light-signal')

/**
 * Marks a `send` that uses no more of its signal than `CancellationSignal` has: to make and collect an AbortSignal takes a third of a call over
 * `node:http`. The value of the mark is the function itself, so that a wrapper, a copy and a `Proxy` of it are not marked: code of the user gets
 * a real AbortSignal.
 */
export function acceptLightSignal<Send extends Transport['send']>(send: Send): Send {
  return Object.defineProperty(send, LIGHT_SIGNAL, { value: send })
}

export function acceptsLightSignal(send: Transport['send']): boolean {
  return (send as { [LIGHT_SIGNAL]?: unknown })[LIGHT_SIGNAL] === send
}
