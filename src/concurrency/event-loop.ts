interface Timers {
  readonly setImmediate?: (callback: () => void) => unknown
  readonly clearImmediate?: (handle: unknown) => void
  readonly setTimeout: (callback: () => void, ms: number) => unknown
  readonly clearTimeout: (handle: unknown) => void
}

// Looked up when the module loads: a test that fakes timers later does not hold up a call that only lets a turn pass.
const { setImmediate, setTimeout } = globalThis as unknown as Timers
const { MessageChannel } = globalThis as { MessageChannel?: new () => MessageChannel }

/** Resolves a turn of the event loop later: timers that are due now, and what they set off, have run by then. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    const stopFake = startFakeTimer(resolve)
    startTurn(() => {
      stopFake()
      resolve()
    })
  })
}

function startTurn(callback: () => void): void {
  if (setImmediate !== undefined) return void setImmediate(callback)
  if (MessageChannel === undefined) return void setTimeout(callback, 0)
  const { port1, port2 } = new MessageChannel()
  port1.onmessage = () => {
    port1.close()
    callback()
  }
  port2.postMessage(undefined)
}

/**
 * Where timers are fake, the turn is one of theirs too. Between two timers they let one real turn pass; without a timer that is due now
 * they would set the time to the next one before this turn is over, and a retry would end in its deadline.
 */
function startFakeTimer(callback: () => void): () => void {
  const now = globalThis as unknown as Timers
  if (now.setImmediate !== undefined && now.setImmediate !== setImmediate) {
    const handle = now.setImmediate(callback)
    return () => now.clearImmediate?.(handle)
  }
  if (now.setTimeout === setTimeout) return () => {}
  const handle = now.setTimeout(callback, 0)
  return () => now.clearTimeout(handle)
}
