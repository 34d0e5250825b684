import { creditsFor, splitIntoRequests } from '../../credits/batch-cost.ts'
import { creditsToUsd } from '../../credits/cost.ts'
import { planTimetable } from '../../credits/timetable.ts'
import { DAY_MS } from '../../utils/time-units.ts'
import type { FeedContext } from '../context.ts'
import type { TrackedPrice } from '../prices/tracked-price.ts'
import type { FeedPlan, PlannedPurchase, PlannedRate, PlannedRequests } from '../types.ts'
import { isDueAt, type Schedule } from './schedule.ts'
import type { TickGroup } from './tick-plan.ts'

const NEVER = Number.POSITIVE_INFINITY

/** Requests at an interval, besides prices. */
export interface OtherRequests extends Pick<PlannedRequests, 'operation' | 'address'> {
  readonly everyMs: number
  /** The cost of one of these requests after an interval. */
  credits(intervalMs: number): number
}

/** A watch, as the cost of a call of its own sees it. */
export interface PlannedWatch {
  readonly addresses: number
  readonly everyMs: number
  readonly atLeastEveryMs: number
}

/** What the feed will buy, and what that costs; the first `shown` calls of it. */
export function explain(
  { clock, dailyBudget }: FeedContext,
  schedule: Schedule,
  watches: readonly PlannedWatch[],
  requests: readonly OtherRequests[],
  shown: number,
): FeedPlan {
  schedule.settle()
  const { stretch, atLeastStretch, requestStretch } = dailyBudget
  const { leadMs } = schedule
  const { groups, timetable } = schedule.ticks
  const intervals = schedule.bought.map(({ shortestInterval: everyMs }) => ({ everyMs, addresses: 1 }))
  const costAt = ({ credits }: OtherRequests, intervalMs: number) => {
    const requestsPerDay = DAY_MS / intervalMs
    return toRate({ creditsPerDay: credits(intervalMs) * requestsPerDay, requestsPerDay })
  }
  return {
    calls: nextPurchases(groups, shown).map((call) => ({ ...call, at: clock.toUnix(call.at) })),
    stretch,
    atLeastStretch,
    cost: toRate(timetable),
    timetable: timetable.groups.map(({ periodMs, classes, creditsPerDay, requestsPerDay }, index) => ({
      everyMs: periodMs,
      nextAt: clock.toUnix(groups[index]?.at ?? clock.now()),
      addresses: classes.map(({ addresses: count, everyMs: intervalMs, multiple: everyNthTick }) => ({
        count,
        intervalMs,
        everyNthTick,
      })),
      creditsPerDay,
      requestsPerDay,
    })),
    onePerConsumer: separateCalls(watches, ({ everyMs, atLeastEveryMs }) =>
      Math.min(everyMs * stretch, atLeastEveryMs * atLeastStretch),
    ),
    unstretched: {
      cost: toRate(stretch === 1 ? timetable : planTimetable(intervals, leadMs)),
      onePerConsumer: separateCalls(watches, ({ everyMs }) => everyMs),
    },
    others: requests.map((one) => ({
      operation: one.operation,
      address: one.address,
      cost: costAt(one, one.everyMs * requestStretch),
      unstretched: costAt(one, one.everyMs),
    })),
  }
}

/** Beyond this number of ticks without a purchase, there are no more calls to show. */
const MAX_IDLE_TICKS = 100

/** The next purchases, by the rules of the ticks, if every answer arrives. */
function nextPurchases(running: readonly TickGroup[], shown: number): PlannedPurchase[] {
  const groups = running.map((group) => ({ ...group }))
  const boughtAt = new Map<TrackedPrice, number>()
  const purchases: PlannedPurchase[] = []
  const buy = (at: number, due: readonly TrackedPrice[], early: readonly TrackedPrice[]) => {
    const all = [...due, ...early]
    if (all.length === 0) return
    for (const tracked of all) boughtAt.set(tracked, at)
    const addressesOf = (prices: readonly TrackedPrice[]) => prices.map(({ address }) => address)
    const [requests, credits] = [splitIntoRequests(all).length, creditsFor(all.length)]
    purchases.push({ at, due: addressesOf(due), early: addressesOf(early), requests, credits })
  }
  const urgent = groups.flatMap(({ members }) => members).filter(({ dueAt }) => dueAt < NEVER)
  const firstAt = urgent.reduce((first, { dueAt }) => Math.min(first, dueAt), NEVER)
  buy(firstAt, urgent, [])
  for (let ticks = 0; groups.length > 0 && purchases.length < shown && ticks < MAX_IDLE_TICKS * shown; ticks++) {
    const at = Math.min(...groups.map((group) => group.at))
    const due: TrackedPrice[] = []
    const early: TrackedPrice[] = []
    for (const group of groups) {
      if (group.at > at) continue
      for (const tracked of group.members) {
        const askedAt = boughtAt.get(tracked) ?? tracked.askedAt
        if (!isDueAt(tracked, group, askedAt)) continue
        const list = tracked.isDueBefore(at + group.periodMs, askedAt) ? due : early
        list.push(tracked)
      }
      group.at += group.periodMs
      group.tick++
    }
    buy(at, due, early)
  }
  return purchases.slice(0, shown)
}

/** The cost of a call for each watch, at its own interval. */
function separateCalls(watches: readonly PlannedWatch[], intervalOf: (watch: PlannedWatch) => number): PlannedRate {
  const rate = { creditsPerDay: 0, requestsPerDay: 0 }
  for (const watch of watches) {
    const perDay = DAY_MS / intervalOf(watch)
    rate.creditsPerDay += creditsFor(watch.addresses) * perDay
    rate.requestsPerDay += splitIntoRequests(Array.from({ length: watch.addresses })).length * perDay
  }
  return toRate(rate)
}

function toRate({ creditsPerDay, requestsPerDay }: { creditsPerDay: number; requestsPerDay: number }): PlannedRate {
  return {
    creditsPerDay,
    usdPerDay: creditsToUsd(creditsPerDay),
    requestsPerDay,
    creditsPer30Days: 30 * creditsPerDay,
    usdPer30Days: creditsToUsd(30 * creditsPerDay),
  }
}
