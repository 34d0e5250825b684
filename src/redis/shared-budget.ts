import { monotonicNow, systemClock } from '../concurrency/clock.ts'
import type { Reservation, ReservationDetails } from '../credits/budget.ts'
import { alreadyDecided, capUncertain, fits, requireCredits, withTotals } from '../credits/budget-core.ts'
import { BudgetExceededError } from '../errors/budget.ts'
import type { SharedBudget } from '../fleet/fleet.ts'
import type { Lease } from './background.ts'
import { mayBeExecuted } from './command.ts'
import type { Member } from './redis-fleet.ts'
import { CANCEL, CONFIRM, RESERVE, SETTLE } from './scripts/ledger.lua.ts'
import type { LedgerAnswer } from './view.ts'

/** Totals that are older refuse no batch: the reservations of its requests decide. */
const MAX_CHECK_AGE_MS = 1_000

const NOTHING_COUNTED = { spent: 0, reserved: 0, uncertain: 0 }

/** The budget of a fleet: each reservation is one script. Its totals are those of the last answer. */
export function createSharedBudget(member: Member): SharedBudget {
  const { view, background, command, keys, settings } = member
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
      const id = member.nextId()
      try {
        return await reserve(member, id, credits, details)
      } catch (error) {
        // Nothing was sent, so nothing may stay reserved, not even when the script is executed later.
        if (credits > 0 && !(error instanceof BudgetExceededError) && mayBeExecuted(error))
          background.repeat(() => command(CANCEL, keys.ledger, [id]), monotonicNow(systemClock) + settings.leaseMs)
        throw member.toError(error, details)
      }
    },
    flush: () => background.flush(settings.timeoutMs),
  })
}

async function reserve(member: Member, id: string, credits: number, details: ReservationDetails | undefined) {
  // The key is asked for right before the request is sent; a member with several keys cannot know which one it will be.
  const [only = ''] = member.keysInUse.size === 1 ? member.keysInUse : []
  const sent = sentNow(member)
  const answer = await member.moveCredits(RESERVE, member.termsOf(id, credits, only))
  if (answer.verdict === 'refused') throw member.exceeded(credits, details)
  if (answer.verdict !== 'granted' && answer.verdict !== 'earlier')
    throw new Error(`The reservation was ${answer.verdict}.`)
  if (credits > 0) await member.waitForReplicas()
  // Nobody would renew it.
  member.throwIfClosed()
  return new SharedReservation(member, id, credits, answer, sent, only)
}

/** When a command was sent, by the age clock and in elapsed time. */
interface SentAt {
  readonly at: number
  readonly elapsed: number
}

const sentNow = ({ ages }: Member): SentAt => ({ at: ages.now(), elapsed: ages.monotonic() })

/** The wall clock has whole milliseconds: what it names may be that much later. */
const RESOLUTION_MS = 1

/** How a reservation ended: settled, freed or uncertain. */
type Decision = 's' | 'f' | 'u'

/** Credits that are reserved in Redis, and renewed there until they are decided. */
class SharedReservation implements Reservation {
  readonly credits: number
  readonly #member: Member
  readonly #lease: Lease
  #answer: LedgerAnswer
  /** When Redis was asked for the reservation, in elapsed time. */
  #reservedAt: number
  /** The name of the API key, as Redis knows it and as the request is sent; empty where it is not known. */
  #keyInRedis: string
  #key = ''
  /** When its request was about to be sent, in elapsed time; undefined before. */
  #confirmedAt: number | undefined
  /** When the window may be over, by the age clock. */
  #windowEndsAt: number
  #isDecided = false

  constructor(member: Member, id: string, credits: number, answer: LedgerAnswer, sent: SentAt, key: string) {
    this.credits = credits
    this.#member = member
    this.#lease = { id, keys: [member.keys.leases], endsAt: sent.at + member.settings.leaseMs }
    this.#answer = answer
    this.#reservedAt = sent.elapsed
    this.#keyInRedis = key
    this.#windowEndsAt = answer.verdict === 'earlier' ? sent.at : sent.at + answer.msLeft
    if (credits > 0) member.renewals.add(this.#lease)
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
    // Sure to be in the window, and known to be reserved.
    if (isNamed && now < this.#windowEndsAt - RESOLUTION_MS && now < this.#lease.endsAt) return undefined
    return this.#confirmInRedis(details)
  }

  async #confirmInRedis(details: ReservationDetails | undefined): Promise<void> {
    const member = this.#member
    const key = this.#key
    const sent = sentNow(member)
    const leaseEndsAt = sent.at + member.settings.leaseMs
    try {
      member.throwIfClosed()
      const answer = await member.moveCredits(CONFIRM, member.termsOf(this.#lease.id, this.credits, key))
      if (answer.verdict === 'decided') throw alreadyDecided(details)
      if (answer.verdict === 'refused') throw member.exceeded(this.credits, details)
      await member.waitForReplicas()
      this.#answer = answer
      this.#reservedAt = sent.elapsed
      this.#keyInRedis = key
      this.#windowEndsAt = sent.at + answer.msLeft
      this.#lease.endsAt = leaseEndsAt
      if (!this.#isDecided) member.renewals.add(this.#lease)
    } catch (error) {
      // It may have been executed, or will be: then its lease is a new one.
      this.#lease.endsAt = leaseEndsAt
      this.release()
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

  /** The first decision counts. It is repeated until Redis has it: after the lease the credits are uncertain there, and a late decision is accepted. */
  #decide(decision: Decision, charged: number): void {
    if (this.#isDecided) return
    this.#isDecided = true
    const { background, renewals } = this.#member
    renewals.delete(this.#lease)
    if (this.credits === 0 && charged === 0) return
    const known = [this.#lease.id, decision, charged, this.credits, this.#answer.window]
    background.repeat(async () => {
      const now = this.#member.ages.monotonic()
      const ageMs = Math.ceil(now - this.#reservedAt)
      const sinceConfirmedMs = Math.floor(now - (this.#confirmedAt ?? now))
      const { view } = this.#member
      await this.#member.moveCredits(SETTLE, [view.seen, ...known, ageMs, sinceConfirmedMs, this.#key])
    }, Number.POSITIVE_INFINITY)
  }
}
