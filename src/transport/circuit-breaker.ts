import type { AdmissionRequest, CooldownScope, PermitResult } from '../concurrency/admission-types.ts'
import { type Clock, startTimer } from '../concurrency/clock.ts'
import { exponentialBackoff } from '../utils/time-units.ts'

/** A minute, and a millisecond more: whether a refusal is a minute old is for the service to know. */
const WINDOW_MS = 60_001
/** Refusals in a minute after which the waits grow. */
export const MAX_PLAIN_REFUSALS = 3
export const MIN_ESCALATED_WAIT_MS = 2_000
export const MAX_ESCALATED_WAIT_MS = 8_000
/** Twenty refusals in a minute lock a key: the refusals of the last minute and the requests in flight never exceed this number. */
export const MAX_KEY_REFUSALS = 15

/** Open becomes half open when its time is over. Half open becomes closed after a success, when nobody waits and no refusal is recent. */
type State =
  | { readonly name: 'closed' }
  | { readonly name: 'open'; readonly openedAt: number; readonly forMs: number }
  | { readonly name: 'half-open'; probeLimit: number }

/** Permission of a breaker to send one request, which is given back once, when the request has ended. */
export interface Permit {
  readonly breaker: CircuitBreaker
  readonly isProbe: boolean
  /** How often the breaker had opened. */
  readonly openings: number
}

/**
 * Closed, it permits every request. Open, it permits none until the time is over; then it is half open: one request goes
 * first as a probe, and each success permits one more at a time. Who waits for it, and in which order, is for its owner to know.
 */
export class CircuitBreaker {
  readonly #clock: Clock
  readonly #scope: CooldownScope
  readonly #maxRefusals: number
  readonly #refusals: RefusalWindow
  #state: State = { name: 'closed' }
  #openings = 0
  #inFlight = 0
  #probesInFlight = 0
  /** While it is open: until it is half open. Then: until there are few enough recent refusals. */
  #stopTimer: (() => void) | undefined

  /**
   * @param maxRefusals until it closes, no request is permitted that would bring the recent refusals and the requests
   * in flight together above this number
   */
  constructor(clock: Clock, scope: CooldownScope, refusals: RefusalWindow, maxRefusals = Number.POSITIVE_INFINITY) {
    this.#clock = clock
    this.#scope = scope
    this.#maxRefusals = maxRefusals
    this.#refusals = refusals
  }

  /** Closed, with no request in flight: where nobody waits for it, nothing is lost when it is forgotten. */
  get isIdle(): boolean {
    this.closeIfCalm()
    return this.#state.name === 'closed' && this.#inFlight === 0 && this.#refusals.count() === 0
  }

  get isAvailable(): boolean {
    const now = this.#current()
    if (now.name !== 'half-open') return now.name === 'closed'
    const isBlocked = this.#blockedLeftMs() > 0 || this.#refusals.count() + this.#inFlight >= this.#maxRefusals
    return !isBlocked && this.#probesInFlight < now.probeLimit
  }

