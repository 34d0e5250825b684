import type {
  Admission,
  AdmissionControl,
  AdmissionRequest,
  CooldownScope,
  LocalAdmissionControl,
  PermitResult,
} from '../concurrency/admission-types.ts'
import { raceWithAbort } from '../concurrency/cancellation.ts'
import { monotonicNow, sleep, systemClock } from '../concurrency/clock.ts'
import { MAX_KEY_REFUSALS } from '../concurrency/refusal-window.ts'
import { createKeyScopes } from './keys.ts'
import type { Member } from './member.ts'
import type { Lease } from './renewals.ts'
import { ADMIT, END, REFUSE } from './scripts/limits.lua.ts'

/** How long a request that waits for a slot keeps its place without asking. */
const SILENT_MS = 2_000
/** How often a request asks again. */
const POLL_MS = 25
const MAX_POLL_MS = 200
/** What is known of the breakers is not believed when it is older: a request that has waited asks. */
const MAX_BREAKERS_AGE_MS = 1_000

interface Answer {
  readonly verdict: string | undefined
  /** How long to wait, or the number of requests before this one. */
  readonly number: number
  /** When it was asked for, on the monotonic clock. */
  readonly sentAt: number
}

/** The first in the queue asks often, because a free slot waits for it. */
const pauseBeforePoll = (ahead: number, { signal }: AdmissionRequest) =>
  sleep(systemClock, Math.min(MAX_POLL_MS, POLL_MS * (1 + ahead)), signal)

/**
 * Admits a request in its own process first, in the order of arrival, and then in the fleet. While nothing is refused, light requests need no command:
 * the answer to their reservation has shown that.
 */
export function createSharedAdmission(member: Member, local: LocalAdmissionControl): AdmissionControl {
  const { view, command, keys, config, leaseMs } = member
  const scopeOf = createKeyScopes(member.name)
  const limits: SharedLimits = { member, unasked: new Map() }

  /** What others met holds the requests of this process too, and each may fail at once if the wait is too long. */
  function learn({ apiKey, isHeavy }: AdmissionRequest, scope: string): void {
    const keyMs = view.cooldownMs(scope)
    if (keyMs > 0) local.hold('key', apiKey, keyMs)
    const heavyMs = isHeavy ? view.cooldownMs('heavy') : 0
    if (heavyMs > 0) local.hold('heavy', apiKey, heavyMs)
  }

  const mustAsk = ({ isHeavy }: AdmissionRequest, scope: string) =>
    isHeavy || view.isTripped(scope) || view.breakersAgeMs > MAX_BREAKERS_AGE_MS

  async function askOnce(request: AdmissionRequest, scope: string, id: string): Promise<Answer> {
    const { isHeavy, signal, progress } = request
    member.throwIfClosed()
    const ids = SharedAdmission.count(limits, scope)
    const args = [config, id, leaseMs, scope, isHeavy ? '1' : '0', MAX_KEY_REFUSALS, SILENT_MS, ...ids]
    const sentAt = monotonicNow(systemClock)
    const answer = command(ADMIT, keys.limits(scope), args).catch((error) => {
      throw member.toError(error)
    })
    progress.isAwaitingState = true
    try {
      const [verdict, now, number, ...breakers] = await raceWithAbort(answer, signal)
      view.readBreakers(Number(now), breakers, sentAt)
      return { verdict, number: Number(number), sentAt }
    } finally {
      progress.isAwaitingState = false
    }
  }

  /** Asks until the request is admitted; undefined when a cool-down has started. */
  async function ask(request: AdmissionRequest, scope: string, id: string): Promise<Asked | undefined> {
    for (;;) {
      const first = await askOnce(request, scope, id)
      const isQueued = first.verdict === 'queued'
      const { verdict, number, sentAt } = isQueued
        ? await request.whileQueued(askWhileQueued(request, scope, id, first))
        : first
      if (verdict === 'granted') return { id, sentAt, isHeavy: request.isHeavy }
      // No breaker has this wait.
      if (verdict === 'refusals') local.hold('key', request.apiKey, number)
      if (verdict === 'refusals' || verdict === 'cooldown') return undefined
      await pauseBeforePoll(number, request)
    }
  }

  /** Asks until it is no longer its place in the queue that holds the request up. */
  async function askWhileQueued(request: AdmissionRequest, scope: string, id: string, first: Answer): Promise<Answer> {
    let answer = first
    while (answer.verdict === 'queued') {
      const ahead = answer.number
      await pauseBeforePoll(ahead, request)
      answer = await askOnce(request, scope, id)
      if (answer.verdict === 'queued' && answer.number < ahead) request.recordProgress()
    }
    return answer
  }

  function giveUp(scope: string, id: string): void {
    const untilMs = monotonicNow(systemClock) + leaseMs
    member.background.repeat(() => command(END, keys.limits(scope), [id, scope, 'cancelled']), untilMs)
  }

  return {
    nextArrival: () => local.nextArrival(),
    async admit(request) {
      const scope = scopeOf(request.apiKey)
      for (;;) {
        learn(request, scope)
        const admission = await local.admit(request)
        if (!mustAsk(request, scope)) return new SharedAdmission(limits, admission, scope)
        const id = member.nextId()
        try {
          const asked = await ask(request, scope, id)
          if (asked !== undefined) return new SharedAdmission(limits, admission, scope, asked)
        } catch (error) {
          giveUp(scope, id)
          admission.end('unused')
          throw error
        }
        admission.end('unused')
      }
    },
  }
}

