import { monotonicNow, systemClock } from '../concurrency/clock.ts'
import { fits, isCredits, uncertainWithin } from '../credits/budget-core.ts'
import type { Reservation, ReservationDetails } from '../credits/budget-types.ts'
import { BudgetExceededError } from '../errors/budget.ts'
import { InvalidRequestError, invalidOption } from '../errors/input.ts'
import type { SharedBudget } from '../fleet/internals.ts'
import { mayBeExecuted } from './command.ts'
import { availableIn, exceeded, type Member } from './member.ts'
import type { Lease } from './renewals.ts'
import { CANCEL, CONFIRM, RESERVE, SETTLE } from './scripts/ledger.lua.ts'
import type { LedgerAnswer } from './view.ts'

/** Totals that are older refuse no batch: the reservations of its requests decide. */
const MAX_CHECK_AGE_MS = 1_000

const NOTHING_COUNTED = { spent: 0, reserved: 0, uncertain: 0 }

/** The budget of a fleet: each reservation is one script. Its totals are those of the last answer. */
export function createSharedBudget(member: Member): SharedBudget {
  const { limit, view } = member
  return {
    limit,
    get spent() {
      return view.totals.spent
    },
    get reserved() {
      return view.totals.reserved
    },
    get uncertain() {
      return uncertainWithin(limit, view.totals)
    },
    get available() {
      return availableIn(limit, view)
    },
    get resetsAt() {
      return view.resetsAt
    },
    check(credits, details) {
      checkCredits(credits)
      const isKnown = view.ageMs <= MAX_CHECK_AGE_MS && !view.isWindowOver
      const totals = isKnown ? view.totals : NOTHING_COUNTED
      if (!fits(limit, totals, credits)) throw exceeded(member, credits, details)
    },
    async reserve(credits, details) {
      checkCredits(credits)
      member.throwIfClosed()
      const id = member.nextId()
      try {
        return await reserve(member, id, credits, details)
      } catch (error) {
        // Nothing was sent, so nothing may stay reserved, not even when the script is executed later.
        if (credits > 0 && !(error instanceof BudgetExceededError) && mayBeExecuted(error)) cancel(member, id)
        throw member.toError(error, details)
      }
    },
    flush: () => member.background.flush(member.timeoutMs),
  }
}

async function reserve(member: Member, id: string, credits: number, details: ReservationDetails | undefined) {
  const { view, leaseMs, maxChargeDelayMs, config, keysInUse } = member
  // The key is asked for right before the request is sent; a member with several keys cannot know which one it will be.
  const [only = ''] = keysInUse.size === 1 ? keysInUse : []
  const sentAt = monotonicNow(systemClock)
  const reply = await member.command(RESERVE, member.keys.ledger, [
    config,
    id,
    credits,
    leaseMs,
    maxChargeDelayMs,
    only,
  ])
  const answer = view.readLedger(reply, sentAt)
  if (answer.verdict === 'refused') throw exceeded(member, credits, details)
  if (answer.verdict !== 'granted' && answer.verdict !== 'earlier')
    throw new Error(`The reservation was ${answer.verdict}.`)
  if (credits > 0) await member.waitForReplicas()
  // Nobody would renew it.
  member.throwIfClosed()
  return new SharedReservation(member, id, credits, answer, sentAt, only)
}

function cancel({ background, command, keys, leaseMs }: Member, id: string): void {
  background.repeat(() => command(CANCEL, keys.ledger, [id]), monotonicNow(systemClock) + leaseMs)
}

export function checkCredits(credits: number): void {
  if (!isCredits(credits)) throw invalidOption('credits', credits, 'a whole number of credits, 0 or more')
}

/** How a reservation ended: settled, freed or uncertain. */
type Decision = 's' | 'f' | 'u'

/** Credits that are reserved in Redis, and renewed there until they are decided. */
export class SharedReservation implements Reservation {
  readonly credits: number
  readonly #member: Member
  readonly #lease: Lease
  #answer: LedgerAnswer
  /** When Redis was asked for the reservation, on the monotonic clock. */
  #reservedAt: number
  /** The name of the API key, as Redis knows it and as the request is sent; empty where it is not known. */
  #keyInRedis: string
  #key = ''
  /** When its request was about to be sent, on the monotonic clock; undefined before. */
  #confirmedAt: number | undefined
  /** When the window may be over, on the monotonic clock. */
  #windowEndsAt: number
  #isDecided = false

