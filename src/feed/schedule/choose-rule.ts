import { PER_ITEM } from '../../credits/batch-cost.ts'
import type { DueTimes } from './due-times.ts'
import type { EarlyRule } from './select-batch.ts'
import { simulateSchedule } from './simulate-schedule.ts'
import type { TokenBucket } from './token-bucket.ts'

export interface RuleChoiceParts {
  readonly dueTimes: DueTimes
  readonly bucket: TokenBucket
}

/** The rule for early addresses that is cheapest in the rounds ahead. */
export interface RuleChoice {
  at(now: number): EarlyRule
  /** Records that price requests made a call. */
  recordRequests(now: number): void
}

/** In this order: a later one is chosen only if it is cheaper by more than `MIN_SAVING`. */
export const RULES: readonly EarlyRule[] = ['all', 'cheapest', 'same-request']
/** While addresses leave: the rule that buys the fewest prices in advance is first. */
const RULES_WHILE_LEAVING: readonly EarlyRule[] = ['same-request', 'all', 'cheapest']
/** A simulation begins in the middle of a round and ends in the middle of another, so that smaller differences say nothing. */
const MIN_SAVING = 0.01
/** How far ahead the rules are compared, in rounds of the shortest interval and in calls. */
const ROUNDS = 16
/** After an address has left, others may follow: the rules are compared as far ahead as it is ago, but not less than this. */
const MIN_ROUNDS = 1
const MAX_CALLS = 150
/** After a small change of the demand, the time until the next comparison, for each address: it takes some microseconds for each. */
const MS_PER_ADDRESS = 20
/** After a larger change, as by a stretch, another rule may be much cheaper. */
const SMALL_CHANGE = 0.1
/** The longest time between two comparisons. While the same rule wins, the time doubles. */
const MAX_AGE_MS = 1_800_000
/** What a price that is still valid is worth at the end of a simulation, in credits for a whole interval. */
const VALUE = PER_ITEM

/**
 * No rule is the cheapest for every demand: a rule that fills requests leaves a rest that costs a request of its own again and again, and
 * one that does not buys too much too early. So each is simulated, and the one whose schedule costs the least is followed. One of them is
 * one interval for all, so that the schedule costs no more than that.
 */
export function createRuleChoice({ dueTimes, bucket }: RuleChoiceParts): RuleChoice {
  const { demand } = dueTimes
  let addresses = 0
  let leftAt = Number.NEGATIVE_INFINITY
  let requestedAt = Number.NEGATIVE_INFINITY
  let last = { at: Number.NEGATIVE_INFINITY, rule: 'same-request' as EarlyRule, cost: 0, shortestMs: 0, validMs: 0 }

  function isValid(now: number, cost: number): boolean {
    if (cost === last.cost) return now < last.at + last.validMs
    const isSmall = Math.abs(cost / last.cost - 1) <= SMALL_CHANGE
    return isSmall && now < last.at + Math.min(last.shortestMs, MS_PER_ADDRESS * addresses)
  }

  function cheapestRule(now: number, shortestMs: number): EarlyRule {
    const rounds = Math.max(MIN_ROUNDS, Math.min(ROUNDS, (now - leftAt) / shortestMs))
    const until = now + rounds * shortestMs
    let best: EarlyRule = 'all'
    let lowest = Number.POSITIVE_INFINITY
    for (const rule of rounds < ROUNDS ? RULES_WHILE_LEAVING : RULES) {
      const perMs = costPerMs(rule, now, until)
      if (perMs >= lowest * (1 - MIN_SAVING)) continue
      lowest = perMs
      best = rule
    }
    return best
  }

  /** What the calls until then cost, less what their prices are worth afterwards. */
  function costPerMs(rule: EarlyRule, now: number, until: number): number {
    const { calls, remainingAt } = simulateSchedule({ dueTimes, bucket, rule, now, until, maxCalls: MAX_CALLS })
    const isCut = calls.length === MAX_CALLS
    const end = isCut ? (calls.at(-1)?.at ?? until) : until
    const credits = calls.reduce((sum, call) => sum + call.credits, 0)
    return (credits - VALUE * remainingAt(end)) / (end - now)
  }

  return {
    at(now) {
      const cost = demand.creditsPerDay()
      const count = demand.size
      if (count < addresses) leftAt = now
      addresses = count
      // One or two addresses cost the same however they are bought.
      if (cost === 0 || count < 3) return 'same-request'
      // Price requests take the watches along at times that no simulation knows.
      if (now - requestedAt < last.shortestMs) return 'same-request'
      if (isValid(now, cost)) return last.rule
      const shortestMs = Math.min(...demand.addresses().map(({ intervalMs }) => intervalMs))
      const rule = cheapestRule(now, shortestMs)
      const isSame = rule === last.rule && cost === last.cost
      const validMs = isSame ? Math.min(Math.max(MAX_AGE_MS, shortestMs), 2 * last.validMs) : shortestMs
      last = { at: now, rule, cost, shortestMs, validMs }
      return rule
    },
    recordRequests(now) {
      requestedAt = now
    },
  }
}