/** What the admissions of one client share. */
export interface SharedLimits {
  readonly member: Member
  /** Requests of each scope that were admitted without a command, and are in flight. */
  readonly unasked: Map<string, Set<SharedAdmission>>
}

/** What a request has asked the fleet for. */
export interface Asked {
  readonly id: string
  readonly isHeavy: boolean
  /** When it asked for the last time, on the monotonic clock. */
  readonly sentAt: number
}

/** Permission of the process and of the fleet to send one request. */
export class SharedAdmission implements Admission {
  readonly id: string
  readonly hasWaited: boolean
  /** Whether the fleet knows of it: it has asked, or was counted when a breaker opened. */
  isCounted: boolean
  readonly #limits: SharedLimits
  readonly #local: Admission
  readonly #scope: string
  readonly #isHeavy: boolean
  /** Undefined when it holds nothing that ends. */
  readonly #lease: Lease | undefined
  #hasEnded = false

  constructor(limits: SharedLimits, local: Admission, scope: string, asked?: Asked) {
    const { member, unasked } = limits
    this.#limits = limits
    this.#local = local
    this.#scope = scope
    this.#isHeavy = asked?.isHeavy ?? false
    this.id = asked?.id ?? member.nextId()
    this.hasWaited = local.hasWaited || asked !== undefined
    const held = asked === undefined ? [] : heldKeys(member, scope, asked.isHeavy)
    this.isCounted = held.length > 0
    if (asked !== undefined && held.length > 0) {
      this.#lease = { id: this.id, keys: held, endsAt: asked.sentAt + member.leaseMs }
      member.renewals.add(this.#lease)
    } else unasked.set(scope, (unasked.get(scope) ?? new Set()).add(this))
  }

  /** The ids of requests in flight of which the fleet does not know. The next command has to contain them. */
  static count({ unasked }: SharedLimits, scope: string): string[] {
    const uncounted = [...(unasked.get(scope) ?? [])].filter(({ isCounted }) => !isCounted)
    for (const one of uncounted) one.isCounted = true
    return uncounted.map(({ id }) => id)
  }

  isCurrent(): boolean {
    const { view } = this.#limits.member
    if (this.#lease !== undefined && monotonicNow(systemClock) >= this.#lease.endsAt) return false
    if (view.cooldownMs(this.#scope) > 0 || (this.#isHeavy && view.cooldownMs('heavy') > 0)) return false
    return this.#local.isCurrent()
  }

  end(result: PermitResult): void {
    this.#local.end(result)
    if (this.#leave() && this.isCounted) this.#send(END, [this.id, this.#scope, result])
  }

  refuse(scope: CooldownScope, waitMs: number): number {
    const cooldownMs = this.#local.refuse(scope, waitMs)
    if (!this.#leave()) return cooldownMs
    const ids = SharedAdmission.count(this.#limits, this.#scope)
    this.#send(REFUSE, [this.id, this.#scope, scope, Math.ceil(waitMs), this.#limits.member.leaseMs, ...ids])
    return cooldownMs
  }

  /** Whether this is the first time. */
  #leave(): boolean {
    if (this.#hasEnded) return false
    this.#hasEnded = true
    const { member, unasked } = this.#limits
    if (this.#lease !== undefined) member.renewals.delete(this.#lease)
    const others = unasked.get(this.#scope)
    others?.delete(this)
    if (others?.size === 0) unasked.delete(this.#scope)
    return true
  }

  #send(script: string, args: readonly (string | number)[]): void {
    const { command, keys, view, background, leaseMs } = this.#limits.member
    background.repeat(async () => {
      const sentAt = monotonicNow(systemClock)
      const [, now, , ...breakers] = await command(script, keys.limits(this.#scope), args)
      view.readBreakers(Number(now), breakers, sentAt)
    }, monotonicNow(systemClock) + leaseMs)
  }
}

/** The sets in which an admitted request has a lease. */
function heldKeys({ keys, view }: Member, scope: string, isHeavy: boolean): string[] {
  const tripped = [scope, ...(isHeavy ? ['heavy'] : [])].filter(view.isTripped)
  return [...(isHeavy ? [keys.slots] : []), ...tripped.map(keys.probes)]
}
