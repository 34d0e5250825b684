import { exponentialBackoff } from '../utils/time-units.ts'
import type { AdmissionRequest, CooldownScope, Permit, PermitResult } from './admission-types.ts'
import { type Clock, monotonicNow, startTimer } from './clock.ts'
import { WaitQueue } from './semaphore.ts'

type PermitRequest = Pick<AdmissionRequest, 'signal' | 'arrival' | 'rejectWait'>

/** Open becomes half open when its time is over. Half open becomes closed after a success, when nobody waits and no refusal is recent. */
type State =
  | { readonly name: 'closed' }
  | { readonly name: 'open'; readonly openedAt: number; readonly forMs: number }
  | { readonly name: 'half-open'; probeLimit: number }

/**
 * Closed, it permits every request. Open, it permits none until the time is over; then it is half open: one request goes
 * first as a probe, and each success permits one more at a time. It closes when nobody waits and no refusal is recent.
 */
export class CircuitBreaker {
  readonly #clock: Clock
  readonly #scope: CooldownScope
  readonly #maxRefusals: number
  readonly #queue = new WaitQueue<PermitRequest>(() => this.#admit())
  readonly #refusals: RefusalWindow
  readonly #openListeners = new Set<() => void>()
  #state: State = { name: 'closed' }
  #timesOpened = 0
  #inFlight = 0
  #probesInFlight = 0
  #stopOpenTimer: (() => void) | undefined
  #stopBlockedTimer = () => {}

  /**
   * @param maxRefusals until it closes, no request is permitted that would bring the refusals of the last minute and the requests
   * in flight together above this number
   */
  constructor(clock: Clock, scope: CooldownScope, maxRefusals = Number.POSITIVE_INFINITY) {
    this.#clock = clock
    this.#scope = scope
    this.#maxRefusals = maxRefusals
    this.#refusals = new RefusalWindow(clock)
  }

  /** Closed, with no request in flight: nothing is lost when it is forgotten. */
  get isIdle(): boolean {
    this.#closeIfCalm()
    const isUnused = this.#inFlight === 0 && this.#queue.isEmpty
    return this.#state.name === 'closed' && isUnused && this.#refusals.count() === 0
  }

  /** Whether a request is permitted now and nobody waits. */
  get isAvailable(): boolean {
    this.#closeIfCalm()
    return this.#queue.isEmpty && this.#mayPermit()
  }

  tryAcquire(): Permit | undefined {
    return this.isAvailable ? this.#grant() : undefined
  }

  /** @throws the signal's reason, or the error of `rejectWait` */
  acquire(request: PermitRequest): Promise<Permit> {
    return this.acquireWith(request, () => true) as Promise<Permit>
  }

  /**
   * As `acquire`, for a request that needs more than the permit. When it is its turn, `claim` takes the rest; if it returns
   * false, the turn goes to the next, and the promise resolves with undefined.
   */
  acquireWith(request: PermitRequest, claim: () => boolean): Promise<Permit | undefined> {
    const error = request.signal.aborted ? undefined : this.waitError(request)
    if (error !== undefined) return Promise.reject(error)
    const waiting = this.#queue.wait(request, () => (claim() ? this.#grant() : undefined))
    this.#admit()
    return waiting
  }

