import type {
  Admission,
  AdmissionRequest,
  CooldownScope,
  LocalAdmissionControl,
  PermitResult,
} from '../concurrency/admission-types.ts'
import type { Clock } from '../concurrency/clock.ts'
import { CircuitBreaker, MAX_KEY_REFUSALS, type Permit, RefusalWindow } from '../transport/circuit-breaker.ts'
import { lastIndexWhere } from '../utils/runtime.ts'

type Obstacle = CircuitBreaker | 'slot'

interface Waiting {
  readonly request: AdmissionRequest
  readonly key: CircuitBreaker
  resolve(permit: RequestPermit): void
  reject(reason: unknown): void
  onAbort(): void
}

/**
 * The admission control of one client. A request needs the permission of the breaker of its key; a heavy one also a slot and the permission of
 * the breaker of heavy requests. It takes all of them at once or none: a request that held one while it waits for another would keep it from
 * requests that could go. Requests are admitted in the order of arrival, except that those that are held up let others pass.
 */
export class ClientAdmission implements LocalAdmissionControl {
  readonly #clock: Clock
  readonly #heavyConcurrency: number
  readonly #heavyBreaker: CircuitBreaker
  readonly #keyBreakers = new Map<string, CircuitBreaker>()
  /** In the order of arrival. */
  readonly #waiting: Waiting[] = []
  /** What they wait for: who needs the same and arrives later waits behind them. */
  #awaited = new Set<Obstacle>()
  #heavyInFlight = 0
  #arrivals = 0

  constructor(clock: Clock, heavyConcurrency: number) {
    this.#clock = clock
    this.#heavyConcurrency = heavyConcurrency
    this.#heavyBreaker = new CircuitBreaker(clock, 'heavy', new RefusalWindow(clock))
  }

  nextArrival(): number {
    return ++this.#arrivals
  }

