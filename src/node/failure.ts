/** An error in the shape of those of Node's fetch: the code is in the cause. */
export function failed(message: 'fetch failed' | 'terminated', cause: unknown): TypeError {
  return new TypeError(message, { cause })
}