  /** Opens it for this long, or longer where it is open already, without a refusal of its own. */
  hold(forMs: number): void {
    if (forMs > this.#openLeftMs()) this.#open(forMs)
  }

  /** The error of `rejectWait` for the time that is left until a request may be permitted, if there is one. */
  waitError(request: Pick<AdmissionRequest, 'rejectWait'>): Error | undefined {
    if (this.#state.name === 'closed') return undefined
    return request.rejectWait(this.#scope, Math.max(this.#openLeftMs(), this.#blockedLeftMs()))
  }

  /** Calls back each time when it opens; returns a function that stops that. */
  onOpen(callback: () => void): () => void {
    this.#openListeners.add(callback)
    return () => void this.#openListeners.delete(callback)
  }

  #grant(): Permit {
    const isProbe = this.#state.name !== 'closed'
    const grantedAt = this.#timesOpened
    let hasEnded = false
    this.#inFlight++
    if (isProbe) this.#probesInFlight++
    /** Whether this is its first end. */
    const leave = () => {
      if (hasEnded) return false
      hasEnded = true
      this.#inFlight--
      if (isProbe) this.#probesInFlight--
      return true
    }
    return {
      isCurrent: () => grantedAt === this.#timesOpened,
      end: (result) => {
        if (!leave()) return
        if (isProbe) this.#recordProbe(result)
        this.#admit()
      },
      refuse: (forMs) => {
        if (!leave()) return this.#openLeftMs()
        this.#refusals.add(true)
        return this.#open(Math.max(forMs, this.#refusals.escalatedWaitMs()))
      },
    }
  }

  /** A success permits one more; a failure leaves as many as are in flight. */
  #recordProbe(result: PermitResult): void {
    if (result === 'lost') this.#refusals.add(false)
    const now = this.#current()
    if (now.name !== 'half-open' || result === 'unused') return
    now.probeLimit = result === 'succeeded' ? now.probeLimit + 1 : Math.max(1, this.#probesInFlight)
  }

  #current(): State {
    if (this.#state.name === 'open' && this.#openLeftMs() === 0) this.#halfOpen()
    return this.#state
  }

  #halfOpen(): void {
    this.#state = { name: 'half-open', probeLimit: 1 }
  }

  /** Without a monotonic clock, a running timer knows better than the wall clock, which may have been set. */
  #openLeftMs(): number {
    if (this.#state.name !== 'open') return 0
    const { openedAt, forMs } = this.#state
    const left = Math.max(0, forMs - (monotonicNow(this.#clock) - openedAt))
    const least = this.#clock.monotonic === undefined && this.#stopOpenTimer !== undefined ? 1 : 0
    return Math.min(forMs, Math.max(least, left))
  }

  /** Time until there are few enough recent refusals. */
  #blockedLeftMs(): number {
    return Number.isFinite(this.#maxRefusals) ? this.#refusals.msUntilBelow(this.#maxRefusals) : 0
  }

  #mayPermit(): boolean {
    const now = this.#current()
    if (now.name !== 'half-open') return now.name === 'closed'
    const isBlocked = this.#blockedLeftMs() > 0 || this.#refusals.count() + this.#inFlight >= this.#maxRefusals
    return !isBlocked && this.#probesInFlight < now.probeLimit
  }

  #closeIfCalm(): void {
    const now = this.#current()
    if (now.name !== 'half-open' || now.probeLimit === 1 || this.#probesInFlight > 0 || !this.#queue.isEmpty) return
    if (this.#maxRefusals === Number.POSITIVE_INFINITY || this.#refusals.certain() === 0)
      this.#state = { name: 'closed' }
  }

  #open(askedMs: number): number {
    const forMs = Math.max(this.#openLeftMs(), askedMs)
    this.#timesOpened++
    this.#state = { name: 'open', openedAt: monotonicNow(this.#clock), forMs }
    this.#stopOpenTimer?.()
    this.#stopOpenTimer = undefined
    this.#queue.rejectWith((request) => this.waitError(request))
    for (const callback of [...this.#openListeners]) callback()
    this.#admit()
    return forMs
  }

  #admit(): void {
    while (!this.#queue.isEmpty && this.#mayPermit()) this.#queue.enterNext()
    this.#closeIfCalm()
    this.#arm()
  }

  /** One timer for all that wait, and none when nobody waits. */
  #arm(): void {
    this.#stopBlockedTimer()
    if (this.#queue.isEmpty) {
      this.#stopOpenTimer?.()
      this.#stopOpenTimer = undefined
    } else if (this.#openLeftMs() > 0) {
      this.#stopOpenTimer ??= startTimer(this.#clock, this.#openLeftMs(), () => {
        this.#stopOpenTimer = undefined
        // A late timer changes nothing that has gone on without it.
        if (this.#state.name === 'open') this.#halfOpen()
        this.#admit()
      })
    } else if (this.#blockedLeftMs() > 0) {
      this.#stopBlockedTimer = startTimer(this.#clock, this.#blockedLeftMs(), () => this.#admit())
    }
  }
}

const WINDOW_MS = 60_000
/** Refusals in a minute after which the waits grow. */
export const MAX_PLAIN_REFUSALS = 3
export const MIN_ESCALATED_WAIT_MS = 2_000
export const MAX_ESCALATED_WAIT_MS = 8_000
/** Twenty refusals in a minute lock a key: the refusals of the last minute and the requests in flight never exceed this number. */
export const MAX_KEY_REFUSALS = 15

/** The refusals of the last minute, and the requests whose answer was lost: the service may have refused them too. */
export class RefusalWindow {
  readonly #clock: Clock
  #refusals: { readonly at: number; readonly isCertain: boolean }[] = []

  constructor(clock: Clock) {
    this.#clock = clock
  }

  add(isCertain: boolean): void {
    this.#refusals.push({ at: monotonicNow(this.#clock), isCertain })
  }

  /** Certain and possible refusals. */
  count(): number {
    return this.#recent().length
  }

  certain(): number {
    return this.#recent().filter(({ isCertain }) => isCertain).length
  }

  /** Time until there are fewer than `limit`, certain and possible ones together. Milliseconds. */
  msUntilBelow(limit: number): number {
    const counted = this.#recent()
    const last = counted[counted.length - limit]
    return last === undefined ? 0 : Math.max(0, last.at + WINDOW_MS - monotonicNow(this.#clock))
  }

  /** The shortest wait before the next request, however short a wait the service asks for. */
  escalatedWaitMs(): number {
    const beyond = this.certain() - MAX_PLAIN_REFUSALS
    return beyond <= 0 ? 0 : exponentialBackoff(beyond - 1, MIN_ESCALATED_WAIT_MS, MAX_ESCALATED_WAIT_MS)
  }

  #recent() {
    const now = monotonicNow(this.#clock)
    // Either way: a step of the wall clock may leave refusals in the future.
    this.#refusals = this.#refusals.filter(({ at }) => Math.abs(now - at) < WINDOW_MS)
    return this.#refusals
  }
}
