import { monotonicNow, systemClock } from '../concurrency/clock.ts'
import { fits, isCredits, uncertainWithin } from '../credits/budget-core.ts'
import type { ReservationDetails } from '../credits/budget-types.ts'
import { BudgetExceededError } from '../errors/budget.ts'
import { invalidOption } from '../errors/input.ts'
import type { SharedBudget } from '../fleet/internals.ts'
import { mayBeExecuted } from './command-error.ts'
import { availableIn, exceeded, type Member } from './member.ts'
import { CANCEL, RESERVE } from './scripts/ledger.lua.ts'
import { SharedReservation } from './shared-reservation.ts'

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
