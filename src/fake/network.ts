/** The error with which Node's `fetch` rejects when a connection breaks, or cannot be made. */
export function connectionError(code: 'ECONNRESET' | 'ECONNREFUSED'): TypeError {
  const what = code === 'ECONNRESET' ? 'read ECONNRESET' : 'connect ECONNREFUSED'
  return new TypeError('fetch failed', { cause: Object.assign(new Error(what), { code }) })
}

/** The error with which Node's `fetch` breaks off a body that ended early. */
export function terminated(): TypeError {
  return new TypeError('terminated', {
    cause: Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' }),
  })
}

/** The error with which Node's `fetch` rejects when it was told not to follow redirects. */
export function redirected(): TypeError {
  return new TypeError('fetch failed', { cause: new Error('unexpected redirect') })
}

/** Whether an error is one of `connectionError`. */
export function isConnectionError(error: unknown): boolean {
  return error instanceof TypeError && error.message === 'fetch failed'
}

/**
 * Holds the process up until it is called back, as the socket of a request in flight does: otherwise a program that waits for
 * nothing but an unreferenced timeout would end before it fires. A port rather than a timer, because fake timers must not see it.
 */
export function holdProcess(): () => void {
  const { port1 } = new MessageChannel()
  port1.onmessage = () => {}
  return () => port1.close()
}

/** A turn of the event loop, out of reach of fake timers. */
export function nextTurn(): Promise<void> {
  const { port1, port2 } = new MessageChannel()
  return new Promise((resolve) => {
    port1.onmessage = () => {
      port1.close()
      resolve()
    }
    port2.postMessage(null)
  })
}