  constructor(member: Member, id: string, credits: number, answer: LedgerAnswer, sentAt: number, key: string) {
    this.credits = credits
    this.#member = member
    this.#lease = { id, keys: [member.keys.leases], endsAt: sentAt + member.leaseMs }
    this.#answer = answer
    this.#reservedAt = sentAt
    this.#keyInRedis = key
    this.#windowEndsAt = answer.verdict === 'earlier' ? sentAt : sentAt + answer.msLeft
    if (credits > 0) member.renewals.add(this.#lease)
  }

  confirm(details?: ReservationDetails, key = ''): void | Promise<void> {
    if (this.#isDecided) throw alreadyDecided(details)
    const name = this.#member.nameOf(key)
    this.#key = name
    this.#confirmedAt = monotonicNow(systemClock)
    if (this.credits === 0) return undefined
    const { keysInUse } = this.#member
    if (name !== '' && keysInUse.size < 2) keysInUse.add(name)
    // If this process ends, a balance of that key proves what the request has cost. Of several keys a member names none.
    const isNamed = name === this.#keyInRedis || (this.#keyInRedis === '' && keysInUse.size > 1)
    const now = monotonicNow(systemClock)
    // Sure to be in the window, and known to be reserved.
    if (isNamed && now < this.#windowEndsAt && now < this.#lease.endsAt) return undefined
    return this.#confirmInRedis(details)
  }

  async #confirmInRedis(details: ReservationDetails | undefined): Promise<void> {
    const { command, keys, config, leaseMs, maxChargeDelayMs, view, renewals } = this.#member
    const key = this.#key
    const sentAt = monotonicNow(systemClock)
    try {
      this.#member.throwIfClosed()
      const reply = await command(CONFIRM, keys.ledger, [
        config,
        this.#lease.id,
        this.credits,
        leaseMs,
        maxChargeDelayMs,
        key,
      ])
      const answer = view.readLedger(reply, sentAt)
      if (answer.verdict === 'decided') throw alreadyDecided(details)
      if (answer.verdict === 'refused') throw exceeded(this.#member, this.credits, details)
      await this.#member.waitForReplicas()
      this.#answer = answer
      this.#reservedAt = sentAt
      this.#keyInRedis = key
      this.#windowEndsAt = sentAt + answer.msLeft
      this.#lease.endsAt = sentAt + leaseMs
      if (!this.#isDecided) renewals.add(this.#lease)
    } catch (error) {
      // It may have been executed, or will be: then its lease is a new one.
      this.#lease.endsAt = sentAt + leaseMs
      this.release()
      throw this.#member.toError(error, details)
    }
  }

  settle(charged: number): undefined {
    if (!isCredits(charged)) throw invalidOption('charge', charged, 'a whole number of credits, 0 or more')
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
    const { id } = this.#lease
    const { command, keys, renewals, background, view, maxChargeDelayMs } = this.#member
    renewals.delete(this.#lease)
    if (this.credits === 0 && charged === 0) return
    const { window, epoch } = this.#answer
    background.repeat(async () => {
      const sentAt = monotonicNow(systemClock)
      const ageMs = Math.ceil(sentAt - this.#reservedAt)
      const sinceConfirmedMs = Math.floor(sentAt - (this.#confirmedAt ?? sentAt))
      const args = [id, decision, charged, this.credits, window, epoch, ageMs, sinceConfirmedMs, maxChargeDelayMs]
      view.readLedger(await command(SETTLE, keys.ledger, [...args, this.#key]), sentAt)
    }, Number.POSITIVE_INFINITY)
  }
}

function alreadyDecided(details: ReservationDetails | undefined): InvalidRequestError {
  const message = 'The reservation is already settled or released: reserve again before you send a request.'
  return new InvalidRequestError(message, { ...details, code: 'reservation_decided' })
}
