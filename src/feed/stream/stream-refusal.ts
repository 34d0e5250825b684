/** Why there is no stream. */
export interface StreamRefusal {
  /** Whether asking again would change nothing. */
  readonly isFinal: boolean
  /** The wait that the server asks for, milliseconds. */
  readonly retryAfterMs: number
}

/** Reads a response that is no stream; undefined for one that is. */
export function refusalOf({ status, headers }: Response, now: number): StreamRefusal | undefined {
  const isStream = /^text\/event-stream\b/i.test(headers.get('content-type') ?? '')
  if (status === 200 && isStream) return undefined
  // Any other success is a page of a host without a stream, and a 4xx says that the request itself is not accepted.
  const isTransient = status >= 500 || status === 429 || status === 408
  return { isFinal: !isTransient, retryAfterMs: readRetryAfter(headers.get('retry-after'), now) }
}

function readRetryAfter(value: string | null, now: number): number {
  const text = value?.trim() ?? ''
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000
  const at = Date.parse(text)
  return Number.isNaN(at) ? 0 : Math.max(0, at - now)
}
