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

interface Filler {
  readonly cost: number
  readonly everyMs: number
  /** When the watch fills the bucket the next time. */
  fillsAt: number
}

interface BucketState {
  credits: number
  /** One call of each watch. */
  capacity: number
  leadMs: number
  readonly fillers: PriorityQueue<Filler>
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
  let fillers = [addFiller(state, largest, initialEveryMs, startedAt, startedAt)]

  const periodOf = (everyMs: number) => everyMs - leadTimeFor(everyMs, state.leadMs)

  /** When the last separate batch was sent. */
  function lastCallAt(now: number): number {
    // The times of earlier calls are unknown after a change of the lead time: the next one is a whole interval from now.
    if (current.leadMs !== state.leadMs) return now
    const period = periodOf(current.everyMs)
    return current.at + Math.floor((now - current.at) / period) * period
  }

  /** Adds a filler without the call that fills the bucket when a watch starts. */
  function addLater(cost: number, everyMs: number, at: number, now: number): void {
    fillers.push(addFiller(state, cost, everyMs, at, now))
    accessTo(state).spend(cost, now)
  }

  return {
    update(addresses, everyMs, now) {
      current = { everyMs, at: Math.max(lastCallAt(now), now - periodOf(everyMs)), leadMs: state.leadMs }
      const cost = creditsFor(addresses)
      largest = Math.max(largest, cost)
      const before = fillers
      fillers = []
      addLater(cost, everyMs, current.at, now)
      // The capacity stays that of the largest call. If it shrank, debt would be cut to the smaller limit, and growing again would
      // allow it once more.
      addLater(largest - cost, Number.POSITIVE_INFINITY, now, now)
      removeFillers(state, before, now)
    },
    leave: (now) => removeFillers(state, fillers.splice(0), now),
  }
}

function addFiller(state: BucketState, cost: number, everyMs: number, fillsAt: number, now: number): Filler {
  const filler = { cost, everyMs, fillsAt }
  refill(state, now)
  state.capacity += cost
  state.fillers.put(filler)
  return filler
}

function removeFillers(state: BucketState, fillers: readonly Filler[], now: number): void {
  refill(state, now)
  for (const filler of fillers) {
    state.fillers.delete(filler)
    state.capacity -= filler.cost
  }
  add(state, 0)
}

function createState(): BucketState {
  return { credits: 0, capacity: 0, leadMs: 0, fillers: createPriorityQueue<Filler>(({ fillsAt }) => fillsAt) }
}

function copyOf(state: BucketState): BucketState {
  const { fillers, ...numbers } = state
  const copy = { ...createState(), ...numbers }
  for (const filler of fillers.items()) copy.fillers.put({ ...filler })
  return copy
}

function accessTo(state: BucketState): Pick<TokenBucket, 'covers' | 'spend'> {
  return {
    covers(credits, now) {
      refill(state, now)
      return credits <= state.credits + state.capacity
    },
    spend(credits, now) {
      refill(state, now)
      const before = state.credits
      add(state, -credits)
      return before - state.credits
    },
  }
}

function refill(state: BucketState, now: number): void {
  const { fillers, leadMs } = state
  for (let next = fillers.peek(); next !== undefined && next.fillsAt <= now; next = fillers.peek()) {
    // All at once: with little of a budget left, the next call may be years away.
    const stepMs = next.everyMs - leadTimeFor(next.everyMs, leadMs)
    const fills = 1 + Math.floor((now - next.fillsAt) / stepMs)
    add(state, next.cost * fills)
    next.fillsAt += stepMs * fills
    fillers.put(next)
  }
}

/**
 * Savings are capped at one call per watch. Debt is capped at two calls per watch: one to synchronise, and one of each watch
 * that buys its own addresses.
 */
function add(state: BucketState, credits: number): void {
  state.credits = Math.min(state.capacity, Math.max(-2 * state.capacity, state.credits + credits))
}
