import { systemClock } from '../concurrency/clock.ts'
import type { Reservation, ReservationDetails } from '../credits/budget.ts'
import { alreadyDecided, capUncertain, fits, requireCredits, withTotals } from '../credits/budget-core.ts'
import type { SharedBudget } from '../fleet/fleet.ts'
import type { Lease } from './background.ts'
import { mayBeExecuted } from './command.ts'
import type { Member } from './redis-fleet.ts'
import { RESERVE, SETTLE } from './scripts/ledger.lua.ts'

/** Totals that are older refuse no batch: the reservations of its requests decide. */
const MAX_CHECK_AGE_MS = 1_000

const NOTHING_COUNTED = { spent: 0, reserved: 0, uncertain: 0 }

/** The budget of a fleet: each reservation is one script. Its totals are those of the last answer. */
export function createSharedBudget(member: Member): SharedBudget {
  const { view, background, settings } = member
  const counted = {
    get limit() {
      return member.credits
    },
    totals: () => capUncertain(member.credits, view.totals),
    resetsAt: () => view.resetsAt,
  }
  return withTotals<Pick<SharedBudget, 'check' | 'reserve' | 'flush'>>(counted, {
    check(credits, details) {
      requireCredits('credits', credits)
      const isKnown = view.ageMs <= MAX_CHECK_AGE_MS && !view.isWindowOver
      if (!fits(member.credits, isKnown ? view.totals : NOTHING_COUNTED, credits))
        throw member.exceeded(credits, details)
    },
    async reserve(credits, details) {
      requireCredits('credits', credits)
      member.throwIfClosed()
      const reservation = new SharedReservation(member, credits)
      // The key is asked for right before the request is sent; a member with several keys cannot know which one it will be.
      const [only = ''] = member.keysInUse.size === 1 ? member.keysInUse : []
      await reservation.reserve(only, details)
      return reservation
    },
    flush: () => background.flush(settings.timeoutMs),
  })
}

/** The wall clock has whole milliseconds: what it names may be that much later. */
const RESOLUTION_MS = 1

/** How a reservation ended: settled, freed or uncertain. */
type Decision = 's' | 'f' | 'u'

/** Credits that are reserved in Redis, and renewed there until they are decided. */
class SharedReservation implements Reservation {
  readonly credits: number
  readonly #member: Member
  readonly #lease: Lease
  /** The window in which Redis has it; undefined before. */
  #window: string | undefined
  /** When Redis was asked for it, in elapsed time and by the age clock, and how long that window lasted then. */
  #reservedAt = 0
  #askedAt = 0
  #msLeft = 0
  /** The name of the API key, as Redis knows it and as the request is sent; empty where it is not known. */
  #keyInRedis = ''
  #key = ''
  /** When its request was about to be sent, in elapsed time; undefined before. */
  #confirmedAt: number | undefined
  #isDecided = false

  constructor(member: Member, credits: number) {
    this.credits = credits
    this.#member = member
    this.#lease = { id: member.nextId(), keys: [member.keys.leases], endsAt: 0 }
  }

  confirm(details?: ReservationDetails, key = ''): void | Promise<void> {
    if (this.#isDecided) throw alreadyDecided(details)
    const name = this.#member.nameOf(key)
    this.#key = name
    this.#confirmedAt = this.#member.ages.monotonic()
    if (this.credits === 0) return undefined
    const { keysInUse } = this.#member
    if (name !== '' && keysInUse.size < 2) keysInUse.add(name)
    // If this process ends, a balance of that key proves what the request has cost. Of several keys a member names none.
    const isNamed = name === this.#keyInRedis || (this.#keyInRedis === '' && keysInUse.size > 1)
    const now = this.#member.ages.now()
    // Sure to be in the window, and known to be reserved. A wall clock that is set back a little holds up the age clock for as long.
    const elapsedMs = Math.max(now - this.#askedAt, this.#confirmedAt - this.#reservedAt)
    if (isNamed && elapsedMs < this.#msLeft - RESOLUTION_MS && now < this.#lease.endsAt) return undefined
    return this.reserve(name, details)
  }

  /** Reserves in Redis, or moves what is reserved there to the window of now. */
  async reserve(key: string, details: ReservationDetails | undefined): Promise<void> {
    const member = this.#member
    const { ages, settings, config, view, renewals } = member
    this.#askedAt = ages.now()
    this.#reservedAt = ages.monotonic()
    // It lasts that long also where no answer arrives.
    this.#lease.endsAt = this.#askedAt + settings.leaseMs
    try {
      member.throwIfClosed()
      const answer = await member.askLedger(RESERVE, [config, view.seen, this.#lease.id, this.credits, key])
      if (answer.verdict === 'decided') throw alreadyDecided(details)
      if (answer.verdict === 'refused') {
        this.#end()
        throw member.exceeded(this.credits, details)
      }
      if (this.credits > 0) await member.waitForReplicas()
      // Nobody would renew it.
      member.throwIfClosed()
      this.#window = answer.window
      this.#keyInRedis = key
      this.#msLeft = answer.msLeft
      if (!this.#isDecided && this.credits > 0) renewals.add(this.#lease)
    } catch (error) {
      // Nothing was sent, so nothing may stay reserved, not even when the script is executed later.
      if (this.#window !== undefined) this.release()
      else if (mayBeExecuted(error)) this.#decide('f', 0, systemClock.monotonic() + settings.leaseMs)
      throw member.toError(error, details)
    }
  }

  settle(charged: number): undefined {
    requireCredits('charge', charged)
    this.#decide('s', charged)
  }

  release(): void {
    this.#decide('f', 0)
  }

  markUncertain(): void {
    this.#decide('u', 0)
  }

  /** Whether this is the first time. */
  #end(): boolean {
    if (this.#isDecided) return false
    this.#isDecided = true
    this.#member.renewals.delete(this.#lease)
    return true
  }

  /** The first decision counts. It is repeated until Redis has it: after the lease the credits are uncertain there, and a late decision is accepted. */
  #decide(decision: Decision, charged: number, untilMs = Number.POSITIVE_INFINITY): void {
    if (!this.#end() || (this.credits === 0 && charged === 0)) return
    const { ages, background, view } = this.#member
    const known = [this.#lease.id, decision, charged, this.credits, this.#window ?? 0]
    background.repeat(async () => {
      const now = ages.monotonic()
      const ageMs = Math.ceil(now - this.#reservedAt)
      const sinceConfirmedMs = Math.floor(now - (this.#confirmedAt ?? now))
      await this.#member.askLedger(SETTLE, [view.seen, ...known, ageMs, sinceConfirmedMs, this.#key])
    }, untilMs)
  }
}
