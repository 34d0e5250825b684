import type { Admission, CooldownScope } from '../concurrency/admission-types.ts'
import { monotonicNow, systemClock } from '../concurrency/clock.ts'
import type { PermitResult } from '../concurrency/permit.ts'
import type { Member } from './member.ts'
import type { Lease } from './renewals.ts'
import { END, REFUSE } from './scripts/limits.lua.ts'

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
