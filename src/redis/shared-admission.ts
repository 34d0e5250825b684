import type {
  Admission,
  AdmissionControl,
  AdmissionRequest,
  CooldownScope,
  LocalAdmissionControl,
  PermitResult,
} from '../concurrency/admission-types.ts'
import { sleep, systemClock } from '../concurrency/clock.ts'
import { MAX_KEY_REFUSALS } from '../transport/circuit-breaker.ts'
import type { Lease } from './background.ts'
import type { Member } from './redis-fleet.ts'
import { ADMIT, END, REFUSE } from './scripts/limits.lua.ts'

/** How long a request that waits for a slot keeps its place without asking. */
const SILENT_MS = 2_000
const POLL_MS = 25
const MAX_POLL_MS = 200
/** What is known of the breakers is not believed when it is older: a request that has waited asks. */
const MAX_BREAKERS_AGE_MS = 1_000

/** The first in the queue asks often, because a free slot waits for it. */
const pauseBeforePoll = (ahead: number, { signal }: AdmissionRequest) =>
  sleep(systemClock, Math.min(MAX_POLL_MS, POLL_MS * (1 + ahead)), signal)

/**
 * Admits a request in its own process first, in the order of arrival, and then in the fleet. While nothing is refused, light requests need no command:
 * the answer to their reservation has shown that.
 */
export class SharedAdmissionControl implements AdmissionControl {
  readonly member: Member
  readonly #local: LocalAdmissionControl
  /** Requests that were admitted without a command, and are in flight. */
  readonly unasked = new Set<SharedAdmission>()

  constructor(member: Member, local: LocalAdmissionControl) {
    this.member = member
    this.#local = local
  }

  nextArrival(): number {
    return this.#local.nextArrival()
  }

  async admit(request: AdmissionRequest): Promise<Admission> {
    const scope = this.member.keys.scopeOf(request.apiKey)
    for (;;) {
      this.#learn(request, scope)
      const admission = await this.#local.admit(request)
      const id = this.member.nextId()
      const { isHeavy } = request
      if (!this.#mustAsk(request, scope)) return new SharedAdmission(this, admission, { id, scope, isHeavy })
      try {
        const askedAt = await this.#ask(request, scope, id)
        if (askedAt !== undefined) return new SharedAdmission(this, admission, { id, scope, isHeavy, askedAt })
      } catch (error) {
        this.send(END, scope, [id, scope, 'cancelled'])
        admission.end('unused')
        throw error
      }
      admission.end('unused')
    }
  }

  /** Runs a script until it succeeds, or what the request holds has ended by itself. */
  send(script: string, scope: string, args: readonly (string | number)[]): void {
    const { background, settings } = this.member
    const untilMs = systemClock.monotonic() + settings.leaseMs
    background.repeat(() => this.member.limit(script, scope, args), untilMs)
  }

  /** The ids of requests in flight of which the fleet does not know. The next command has to contain them. */
  countUnasked(scope: string): string[] {
    const uncounted = [...this.unasked].filter((one) => one.scope === scope && !one.isCounted)
    for (const one of uncounted) one.isCounted = true
    return uncounted.map(({ id }) => id)
  }

  /** What others met holds the requests of this process too, and each may fail at once if the wait is too long. */
  #learn({ apiKey, isHeavy }: AdmissionRequest, scope: string): void {
    const { view } = this.member
    const keyMs = view.cooldownMs(scope)
    if (keyMs > 0) this.#local.hold('key', apiKey, keyMs)
    const heavyMs = isHeavy ? view.cooldownMs('heavy') : 0
    if (heavyMs > 0) this.#local.hold('heavy', apiKey, heavyMs)
  }

