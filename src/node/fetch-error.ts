/** An error in the shape of those of Node's fetch: the code is in the cause. */
export function fetchError(message: 'fetch failed' | 'terminated', cause: unknown): TypeError {
  return new TypeError(message, { cause })
}

/** The cause of a {@link fetchError}. */
export function errorWithCode(message: string, code: string): Error {
  return Object.assign(new Error(message), { code })
}