  admit(request: AdmissionRequest): Admission | Promise<Admission> {
    const key = this.#keyBreaker(request.apiKey)
    if (!this.#awaited.has(key)) key.closeIfCalm()
    if (request.isHeavy && !this.#awaited.has(this.#heavyBreaker)) this.#heavyBreaker.closeIfCalm()
    const obstacle = this.#obstacle(request, key)
    if (obstacle === undefined) return this.#permit(request, key, false)
    return this.#wait(request, key, obstacle)
  }

  hold(scope: CooldownScope, apiKey: string, forMs: number): void {
    const breaker = scope === 'heavy' ? this.#heavyBreaker : this.#keyBreaker(apiKey)
    if (breaker.hold(forMs)) this.#rejectLongWaits(breaker)
  }

  #keyBreaker(apiKey: string): CircuitBreaker {
    const known = this.#keyBreakers.get(apiKey)
    if (known !== undefined) return known
    // Keys that rotate are not remembered longer than they matter.
    const waitedFor = new Set(this.#waiting.map(({ key }) => key))
    for (const [key, breaker] of this.#keyBreakers)
      if (!waitedFor.has(breaker) && breaker.isIdle) this.#keyBreakers.delete(key)
    const breaker = new CircuitBreaker(this.#clock, 'key', new RefusalWindow(this.#clock), MAX_KEY_REFUSALS)
    this.#keyBreakers.set(apiKey, breaker)
    return breaker
  }

  #obstacle({ isHeavy }: AdmissionRequest, key: CircuitBreaker): Obstacle | undefined {
    if (this.#awaited.has(key) || !key.isAvailable) return key
    if (!isHeavy) return undefined
    if (this.#heavyInFlight >= this.#heavyConcurrency) return 'slot'
    const heavy = this.#heavyBreaker
    return this.#awaited.has(heavy) || !heavy.isAvailable ? heavy : undefined
  }

  #permit({ isHeavy }: AdmissionRequest, key: CircuitBreaker, hasWaited: boolean): RequestPermit {
    if (isHeavy) this.#heavyInFlight++
    const heavy = isHeavy ? this.#heavyBreaker.grant() : undefined
    return new RequestPermit(key.grant(), heavy, hasWaited, (refused, waitMs) => {
      if (isHeavy) this.#heavyInFlight--
      // One that the contract does not know as heavy.
      else if (refused === 'heavy') this.#heavyBreaker.hold(waitMs)
      // A light one holds up only those who wait for its key: it need not walk past a long queue of heavy ones.
      if (refused === undefined && (isHeavy || this.#awaited.has(key))) this.#admitWaiting()
      if (refused !== undefined) this.#rejectLongWaits(refused === 'heavy' ? this.#heavyBreaker : key)
    })
  }

  /** @throws the signal's reason, or the error of `rejectWait` */
  #wait(request: AdmissionRequest, key: CircuitBreaker, obstacle: Obstacle): Promise<Admission> {
    const { signal, arrival, isHeavy } = request
    if (signal.aborted) return Promise.reject(signal.reason)
    const error =
      (isHeavy ? this.#heavyBreaker.waitError(request) : undefined) ??
      (obstacle === key ? key.waitError(request) : undefined)
    if (error !== undefined) return Promise.reject(error)
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        this.#leave(waiting)
        reject(signal.reason)
        // What waits takes nothing from others, but without it no timer may be left.
        if (this.#waiting.length === 0) this.#admitWaiting()
      }
      const waiting: Waiting = { request, key, resolve, reject, onAbort }
      signal.addEventListener('abort', onAbort)
      const before = lastIndexWhere(this.#waiting, (other) => other.request.arrival <= arrival)
      this.#waiting.splice(before + 1, 0, waiting)
      this.#holdUp(waiting, obstacle)
    })
  }

  #leave(waiting: Waiting): void {
    this.#waiting.splice(this.#waiting.indexOf(waiting), 1)
    waiting.request.signal.removeEventListener('abort', waiting.onAbort)
    waiting.request.setQueued(false)
  }

  #holdUp({ request }: Waiting, obstacle: Obstacle): void {
    request.setQueued(obstacle === 'slot')
    if (this.#awaited.has(obstacle)) return
    this.#awaited.add(obstacle)
    if (obstacle !== 'slot') obstacle.callBackWhenDue(() => this.#admitWaiting())
  }

  #admitWaiting(): void {
    const before = this.#awaited
    this.#awaited = new Set()
    for (const waiting of [...this.#waiting]) {
      const { request, key } = waiting
      const obstacle = this.#obstacle(request, key)
      if (obstacle !== undefined) {
        this.#holdUp(waiting, obstacle)
        continue
      }
      this.#leave(waiting)
      waiting.resolve(this.#permit(request, key, true))
    }
    for (const one of before) if (one !== 'slot' && !this.#awaited.has(one)) one.stopTimer()
  }

  /** A breaker has opened: rejects those who may not wait that long. */
  #rejectLongWaits(breaker: CircuitBreaker): void {
    for (const waiting of [...this.#waiting]) {
      const { request, key } = waiting
      const isHeldUp = breaker === key || (breaker === this.#heavyBreaker && request.isHeavy)
      const error = isHeldUp ? breaker.waitError(request) : undefined
      if (error === undefined) continue
      this.#leave(waiting)
      waiting.reject(error)
    }
    this.#admitWaiting()
  }
}

/** What a request holds while it is sent. Only its first end counts. */
class RequestPermit implements Admission {
  readonly hasWaited: boolean
  readonly #key: Permit
  readonly #heavy: Permit | undefined
  readonly #onEnd: (refused: CooldownScope | undefined, waitMs: number) => void
  #hasEnded = false

  constructor(
    key: Permit,
    heavy: Permit | undefined,
    hasWaited: boolean,
    onEnd: (refused: CooldownScope | undefined, waitMs: number) => void,
  ) {
    this.hasWaited = hasWaited
    this.#key = key
    this.#heavy = heavy
    this.#onEnd = onEnd
  }

  isCurrent(): boolean {
    const key = this.#key
    const heavy = this.#heavy
    return key.breaker.isCurrent(key) && (heavy === undefined || heavy.breaker.isCurrent(heavy))
  }

  end(result: PermitResult): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#heavy?.breaker.end(this.#heavy, result)
    this.#key.breaker.end(this.#key, result)
    this.#onEnd(undefined, 0)
  }

  refuse(scope: CooldownScope, waitMs: number): number {
    if (this.#hasEnded) return waitMs
    this.#hasEnded = true
    const [refused, other] = scope === 'heavy' ? [this.#heavy, this.#key] : [this.#key, this.#heavy]
    other?.breaker.end(other, 'failed')
    const cooldownMs = refused?.breaker.refuse(refused, waitMs) ?? waitMs
    this.#onEnd(scope, waitMs)
    return cooldownMs
  }
}
