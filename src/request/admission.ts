import type {
  Admission,
  AdmissionRequest,
  CooldownScope,
  LocalAdmissionControl,
  Permit,
  PermitRequest,
  PermitResult,
} from '../concurrency/admission-types.ts'
import { LightAbortController } from '../concurrency/cancellation.ts'
import { type CircuitBreaker, createCircuitBreaker } from '../concurrency/circuit-breaker.ts'
import type { Clock } from '../concurrency/clock.ts'
import { MAX_KEY_REFUSALS } from '../concurrency/refusal-window.ts'
import { createSemaphore, type Release } from '../concurrency/semaphore.ts'
import { responseOf } from '../transport/outcome.ts'
import type { AttemptOutcome } from '../transport/transport.ts'

export function createAdmissionControl(clock: Clock, heavyConcurrency: number): LocalAdmissionControl {
  const heavySlots = createSemaphore(heavyConcurrency)
  const heavyBreaker = createCircuitBreaker(clock)
  const keyBreakers = new Map<string, CircuitBreaker>()
  const heavyWaiting = new Set<AdmissionRequest>()

  function keyBreaker(apiKey: string): CircuitBreaker {
    const known = keyBreakers.get(apiKey)
    if (known !== undefined) return known
    // Keys that rotate are not remembered longer than they matter.
    const waiting = new Set([...heavyWaiting].map((request) => request.apiKey))
    for (const [key, breaker] of keyBreakers) if (breaker.isIdle && !waiting.has(key)) keyBreakers.delete(key)
    const breaker = createCircuitBreaker(clock, MAX_KEY_REFUSALS)
    keyBreakers.set(apiKey, breaker)
    return breaker
  }

  /**
   * A heavy request needs a slot, and the permission of both breakers. It takes all three at once or none: a request that held
   * one while it waits for another would keep it from requests that could go.
   */
  async function admitHeavy(request: AdmissionRequest, key: CircuitBreaker): Promise<Admission> {
    const { signal } = request
    const atKey = permitRequest(request, 'key')
    const atHeavy = permitRequest(request, 'heavy')
    const held = new HeldAdmission()
    /** Takes all but the part whose turn it is, if all of them are available. */
    const takeAllBut = (part: Part | undefined): boolean => {
      if (part !== 'keyPermit' && !key.isAvailable) return false
      if (part !== 'slot' && !heavySlots.isAvailable) return false
      if (part !== 'heavyPermit' && !heavyBreaker.isAvailable) return false
      if (part !== 'keyPermit') held.keyPermit = key.tryAcquire()
      if (part !== 'slot') held.slot = heavySlots.tryAcquire()
      if (part !== 'heavyPermit') held.heavyPermit = heavyBreaker.tryAcquire()
      return true
    }
    /** Waits for a slot. A refusal of other requests that comes meanwhile may make the wait too long. */
    const queueForSlot = async (): Promise<Release | undefined> => {
      const queueing = new LightAbortController()
      const onAbort = () => queueing.abort(signal.reason)
      const onOpen = (breaker: CircuitBreaker, at: PermitRequest) =>
        breaker.onOpen(() => {
          const error = breaker.waitError(at)
          if (error !== undefined) queueing.abort(error)
        })
      const stopListening = [onOpen(heavyBreaker, atHeavy), onOpen(key, atKey)]
      signal.addEventListener('abort', onAbort)
      try {
        return await heavySlots.acquireWith(queueing, request.arrival, () => takeAllBut('slot'))
      } finally {
        signal.removeEventListener('abort', onAbort)
        for (const stop of stopListening) stop()
      }
    }
    heavyWaiting.add(request)
    try {
      while (!takeAllBut(undefined)) {
        const error = heavyBreaker.waitError(atHeavy)
        if (error !== undefined) throw error
        held.hasWaited = true
        if (!key.isAvailable) held.keyPermit = await key.acquireWith(atKey, () => takeAllBut('keyPermit'))
        else if (!heavySlots.isAvailable) held.slot = await request.whileQueued(queueForSlot())
        else held.heavyPermit = await heavyBreaker.acquireWith(atHeavy, () => takeAllBut('heavyPermit'))
        if (held.isComplete) break
      }
      return held
    } finally {
      heavyWaiting.delete(request)
    }
  }

  async function admitLater(request: AdmissionRequest, key: CircuitBreaker): Promise<Admission> {
    const held = new HeldAdmission()
    held.hasWaited = true
    held.keyPermit = await key.acquire(permitRequest(request, 'key'))
    return held
  }

  let arrivals = 0

  return {
    nextArrival: () => ++arrivals,
    admit(request) {
      const key = keyBreaker(request.apiKey)
      if (request.isHeavy) return admitHeavy(request, key)
      const keyPermit = key.tryAcquire()
      if (keyPermit === undefined) return admitLater(request, key)
      const held = new HeldAdmission()
      held.keyPermit = keyPermit
      return held
    },
    hold(scope, apiKey, forMs) {
      const breaker = scope === 'heavy' ? heavyBreaker : keyBreaker(apiKey)
      breaker.hold(forMs)
    },
  }
}

type Part = 'slot' | 'heavyPermit' | 'keyPermit'

/** What a request holds while it is sent. A class, because each attempt makes one. */
class HeldAdmission implements Admission {
  slot: Release | undefined
  heavyPermit: Permit | undefined
  keyPermit: Permit | undefined
  hasWaited = false

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

function permitRequest(request: AdmissionRequest, scope: CooldownScope): PermitRequest {
  const { signal, arrival } = request
  return { signal, arrival, rejectWait: (waitMs) => request.rejectWait(scope, waitMs) }
}

/** What the end of an attempt shows of the service's limits. */
export function permitResult(outcome: AttemptOutcome): PermitResult {
  const { failure } = outcome
  const { status } = responseOf(outcome) ?? {}
  // A caller who leaves may leave a refusal behind.
  if (status === 429 || (status === undefined && failure?.mayHaveArrived)) return 'lost'
  return status !== undefined && status < 500 && status !== 408 ? 'succeeded' : 'failed'
}
