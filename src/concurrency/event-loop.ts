interface Timers {
  readonly setImmediate?: (callback: () => void) => unknown
  readonly setTimeout: (callback: () => void) => unknown
  readonly clearTimeout: (handle: unknown) => void
}

/** A timer unless it is fake, which one of Jest, vitest and sinon shows by its `clock`. */
const ifReal = <Timer>(timer: Timer): Timer | undefined => ('clock' in Object(timer) ? undefined : timer)

// Looked up when the module loads: a test that fakes timers later does not hold up a call that only lets a turn pass.
const setImmediate = ifReal((globalThis as unknown as Timers).setImmediate)
const setTimeout = ifReal((globalThis as unknown as Timers).setTimeout)

/**
 * Resolves a turn of the event loop later: timers that are due now, and what they set off, have run by then.
 *
 * Where timers are fake, the turn is one of theirs too. Between two timers they let one real turn pass; without a timer that is due now
 * they would set the time to the next one before this turn is over, and a retry would end in its deadline.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    const now = globalThis as unknown as Timers
    const timer = now.setTimeout !== setTimeout && now.setTimeout(resolve)
    startTurn(() => {
      now.clearTimeout(timer)
      resolve()
    })
  })
}

function startTurn(callback: () => void): void {
  // That of React Native runs within the turn.
  const isMicrotask = globalThis.navigator?.product === 'ReactNative'
  if (setImmediate !== undefined && !isMicrotask) return void setImmediate(callback)
  if (globalThis.MessageChannel === undefined) return void (setTimeout ?? globalThis.setTimeout)(callback)
  const { port1, port2 } = new MessageChannel()
  port1.onmessage = () => {
    port1.close()
    callback()
  }
  port2.postMessage(undefined)
}
