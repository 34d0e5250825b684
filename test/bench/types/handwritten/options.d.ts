export interface RetryOptions {
  limit?: number | undefined
  maxRetryAfterMs?: number | undefined
}

export interface CallOptions {
  signal?: AbortSignal | undefined
  timeoutMs?: number | undefined
  deadlineMs?: number | undefined
  retry?: RetryOptions | false | undefined
  validate?: 'strict' | 'warn' | 'off' | undefined
}

export interface ClientOptions extends Omit<CallOptions, 'signal'> {
  apiKey?: string | (() => string | Promise<string>) | undefined
  baseUrl?: string | undefined
  fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
  heavyConcurrency?: number | undefined
  batchConcurrency?: number | undefined
  budget?: { credits: number; windowMs?: number | undefined } | undefined
  cache?: { ttlMs: Record<string, number | undefined> } | undefined
  onEvent?: ((event: { type: string }) => void) | undefined
}
