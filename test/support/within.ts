import { inspect } from 'node:util'

/** Longer than anything takes on a machine that is busy with something else; milliseconds. */
const DEFAULT_LIMIT_MS = 15_000

export interface WithinOptions {
  /** What was seen last, for the error. */
  readonly state?: () => unknown
  /** @default 15_000 */
  readonly limitMs?: number
}

/**
 * Waits for something that another process or a server does. After the limit it rejects with what was awaited and the last state, where
 * a test that just waits would end with nothing but its time-out. Conditions that are looked at again and again wait with `expect.poll`,
 * which reports what it saw last as well.
 */
export async function within<T>(
  what: string,
  promise: Promise<T>,
  { state, limitMs = DEFAULT_LIMIT_MS }: WithinOptions = {},
): Promise<T> {
  const { setTimeout, clearTimeout } = timers
  let timer: ReturnType<typeof setTimeout> | undefined
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const seen = state === undefined ? '' : ` Last seen: ${show(state())}`
      reject(new Error(`${what}: not within ${limitMs} ms.${seen}`))
    }, limitMs)
  })
  return Promise.race([promise, limit]).finally(() => clearTimeout(timer))
}

/** Kept, because tests replace timers. */
const timers = { setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout }

const show = (state: unknown) => (typeof state === 'string' ? state : inspect(state))
