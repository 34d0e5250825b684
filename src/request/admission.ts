import type {
  Admission,
  AdmissionRequest,
  CooldownScope,
  LocalAdmissionControl,
  Permit,
  PermitResult,
} from '../concurrency/admission-types.ts'
import { LightAbortController } from '../concurrency/cancellation.ts'
import { CircuitBreaker, MAX_KEY_REFUSALS } from '../concurrency/circuit-breaker.ts'
import type { Clock } from '../concurrency/clock.ts'
import { type Release, Semaphore } from '../concurrency/semaphore.ts'
import { responseOf } from '../transport/outcome.ts'
import type { AttemptOutcome } from '../transport/transport.ts'

/** The admission control of one client. */
export class ClientAdmission implements LocalAdmissionControl {
  readonly #clock: Clock
  readonly #heavySlots: Semaphore
  readonly #heavyBreaker: CircuitBreaker
  readonly #keyBreakers = new Map<string, CircuitBreaker>()
  readonly #heavyWaiting = new Set<AdmissionRequest>()
  #arrivals = 0

  constructor(clock: Clock, heavyConcurrency: number) {
    this.#clock = clock
    this.#heavySlots = new Semaphore(heavyConcurrency)
    this.#heavyBreaker = new CircuitBreaker(clock, 'heavy')
  }

  nextArrival(): number {
    return ++this.#arrivals
  }

  admit(request: AdmissionRequest): Admission | Promise<Admission> {
    const breaker = this.#keyBreaker(request.apiKey)
    if (request.isHeavy) return this.#admitHeavy(request, breaker)
    const keyPermit = breaker.tryAcquire()
    if (keyPermit !== undefined) return new RequestPermit(keyPermit)
    return breaker.acquire(request).then((acquired) => new RequestPermit(acquired, true))
  }

  hold(scope: CooldownScope, apiKey: string, forMs: number): void {
    const breaker = scope === 'heavy' ? this.#heavyBreaker : this.#keyBreaker(apiKey)
    breaker.hold(forMs)
  }

  #keyBreaker(apiKey: string): CircuitBreaker {
    const known = this.#keyBreakers.get(apiKey)
    if (known !== undefined) return known
    // Keys that rotate are not remembered longer than they matter.
    const waiting = new Set([...this.#heavyWaiting].map((request) => request.apiKey))
    for (const [key, { isIdle }] of this.#keyBreakers) if (isIdle && !waiting.has(key)) this.#keyBreakers.delete(key)
    const breaker = new CircuitBreaker(this.#clock, 'key', MAX_KEY_REFUSALS)
    this.#keyBreakers.set(apiKey, breaker)
    return breaker
  }

  /**
   * A heavy request needs a slot, and the permission of both breakers. It takes all three at once or none: a request that held
   * one while it waits for another would keep it from requests that could go.
   */
  async #admitHeavy(request: AdmissionRequest, key: CircuitBreaker): Promise<Admission> {
    const slots = this.#heavySlots
    const heavy = this.#heavyBreaker
    const held = new RequestPermit()
    /** Takes all but the part whose turn it is, if all of them are available. */
    const takeAllBut = (part?: 'slot' | 'heavyPermit' | 'keyPermit'): boolean => {
      if (part !== 'keyPermit' && !key.isAvailable) return false
      if (part !== 'slot' && !slots.isAvailable) return false
      if (part !== 'heavyPermit' && !heavy.isAvailable) return false
      if (part !== 'keyPermit') held.keyPermit = key.tryAcquire()
      if (part !== 'slot') held.slot = slots.tryAcquire()
      if (part !== 'heavyPermit') held.heavyPermit = heavy.tryAcquire()
      return true
    }
    this.#heavyWaiting.add(request)
    try {
      while (!held.isComplete && !takeAllBut()) {
        const error = heavy.waitError(request)
        if (error !== undefined) throw error
        held.hasWaited = true
        if (!key.isAvailable) held.keyPermit = await key.acquireWith(request, () => takeAllBut('keyPermit'))
        else if (!slots.isAvailable) {
          const queueing = this.#queueForSlot(request, key, () => takeAllBut('slot'))
          held.slot = await request.whileQueued(queueing)
        } else held.heavyPermit = await heavy.acquireWith(request, () => takeAllBut('heavyPermit'))
      }
      return held
    } finally {
      this.#heavyWaiting.delete(request)
    }
  }

  /** Waits for a slot. A refusal of other requests that comes meanwhile may make the wait too long. */
  async #queueForSlot(request: AdmissionRequest, key: CircuitBreaker, claim: () => boolean) {
    const { signal, arrival } = request
    const queueing = new LightAbortController()
    const onAbort = () => queueing.abort(signal.reason)
    const stopListening = [this.#heavyBreaker, key].map((breaker) =>
      breaker.onOpen(() => {
        const error = breaker.waitError(request)
        if (error !== undefined) queueing.abort(error)
      }),
    )
    signal.addEventListener('abort', onAbort)
    try {
      return await this.#heavySlots.acquireWith(queueing, arrival, claim)
    } finally {
      signal.removeEventListener('abort', onAbort)
      for (const stop of stopListening) stop()
    }
  }
}

/** What a request holds while it is sent. */
class RequestPermit implements Admission {
  slot: Release | undefined
  heavyPermit: Permit | undefined
  keyPermit: Permit | undefined
  hasWaited: boolean

  constructor(keyPermit?: Permit, hasWaited = false) {
    this.keyPermit = keyPermit
    this.hasWaited = hasWaited
  }

  /** Whether a heavy request holds all that it needs. */
  get isComplete(): boolean {
    return this.slot !== undefined && this.heavyPermit !== undefined && this.keyPermit !== undefined
  }

  isCurrent(): boolean {
    return this.heavyPermit?.isCurrent() !== false && this.keyPermit?.isCurrent() !== false
  }

  end(result: PermitResult): void {
    this.heavyPermit?.end(result)
    this.keyPermit?.end(result)
    this.slot?.()
  }

  refuse(scope: CooldownScope, waitMs: number): number {
    const cooldownMs = (scope === 'heavy' ? this.heavyPermit : this.keyPermit)?.refuse(waitMs) ?? 0
    this.end('failed')
    return cooldownMs
  }
}

/** What the end of an attempt shows of the service's limits. */
export function permitResult(outcome: AttemptOutcome): PermitResult {
  const { failure } = outcome
  const { status } = responseOf(outcome) ?? {}
  // A caller who leaves may leave a refusal behind.
  if (status === 429 || (status === undefined && failure?.mayHaveArrived)) return 'lost'
  return status !== undefined && status < 500 && status !== 408 ? 'succeeded' : 'failed'
}
