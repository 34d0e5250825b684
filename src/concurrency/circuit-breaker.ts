import type { AdmissionRequest, CooldownScope, Permit, PermitResult } from './admission-types.ts'
import { type Clock, startTimer } from './clock.ts'

/** Open becomes half open when its time is over. Half open becomes closed after a success, when nobody waits and no refusal is recent. */
type State =
  | { readonly name: 'closed' }
  | { readonly name: 'open'; readonly openedAt: number; readonly forMs: number }
  | { readonly name: 'half-open'; probeLimit: number }

/** Counts refusals, for as long as they matter. */
export interface RecentRefusals {
  /** @param isCertain false where an answer was lost, which may have been a refusal */
  add(isCertain: boolean): void
  count(): number
  certain(): number
  /** Time until there are fewer than `limit`, certain and possible ones together. Milliseconds. */
  msUntilBelow(limit: number): number
  /** The shortest wait before the next request, however short a wait the service asks for. */
  escalatedWaitMs(): number
}

/**
 * Closed, it permits every request. Open, it permits none until the time is over; then it is half open: one request goes
 * first as a probe, and each success permits one more at a time. Who waits for it, and in which order, is for its owner to know.
 */
export class CircuitBreaker {
  readonly #clock: Clock
  readonly #scope: CooldownScope
  readonly #maxRefusals: number
  readonly #refusals: RecentRefusals
  #state: State = { name: 'closed' }
  #timesOpened = 0
  #inFlight = 0
  #probesInFlight = 0
  /** While it is open: until it is half open. Then: until there are few enough recent refusals. */
  #stopTimer: (() => void) | undefined

  /**
   * @param maxRefusals until it closes, no request is permitted that would bring the recent refusals and the requests
   * in flight together above this number
   */
  constructor(clock: Clock, scope: CooldownScope, refusals: RecentRefusals, maxRefusals = Number.POSITIVE_INFINITY) {
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
        if (leave() && isProbe) this.#recordProbe(result)
      },
      refuse: (forMs) => {
        if (!leave()) return this.#openLeftMs()
        this.#refusals.add(true)
        return this.#open(Math.max(forMs, this.#refusals.escalatedWaitMs()))
      },
    }
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
    this.#timesOpened++
    this.#state = { name: 'open', openedAt: this.#clock.monotonic(), forMs }
    this.stopTimer()
    return forMs
  }
}
