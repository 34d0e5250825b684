import type { Permit, PermitRequest, PermitResult } from './admission-types.ts'
import { type Clock, monotonicNow, startTimer } from './clock.ts'
import { createRefusalWindow } from './refusal-window.ts'
import { createWaitQueue } from './semaphore.ts'

interface Waiter {
  readonly request: PermitRequest
  grant(): void
  reject(error: unknown): void
}

/** Open becomes half open when its time is over. Half open becomes closed after a success, when nobody waits and no refusal is recent. */
type State =
  | { readonly name: 'closed' }
  | { readonly name: 'open'; readonly openedAt: number; readonly forMs: number }
  | { readonly name: 'half-open'; probeLimit: number }

/**
 * @param maxRefusals until it closes, no request is permitted that would bring the refusals of the last minute and the requests
 * in flight together above this number
 */
export function createCircuitBreaker(clock: Clock, maxRefusals = Number.POSITIVE_INFINITY): CircuitBreaker {
  const queue = createWaitQueue<Waiter>()
  const refusals = createRefusalWindow(clock)
  const openListeners = new Set<() => void>()
  let state: State = { name: 'closed' }
  let timesOpened = 0
  let inFlight = 0
  let probesInFlight = 0
  let stopOpenTimer: (() => void) | undefined
  let stopBlockedTimer = () => {}

  function current(): State {
    if (state.name === 'open' && openLeftMs() === 0) halfOpen()
    return state
  }

  function halfOpen(): void {
    state = { name: 'half-open', probeLimit: 1 }
  }

  /** Without a monotonic clock, a running timer knows better than the wall clock, which may have been set. */
  function openLeftMs(): number {
    if (state.name !== 'open') return 0
    const { openedAt, forMs } = state
    const left = Math.max(0, forMs - (monotonicNow(clock) - openedAt))
    const least = clock.monotonic === undefined && stopOpenTimer !== undefined ? 1 : 0
    return Math.min(forMs, Math.max(least, left))
  }

  /** Time until there are few enough recent refusals. */
  const blockedLeftMs = () => (Number.isFinite(maxRefusals) ? refusals.msUntilBelow(maxRefusals) : 0)

  /** Time until a request may be permitted; 0 when only the requests in flight are in the way. */
  const waitMs = () => (state.name === 'closed' ? 0 : Math.max(openLeftMs(), blockedLeftMs()))

  const waitError: CircuitBreaker['waitError'] = (request) =>
    state.name === 'closed' ? undefined : request.rejectWait(waitMs())

  function mayPermit(): boolean {
    const now = current()
    if (now.name !== 'half-open') return now.name === 'closed'
    const isBlocked = blockedLeftMs() > 0 || refusals.count() + inFlight >= maxRefusals
    return !isBlocked && probesInFlight < now.probeLimit
  }

  function closeIfCalm(): void {
    const now = current()
    if (now.name !== 'half-open' || now.probeLimit === 1 || probesInFlight > 0 || queue.size > 0) return
    if (maxRefusals === Number.POSITIVE_INFINITY || refusals.certain() === 0) state = { name: 'closed' }
  }

  /** A class, because each attempt gets one. */
  class Granted implements Permit {
    readonly #isProbe = state.name !== 'closed'
    readonly #grantedAt = timesOpened
    #hasEnded = false

    constructor() {
      inFlight++
      if (this.#isProbe) probesInFlight++
    }

    isCurrent(): boolean {
      return this.#grantedAt === timesOpened
    }

    end(result: PermitResult): void {
      if (!this.#leave()) return
      if (this.#isProbe && result === 'lost') refusals.add(false)
      // A success permits one more; a failure leaves as many as are in flight.
      const now = current()
      if (this.#isProbe && now.name === 'half-open') {
        if (result === 'succeeded') now.probeLimit++
        if (result === 'failed' || result === 'lost') now.probeLimit = Math.max(1, probesInFlight)
      }
      admit()
    }

    refuse(forMs: number): number {
      if (!this.#leave()) return openLeftMs()
      refusals.add(true)
      return open(Math.max(forMs, refusals.escalatedWaitMs()))
    }

    #leave(): boolean {
      if (this.#hasEnded) return false
      this.#hasEnded = true
      inFlight--
      if (this.#isProbe) probesInFlight--
      return true
    }
  }

  function open(askedMs: number): number {
    const forMs = Math.max(openLeftMs(), askedMs)
    timesOpened++
    state = { name: 'open', openedAt: monotonicNow(clock), forMs }
    stopOpenTimer?.()
    stopOpenTimer = undefined
    for (const { request, reject } of queue.all()) {
      const error = waitError(request)
      if (error !== undefined) reject(error)
    }
    for (const callback of [...openListeners]) callback()
    admit()
    return forMs
  }

  function admit(): void {
    for (let next = queue.first(); next !== undefined && mayPermit(); next = queue.first()) next.grant()
    closeIfCalm()
    arm()
  }

  /** One timer for all that wait, and none when nobody waits. */
  function arm(): void {
    stopBlockedTimer()
    if (queue.size === 0) stopOpenTimer?.()
    if (queue.size === 0) stopOpenTimer = undefined
    else if (openLeftMs() > 0) {
      stopOpenTimer ??= startTimer(clock, openLeftMs(), () => {
        stopOpenTimer = undefined
        // A late timer changes nothing that has gone on without it.
        if (state.name === 'open') halfOpen()
        admit()
      })
    } else if (blockedLeftMs() > 0) stopBlockedTimer = startTimer(clock, blockedLeftMs(), admit)
  }

  function isAvailable(): boolean {
    closeIfCalm()
    return queue.size === 0 && mayPermit()
  }

  const acquireWith: CircuitBreaker['acquireWith'] = (request, claim) =>
    new Promise((resolve, reject) => {
      if (request.signal.aborted) return reject(request.signal.reason)
      const error = waitError(request)
      if (error !== undefined) return reject(error)
      const leave = () => {
        queue.remove(waiter)
        request.signal.removeEventListener('abort', onAbort)
      }
      const waiter: Waiter = {
        request,
        grant() {
          leave()
          resolve(claim() ? new Granted() : undefined)
        },
        reject(reason) {
          leave()
          reject(reason)
        },
      }
      const onAbort = () => {
        waiter.reject(request.signal.reason)
        admit()
      }
      request.signal.addEventListener('abort', onAbort)
      queue.enqueue(waiter, request.arrival)
      admit()
    })

  return {
    get isIdle() {
      closeIfCalm()
      return state.name === 'closed' && inFlight === 0 && queue.size === 0 && refusals.count() === 0
    },
    get isAvailable() {
      return isAvailable()
    },
    tryAcquire: () => (isAvailable() ? new Granted() : undefined),
    acquireWith,
    acquire: (request) => acquireWith(request, () => true) as Promise<Permit>,
    onOpen(callback) {
      openListeners.add(callback)
      return () => void openListeners.delete(callback)
    },
    waitError,
    hold(forMs) {
      if (forMs > openLeftMs()) open(forMs)
    },
  }
}

/**
 * Closed, it permits every request. Open, it permits none until the time is over; then it is half open: one request goes
 * first as a probe, and each success permits one more at a time. It closes when nobody waits and no refusal is recent.
 */
export interface CircuitBreaker {
  /** Whether a request is permitted now and nobody waits. */
  readonly isAvailable: boolean
  tryAcquire(): Permit | undefined
  /** @throws the signal's reason, or the error of `rejectWait` */
  acquire(request: PermitRequest): Promise<Permit>
  /**
   * As `acquire`, for a request that needs more than the permit. When it is its turn, `claim` takes the rest; if it returns
   * false, the turn goes to the next, and the promise resolves with undefined.
   */
  acquireWith(request: PermitRequest, claim: () => boolean): Promise<Permit | undefined>
  /** Opens it for this long, or longer where it is open already, without a refusal of its own. */
  hold(forMs: number): void
  /** The error of `rejectWait` for the time that is left until a request may be permitted, if there is one. */
  waitError(request: Pick<PermitRequest, 'rejectWait'>): Error | undefined
  /** Calls back each time when it opens; returns a function that stops that. */
  onOpen(callback: () => void): () => void
  /** Closed, with no request in flight: nothing is lost when it is forgotten. */
  readonly isIdle: boolean
}
