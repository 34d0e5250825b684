// Looked up when the module loads: a test that fakes timers later does not hold up a call that only lets a turn pass.
const { setImmediate, MessageChannel } = globalThis as {
  setImmediate?: (callback: () => void) => unknown
  MessageChannel?: new () => MessageChannel
}

/** Resolves a turn of the event loop later: timers that are due now, and what they set off, have run by then. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (setImmediate !== undefined) return void setImmediate(resolve)
    if (MessageChannel === undefined) return void setTimeout(resolve, 0)
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => {
      port1.close()
      resolve()
    }
    port2.postMessage(undefined)
  })
}
