/** The error with which Node's `fetch` rejects when a connection breaks, or cannot be established. */
export function connectionError(code: 'ECONNRESET' | 'ECONNREFUSED'): TypeError {
  const what = code === 'ECONNRESET' ? 'read ECONNRESET' : 'connect ECONNREFUSED'
  return new TypeError('fetch failed', { cause: Object.assign(new Error(what), { code }) })
}

/** The error of Node's `fetch` for a body that ended early. */
export function bodyTerminatedError(): TypeError {
  return new TypeError('terminated', {
    cause: Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' }),
  })
}

/** The error with which Node's `fetch` rejects a redirect under `redirect: 'error'`. */
export function unexpectedRedirectError(): TypeError {
  return new TypeError('fetch failed', { cause: new Error('unexpected redirect') })
}

/** Whether an error was made by `connectionError`. */
export function isConnectionError(error: unknown): boolean {
  return error instanceof TypeError && error.message === 'fetch failed'
}