  #mustAsk({ isHeavy }: AdmissionRequest, scope: string): boolean {
    const { view } = this.member
    return isHeavy || view.isTripped(scope) || view.breakersAgeMs > MAX_BREAKERS_AGE_MS
  }

  /** Asks until the request is admitted, and resolves with when it asked for the last time, by the age clock; undefined when a cool-down has started. */
  async #ask(request: AdmissionRequest, scope: string, id: string): Promise<number | undefined> {
    /** The requests before it in the queue, when it asked before. */
    let before = 0
    try {
      for (;;) {
        const sentAt = this.member.ages.now()
        const [verdict, number] = await this.#askOnce(request, scope, id)
        if (verdict === 'granted') return sentAt
        // No breaker has this wait.
        if (verdict === 'refusals') this.#local.hold('key', request.apiKey, number)
        if (verdict === 'refusals' || verdict === 'cooldown') return undefined
        const isQueued = verdict === 'queued'
        request.setQueued(isQueued)
        if (isQueued && number < before) request.recordProgress()
        before = isQueued ? number : 0
        await pauseBeforePoll(number, request)
      }
    } finally {
      request.setQueued(false)
    }
  }

  /** The verdict, and how long to wait or the number of requests before this one. */
  #askOnce(request: AdmissionRequest, scope: string, id: string): Promise<[string, number]> {
    const { member } = this
    member.throwIfClosed()
    const limits = [request.isHeavy ? '1' : '0', MAX_KEY_REFUSALS, SILENT_MS]
    const args = [member.config, id, scope, ...limits, ...this.countUnasked(scope)]
    const answer = member.limit(ADMIT, scope, args).catch((error) => {
      throw member.toError(error)
    })
    return request.awaitState(answer)
  }
}

class SharedAdmission implements Admission {
  readonly id: string
  /** Of its API key. */
  readonly scope: string
  readonly hasWaited: boolean
  /** Whether the fleet knows of it: it has asked, or was counted when a breaker opened. */
  isCounted: boolean
  readonly #control: SharedAdmissionControl
  readonly #local: Admission
  readonly #isHeavy: boolean
  /** Undefined when it holds nothing that ends. */
  readonly #lease: Lease | undefined
  #hasEnded = false

  /** @param askedAt by the age clock; left out where it was admitted without a command */
  constructor(
    control: SharedAdmissionControl,
    local: Admission,
    { id, scope, isHeavy, askedAt }: { id: string; scope: string; isHeavy: boolean; askedAt?: number },
  ) {
    const { member } = control
    this.#control = control
    this.#local = local
    this.#isHeavy = isHeavy
    this.id = id
    this.scope = scope
    this.hasWaited = local.hasWaited || askedAt !== undefined
    const keys = askedAt === undefined ? [] : heldKeys(member, scope, isHeavy)
    this.isCounted = keys.length > 0
    if (askedAt !== undefined && this.isCounted) {
      this.#lease = { id, keys, endsAt: askedAt + member.settings.leaseMs }
      member.renewals.add(this.#lease)
    } else control.unasked.add(this)
  }

  isCurrent(): boolean {
    const { view } = this.#control.member
    if (this.#lease !== undefined && this.#control.member.ages.now() >= this.#lease.endsAt) return false
    if (view.cooldownMs(this.scope) > 0 || (this.#isHeavy && view.cooldownMs('heavy') > 0)) return false
    return this.#local.isCurrent()
  }

  end(result: PermitResult): void {
    this.#local.end(result)
    if (this.#leave() && this.isCounted) this.#control.send(END, this.scope, [this.id, this.scope, result])
  }

  refuse(scope: CooldownScope, waitMs: number): number {
    const cooldownMs = this.#local.refuse(scope, waitMs)
    if (!this.#leave()) return cooldownMs
    const ids = this.#control.countUnasked(this.scope)
    this.#control.send(REFUSE, this.scope, [this.id, this.scope, scope, Math.ceil(waitMs), ...ids])
    return cooldownMs
  }

  /** Whether this is the first time. */
  #leave(): boolean {
    if (this.#hasEnded) return false
    this.#hasEnded = true
    if (this.#lease !== undefined) this.#control.member.renewals.delete(this.#lease)
    this.#control.unasked.delete(this)
    return true
  }
}

/** The sets in which an admitted request has a lease. */
function heldKeys({ keys, view }: Member, scope: string, isHeavy: boolean): string[] {
  const tripped = [scope, ...(isHeavy ? ['heavy'] : [])].filter((name) => view.isTripped(name))
  return [...(isHeavy ? [keys.slots] : []), ...tripped.map(keys.probes)]
}
