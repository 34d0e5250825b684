const KEY = 'esk_test_bench'
export const ADDRESS = /0x[0-9a-f]{40}/gi

/** Options of every client here: no network, and no call ends by a timer. */
export const options = {
  apiKey: KEY,
  baseUrl: 'http://service.test/v1',
  budget: { credits: Number.MAX_SAFE_INTEGER },
  deadlineMs: Number.POSITIVE_INFINITY,
  timeoutMs: Number.POSITIVE_INFINITY,
  retry: { maxRetryAfterMs: Number.POSITIVE_INFINITY },
}

export const addressOf = (i) => `0x${i.toString(16).padStart(40, '0')}`

/** The URL that a `fetch` is called with, as text or as a `Request`. */
export const urlOf = (input) => (typeof input === 'string' ? input : input.url)

export function success(data, cost) {
  return new Response(JSON.stringify({ data, cursor: null }), { headers: { 'x-credits-cost': String(cost) } })
}

export function rateLimited(retryAfterSeconds) {
  const body = JSON.stringify({ error: { code: 'rate_limited', message: 'Slow down' } })
  return new Response(body, { status: 429, headers: { 'retry-after': String(retryAfterSeconds) } })
}
