import { creditsFor } from '../../credits/batch-cost.ts'
import { createPriorityQueue, type PriorityQueue } from '../prices/priority-queue.ts'
import { leadTimeFor } from './lead-time.ts'

/**
 * What separate batches would have cost by now, less what the watches have cost: each watch fills the bucket with one call when it
 * starts, and then with one per interval.
 */
export interface TokenBucket {
  /** Adds a watch. Returns a function that removes it. */
  addWatch(addresses: number, everyMs: number, now: number): (now: number) => void
  /** Whether the credits leave the bucket in debt by no more than one call per watch. */
  covers(credits: number, now: number): boolean
  /** Takes credits out, or returns them if the number is negative. Returns how many were taken, because debt is capped. */
  spend(credits: number, now: number): number
  /** Sets how long before its due time a request is sent. */
  setLeadTime(leadMs: number): void
  /** A copy for a simulation. */
  copy(): Pick<TokenBucket, 'covers' | 'spend'>
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
    addWatch(addresses, everyMs, startedAt) {
      const cost = creditsFor(addresses)
      const filler = { cost, everyMs, fillsAt: startedAt }
      refill(state, startedAt)
      state.capacity += cost
      state.fillers.put(filler)
      return (endedAt) => {
        refill(state, endedAt)
        state.fillers.delete(filler)
        state.capacity -= cost
        add(state, 0)
      }
    },
    setLeadTime(ms) {
      state.leadMs = ms
    },
    ...accessTo(state),
    copy: () => accessTo(copyOf(state)),
  }
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
