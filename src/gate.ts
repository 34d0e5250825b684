import type { Cancel } from './abort.ts'
import { type Clock, startTimer } from './clock.ts'

/** How a request ended that went through the gate. */
export type PassResult = 'succeeded' | 'failed'

/** Leave to send one request; closing it twice counts once. */
export interface Pass {
  close(result: PassResult): void
}

export interface GateLimits {
  readonly signal: Cancel
  /** An error when this wait is longer than the call allows, else undefined. */
  refuse(waitMs: number): Error | undefined
}

/** Open, until it is parked; then one request goes first as a probe, and others follow when it succeeds. */
export interface Gate {
  /** A promise only when there is something to wait for. */
  enter(limits: GateLimits): Pass | Promise<Pass>
  /** Throws what `limits.refuse` makes of the wait that is left, if anything. */
  check(limits: Pick<GateLimits, 'refuse'>): void
  /** Lets nobody in before `until`, clock time. */
  park(until: number): void
}

interface Waiter {
  limits: GateLimits
  enter(pass: Pass): void
  reject(error: unknown): void
}

const FREE_PASS: Pass = { close: () => {} }

/**
 * After a refusal a crowd of waiting calls must not fall upon the service at once: each success lets two more go,
 * so that a new refusal meets few of them.
 */
export function createGate(clock: Clock): Gate {
  const waiting = new Set<Waiter>()
  let until = Number.NEGATIVE_INFINITY
  let recovering = false
  let probing = 0
  let allowed = 1
  let stopTimer = () => {}

  const waitMs = () => Math.max(0, until - clock.now())

  function admit(): void {
    if (waitMs() > 0) return
    while (probing < allowed) {
      const [next] = waiting
      if (next === undefined) break
      next.enter(createProbe())
    }
    if (recovering && waiting.size === 0 && probing === 0 && allowed > 1) recovering = false
  }

  function createProbe(): Pass {
    let closed = false
    probing++
    return {
      close(result) {
        if (closed) return
        closed = true
        probing--
        if (waitMs() === 0) allowed = result === 'succeeded' ? allowed + 1 : Math.max(1, probing)
        admit()
      },
    }
  }

  return {
    enter(limits) {
      limits.signal.throwIfAborted()
      if (!recovering) return FREE_PASS
      const refusal = limits.refuse(waitMs())
      if (refusal !== undefined) throw refusal
      if (waitMs() === 0 && probing < allowed && waiting.size === 0) return createProbe()
      return new Promise<Pass>((resolve, reject) => {
        const leave = () => {
          waiting.delete(waiter)
          limits.signal.removeEventListener('abort', onAbort)
          if (waiting.size === 0) stopTimer()
        }
        const waiter: Waiter = {
          limits,
          enter: (pass) => {
            leave()
            resolve(pass)
          },
          reject: (error) => {
            leave()
            reject(error)
          },
        }
        const onAbort = () => waiter.reject(limits.signal.reason)
        limits.signal.addEventListener('abort', onAbort)
        waiting.add(waiter)
        arm()
      })
    },
    check(limits) {
      const refusal = recovering ? limits.refuse(waitMs()) : undefined
      if (refusal !== undefined) throw refusal
    },
    park(at) {
      recovering = true
      allowed = 1
      until = Math.max(until, at)
      for (const waiter of [...waiting]) {
        const refusal = waiter.limits.refuse(waitMs())
        if (refusal !== undefined) waiter.reject(refusal)
      }
      arm()
    },
  }

  /** One timer for the whole crowd, and none when nobody waits. */
  function arm(): void {
    stopTimer()
    if (waiting.size === 0 || waitMs() === 0) return
    stopTimer = startTimer(clock, waitMs(), () => {
      stopTimer = () => {}
      if (waitMs() > 0) arm()
      else admit()
    })
  }
}