  /** Closes when a probe has succeeded and no refusal is recent. Call this only where nobody waits: all of them would go at once. */
  closeIfCalm(): void {
    const now = this.#current()
    if (now.name !== 'half-open' || now.probeLimit === 1 || this.#probesInFlight > 0) return
    if (this.#maxRefusals === Number.POSITIVE_INFINITY || this.#refusals.certain() === 0)
      this.#state = { name: 'closed' }
  }

  /** Permits one request. Call this only while it is available. */
  grant(): Permit {
    const isProbe = this.#state.name !== 'closed'
    this.#inFlight++
    if (isProbe) this.#probesInFlight++
    return { breaker: this, isProbe, openings: this.#openings }
  }

  /** False when it has opened since: the request must not be sent. */
  isCurrent({ openings }: Permit): boolean {
    return openings === this.#openings
  }

  /** The request has ended. */
  end({ isProbe }: Permit, result: PermitResult): void {
    this.#inFlight--
    if (!isProbe) return
    this.#probesInFlight--
    this.#recordProbe(result)
  }

  /** The service refused the request: opens for this long, or longer after several refusals, and returns for how long. */
  refuse({ isProbe }: Permit, forMs: number): number {
    this.#inFlight--
    if (isProbe) this.#probesInFlight--
    this.#refusals.add(true)
    return this.#open(Math.max(forMs, this.#refusals.escalatedWaitMs()))
  }

  /** Opens it for this long, without a refusal of its own. False where it is open for longer already. */
  hold(forMs: number): boolean {
    if (forMs <= this.#openLeftMs()) return false
    this.#open(forMs)
    return true
  }

  /** The error of `rejectWait` for the time that is left until a request may be permitted, if there is one. */
  waitError(request: Pick<AdmissionRequest, 'rejectWait'>): Error | undefined {
    if (this.#state.name === 'closed') return undefined
    return request.rejectWait(this.#scope, Math.max(this.#openLeftMs(), this.#blockedLeftMs()))
  }

  /** Calls back when a request may be permitted, where only time has to pass until then. */
  callBackWhenDue(callback: () => void): void {
    const isOpen = this.#openLeftMs() > 0
    if (isOpen && this.#stopTimer !== undefined) return
    this.stopTimer()
    const waitMs = isOpen ? this.#openLeftMs() : this.#blockedLeftMs()
    // Its time may have ended since its owner looked: then nothing else would call back.
    if (waitMs === 0 && !this.isAvailable) return
    this.#stopTimer = startTimer(this.#clock, waitMs, () => {
      this.#stopTimer = undefined
      // A late timer changes nothing that has gone on without it.
      if (this.#state.name === 'open') this.#halfOpen()
      callback()
    })
  }

  stopTimer(): void {
    this.#stopTimer?.()
    this.#stopTimer = undefined
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

  #openLeftMs(): number {
    if (this.#state.name !== 'open') return 0
    const { openedAt, forMs } = this.#state
    return Math.max(0, forMs - (this.#clock.monotonic() - openedAt))
  }

  #blockedLeftMs(): number {
    return Number.isFinite(this.#maxRefusals) ? this.#refusals.msUntilBelow(this.#maxRefusals) : 0
  }

  #open(askedMs: number): number {
    const forMs = Math.max(this.#openLeftMs(), askedMs)
    this.#openings++
    this.#state = { name: 'open', openedAt: this.#clock.monotonic(), forMs }
    this.stopTimer()
    return forMs
  }
}

/** The refusals of the last minute, and the requests whose answer was lost: the service may have refused them too. */
export class RefusalWindow {
  readonly #clock: Clock
  #refusals: { readonly at: number; readonly isCertain: boolean }[] = []

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** @param isCertain false where an answer was lost, which may have been a refusal */
  add(isCertain: boolean): void {
    this.#refusals.push({ at: this.#clock.monotonic(), isCertain })
  }

  count(): number {
    return this.#recent().length
  }

  certain(): number {
    return this.#recent().filter(({ isCertain }) => isCertain).length
  }

  /** Time until there are fewer than `limit`, certain and possible ones together. Milliseconds. */
  msUntilBelow(limit: number): number {
    const now = this.#clock.monotonic()
    const counted = this.#recent(now)
    const last = counted[counted.length - limit]
    return last === undefined ? 0 : msLeft(last, now)
  }

  /** The shortest wait before the next request, however short a wait the service asks for. */
  escalatedWaitMs(): number {
    const beyond = this.certain() - MAX_PLAIN_REFUSALS
    return beyond <= 0 ? 0 : exponentialBackoff(beyond - 1, MIN_ESCALATED_WAIT_MS, MAX_ESCALATED_WAIT_MS)
  }

  #recent(now = this.#clock.monotonic()) {
    this.#refusals = this.#refusals.filter((refusal) => msLeft(refusal, now) > 0)
    return this.#refusals
  }
}

/** How long it counts. One formula for all who ask, because another one may be rounded otherwise. */
const msLeft = ({ at }: { readonly at: number }, now: number) => WINDOW_MS - (now - at)
