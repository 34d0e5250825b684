import { inspect } from 'node:util'

/** Longer than anything takes on a machine that is busy with something else; milliseconds. */
const DEFAULT_LIMIT_MS = 30_000
const PAUSE_MS = 10

export interface WithinOptions {
  /** What was seen last, for the error. */
  readonly state?: () => unknown
  /** @default 30_000 */
  readonly limitMs?: number
}

/**
 * Waits for something that another process or a server does. After the limit it rejects with what was awaited and the last state, where
 * a test that just waits would end with nothing but its time-out.
 */
export async function within<T>(
  what: string,
  promise: Promise<T>,
  { state, limitMs = DEFAULT_LIMIT_MS }: WithinOptions = {},
): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const limit = new Promise<never>((_, reject) => {
    timer = timers.setTimeout(() => reject(tooLate(what, limitMs, state?.())), limitMs)
  })
  return Promise.race([promise, limit]).finally(() => timers.clearTimeout(timer))
}

/**
 * Looks again and again until it sees what it waits for, and returns that. A look that throws is repeated. After the limit it rejects with
 * what it saw last. In a test, `expect.poll` does the same; this one waits outside of tests as well.
 */
export async function until<T>(
  what: string,
  look: () => T | Promise<T>,
  isReached: (seen: T) => boolean,
  { limitMs = DEFAULT_LIMIT_MS }: { readonly limitMs?: number } = {},
): Promise<T> {
  const end = performance.now() + limitMs
  for (;;) {
    let last: unknown
    try {
      const seen = await look()
      if (isReached(seen)) return seen
      last = seen
    } catch (error) {
      last = error
    }
    if (performance.now() > end) throw tooLate(what, limitMs, last)
    await new Promise((resolve) => timers.setTimeout(resolve, PAUSE_MS))
  }
}

/** Kept, because tests replace timers. */
const timers = { setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout }

function tooLate(what: string, limitMs: number, last: unknown): Error {
  const seen = typeof last === 'string' ? last : inspect(last)
  return new Error(`${what}: not within ${limitMs} ms. Last seen: ${seen}`)
}
