import type { Cancel } from './abort.ts'
import { type Clock, startTimer } from './clock.ts'
import { createLine } from './line.ts'

/** How a request ended that went through the gate; after a refusal the gate is to be parked at once. */
export type PassResult = 'succeeded' | 'failed' | 'refused'

/** Leave to send one request; closing it twice counts once. */
export interface Pass {
  close(result: PassResult): void
}

export interface GateLimits {
  readonly signal: Cancel
  /** It was refused before: it goes before those who were not. */
  readonly again?: boolean
  /** An error when this wait is longer than the call allows, else undefined. */
  refuse(waitMs: number): Error | undefined
}

/** Open, until it is parked; then one request goes first as a probe, and others follow when it succeeds. */
export interface Gate {
  /** A promise only when there is something to wait for. */
  enter(limits: GateLimits): Pass | Promise<Pass>
  /** Throws what `limits.refuse` makes of the wait that is left, if anything. */
  check(limits: Pick<GateLimits, 'refuse'>): void
  /** Lets nobody in for this long, or for longer after one refused probe upon another; returns how long. */
  park(waitMs: number): number
}

interface Waiter {
  limits: GateLimits
  enter(pass: Pass): void
  reject(error: unknown): void
}

const FREE_PASS: Pass = { close: () => {} }

/** Probes in a minute that may be refused as fast as the service allows; then the waits double. */
const PATIENT_PROBES = 3
const MINUTE_MS = 60_000
const FIRST_WAIT_MS = 2_000
const LONGEST_WAIT_MS = 8_000

/**
 * After a refusal a crowd of waiting calls must not fall upon the service at once: each success lets two more go,
 * so that a new refusal meets few of them.
 */
export function createGate(clock: Clock): Gate {
  const waiting = createLine<Waiter>()
  let until = Number.NEGATIVE_INFINITY
  let recovering = false
  let probing = 0
  let allowed = 1
  let refusedAt: number[] = []
  let stopTimer = () => {}

  const waitMs = () => Math.max(0, until - clock.now())

  function admit(): void {
    if (waitMs() > 0) return
    while (probing < allowed) {
      const next = waiting.first()
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
        if (result === 'refused') {
          refusedAt.push(clock.now())
          return
        }
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
          waiting.leave(waiter)
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
        waiting.join(waiter, limits.again === true)
        if (waitMs() === 0) admit()
        else arm()
      })
    },
    check(limits) {
      const refusal = recovering ? limits.refuse(waitMs()) : undefined
      if (refusal !== undefined) throw refusal
    },
    park(askedMs) {
      recovering = true
      allowed = 1
      until = Math.max(until, clock.now() + Math.max(askedMs, patience()))
      for (const waiter of waiting.all()) {
        const refusal = waiter.limits.refuse(waitMs())
        if (refusal !== undefined) waiter.reject(refusal)
      }
      arm()
      return waitMs()
    },
  }

  /** A key that is refused some twenty times a minute is locked, however short a wait each refusal asks for. */
  function patience(): number {
    const now = clock.now()
    refusedAt = refusedAt.filter((at) => now - at < MINUTE_MS)
    const rounds = refusedAt.length - PATIENT_PROBES
    return rounds < 0 ? 0 : Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** rounds)
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
