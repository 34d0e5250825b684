import { holdProcess } from './network.ts'
import type { FakeClock } from './options.ts'

/** The fake's own time: that of its clock, moved on by hand, and everything that waits for it. */
export interface Time {
  now(): number
  /** Moves the time on; whoever waited for a moment that is now past goes on. */
  advance(ms: number): void
  /** Puts the time back to the clock's. */
  reset(): void
  /** Waits; without end for `Infinity`. Rejects with the signal's reason, or with what `stop` was given. */
  wait(ms: number, signal: AbortSignal | undefined): Promise<void>
  /** Ends every wait, now and later, with an error. */
  stop(error: () => Error): void
}

interface Waiting {
  due: number
  wake(): void
  fail(reason: unknown): void
}

export function createTime(clock: FakeClock): Time {
  const waiting = new Set<Waiting>()
  let offset = 0
  let stopped: (() => Error) | undefined

  const now = () => clock.now() + offset

  function startTimer(ms: number, callback: () => void): () => void {
    if (ms === Number.POSITIVE_INFINITY) return () => {}
    if (!clock.sleep) {
      const timer = setTimeout(callback, ms)
      return () => clearTimeout(timer)
    }
    const controller = new AbortController()
    clock.sleep(ms, controller.signal).then(callback, () => {})
    return () => controller.abort()
  }

  return {
    now,
    reset() {
      offset = 0
    },
    advance(ms) {
      offset += ms
      for (const one of [...waiting]) if (one.due <= now()) one.wake()
    },
    wait: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason)
        if (stopped) return reject(stopped())
        const leave = () => {
          waiting.delete(one)
          cancel()
          release()
          signal?.removeEventListener('abort', onAbort)
        }
        const one: Waiting = {
          due: now() + ms,
          wake() {
            leave()
            resolve()
          },
          fail(reason) {
            leave()
            reject(reason)
          },
        }
        const onAbort = () => one.fail(signal?.reason)
        const release = ms === Number.POSITIVE_INFINITY && signal ? holdProcess() : () => {}
        const cancel = startTimer(ms, one.wake)
        waiting.add(one)
        signal?.addEventListener('abort', onAbort, { once: true })
      }),
    stop(error) {
      stopped = error
      for (const one of [...waiting]) one.fail(error())
    },
  }
}
