import { creditsFor } from '../../credits/batch-cost.ts'
import { createPriorityQueue, type PriorityQueue } from '../prices/priority-queue.ts'
import { leadTimeFor } from './lead-time.ts'

/**
 * What separate batches would have cost by now, less what the watches have cost: each watch fills the bucket with one call when it
 * starts, and then with one per interval.
 */
export interface TokenBucket {
  /** Adds a watch. */
  addWatch(addresses: number, everyMs: number, now: number): BucketShare
  /** Whether the credits leave the bucket in debt by no more than one call per watch. */
  covers(credits: number, now: number): boolean
  /** Takes credits out, or returns them if the number is negative. Returns how many were taken, because debt is capped. */
  spend(credits: number, now: number): number
  /** Sets how long before its due time a request is sent. */
  setLeadTime(leadMs: number): void
  /** A copy for a simulation. */
  copy(): Pick<TokenBucket, 'covers' | 'spend'>
}

/**
 * What one watch adds to the bucket. However often the watch changes, it fills the bucket no faster than a separate batch that changes
 * too, and its debt stays.
 */
export interface BucketShare {
  /** Changes the number of addresses and the interval. The next call of a separate batch is an interval after its last one. */
  update(addresses: number, everyMs: number, now: number): void
  leave(now: number): void
}

interface Refill {
  readonly cost: number
  readonly everyMs: number
  /** When the watch fills the bucket the next time. */
  refillsAt: number
}

interface BucketState {
  credits: number
  /** One call of each watch. */
  capacity: number
  leadMs: number
  readonly refills: PriorityQueue<Refill>
}

export function createTokenBucket(): TokenBucket {
  const state = createState()
  return {
    addWatch: (addresses, everyMs, startedAt) => createShare(state, addresses, everyMs, startedAt),
    setLeadTime(ms) {
      state.leadMs = ms
    },
    ...accessTo(state),
    copy: () => accessTo(copyOf(state)),
  }
}

function createShare(state: BucketState, initial: number, initialEveryMs: number, startedAt: number): BucketShare {
  let current = { everyMs: initialEveryMs, at: startedAt, leadMs: state.leadMs }
  let largest = creditsFor(initial)
  let refills = [addRefill(state, largest, initialEveryMs, startedAt, startedAt)]

  const periodOf = (everyMs: number) => everyMs - leadTimeFor(everyMs, state.leadMs)

  /** When the last separate batch was sent. */
  function lastCallAt(now: number): number {
    // The times of earlier calls are unknown after a change of the lead time: the next one is a whole interval from now.
    if (current.leadMs !== state.leadMs) return now
    const period = periodOf(current.everyMs)
    return current.at + Math.floor((now - current.at) / period) * period
  }

  /** Adds a refill without the call that fills the bucket when a watch starts. */
  function addLater(cost: number, everyMs: number, at: number, now: number): void {
    refills.push(addRefill(state, cost, everyMs, at, now))
    accessTo(state).spend(cost, now)
  }

  return {
    update(addresses, everyMs, now) {
      current = { everyMs, at: Math.max(lastCallAt(now), now - periodOf(everyMs)), leadMs: state.leadMs }
      const cost = creditsFor(addresses)
      largest = Math.max(largest, cost)
      const before = refills
      refills = []
      addLater(cost, everyMs, current.at, now)
      // The capacity stays that of the largest call. If it shrank, debt would be cut to the smaller limit, and growing again would
      // allow it once more.
      addLater(largest - cost, Number.POSITIVE_INFINITY, now, now)
      removeRefills(state, before, now)
    },
    leave: (now) => removeRefills(state, refills.splice(0), now),
  }
}

function addRefill(state: BucketState, cost: number, everyMs: number, refillsAt: number, now: number): Refill {
  const refill = { cost, everyMs, refillsAt }
  refillUntil(state, now)
  state.capacity += cost
  state.refills.put(refill)
  return refill
}

function removeRefills(state: BucketState, refills: readonly Refill[], now: number): void {
  refillUntil(state, now)
  for (const refill of refills) {
    state.refills.delete(refill)
    state.capacity -= refill.cost
  }
  add(state, 0)
}

function createState(): BucketState {
  return { credits: 0, capacity: 0, leadMs: 0, refills: createPriorityQueue<Refill>(({ refillsAt }) => refillsAt) }
}

function copyOf(state: BucketState): BucketState {
  const { refills, ...numbers } = state
  const copy = { ...createState(), ...numbers }
  for (const refill of refills.items()) copy.refills.put({ ...refill })
  return copy
}

function accessTo(state: BucketState): Pick<TokenBucket, 'covers' | 'spend'> {
  return {
    covers(credits, now) {
      refillUntil(state, now)
      return credits <= state.credits + state.capacity
    },
    spend(credits, now) {
      refillUntil(state, now)
      const before = state.credits
      add(state, -credits)
      return before - state.credits
    },
  }
}

function refillUntil(state: BucketState, now: number): void {
  const { refills, leadMs } = state
  for (let next = refills.peek(); next !== undefined && next.refillsAt <= now; next = refills.peek()) {
    // All at once: with little of a budget left, the next call may be years away.
    const stepMs = next.everyMs - leadTimeFor(next.everyMs, leadMs)
    const times = 1 + Math.floor((now - next.refillsAt) / stepMs)
    add(state, next.cost * times)
    next.refillsAt += stepMs * times
    refills.put(next)
  }
}

/**
 * Savings are capped at one call per watch. Debt is capped at two calls per watch: one to synchronise, and one of each watch
 * that buys its own addresses.
 */
function add(state: BucketState, credits: number): void {
  state.credits = Math.min(state.capacity, Math.max(-2 * state.capacity, state.credits + credits))
}
