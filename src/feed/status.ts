import { creditsFor, requestsFor } from '../credits/cheapest-requests.ts'
import { creditsToUsd } from '../credits/cost.ts'
import { rejectUnknown, requireInteger } from '../errors/input.ts'
import { DAY_MS } from '../utils/time-units.ts'
import { codeOf } from './failures.ts'
import type { FeedContext } from './feed.ts'
import type { TrackedPrice } from './prices/tracked-price.ts'
import type { RecurringRequest } from './requests/requester.ts'
import type { TickGroup } from './schedule/tick-group.ts'
import { planTimetable } from './timetable.ts'
import type { FeedPlan, FeedStatus, PlannedPurchase, PlannedRate } from './types.ts'
import type { RunningWatch } from './watch/watch.ts'

const NEVER = Number.POSITIVE_INFINITY
const DEFAULT_CALLS = 10

/** What a report about a feed looks at. */
type ReportedFeed = Pick<
  FeedContext,
  'clock' | 'schedule' | 'dailyBudget' | 'backoff' | 'watches' | 'recurring' | 'options' | 'lifetime' | 'isPaused'
>

export function readStatus(context: ReportedFeed): FeedStatus {
  const { clock, schedule, dailyBudget, backoff, watches, options } = context
  const state = stateOf(context)
  const isWaiting = state === 'waiting' || state === 'stopped'
  schedule.settle()
  const { creditsPerDay } = schedule.ticks.timetable
  return {
    state,
    until: isWaiting ? clock.toUnix(backoff.until) : undefined,
    reason: isWaiting ? codeOf(backoff.failure?.error) : undefined,
    ...dailyBudget.told,
    leadMs: schedule.answerTimes.latency.leadMs,
    creditsPerDay: Math.round(creditsPerDay),
    limit: options.budget !== undefined ? dailyBudget.budget.limit : undefined,
    spent: dailyBudget.spent,
    projected: dailyBudget.projected(creditsPerDay, Math.max(clock.now(), backoff.until)),
    watches: watches.size,
    addresses: schedule.watched.size,
    stream: schedule.stream?.status,
  }
}

function stateOf({ lifetime, backoff, watches, isPaused }: ReportedFeed): FeedStatus['state'] {
  if (lifetime.aborted) return 'closed'
  if (isPaused()) return 'paused'
  if (backoff.state !== 'none') return backoff.state
  return watches.size > 0 ? 'running' : 'idle'
}

/** What the feed will buy, and what that costs; the first `calls` of it. */
export function explain(context: ReportedFeed, options: { readonly calls?: number | undefined }): FeedPlan {
  rejectUnknown('explain option', options, ['calls'])
  const { calls: shown = DEFAULT_CALLS } = options
  requireInteger('calls', shown, 'a whole number, 0 or more', 0)
  const { clock, dailyBudget, schedule, backoff, watches, recurring } = context
  schedule.settle()
  const { requestStretch, told } = dailyBudget
  const { stretch, atLeastStretch } = told
  const { groups, timetable } = schedule.ticks
  const intervals = schedule.bought.map(({ shortestInterval: everyMs }) => ({ everyMs, addresses: 1 }))
  const costAt = (request: RecurringRequest, intervalMs: number) => {
    const requestsPerDay = DAY_MS / intervalMs
    return toRate({ creditsPerDay: request.credits(intervalMs) * requestsPerDay, requestsPerDay })
  }
  // Of several requests with one key, the one with the shortest interval is made.
  const others = new Map<string, RecurringRequest>()
  for (const one of recurring) if (one.everyMs < (others.get(one.key)?.everyMs ?? NEVER)) others.set(one.key, one)
  return {
    calls: nextPurchases(groups, shown, Math.max(clock.now(), backoff.until)).map((call) => ({
      ...call,
      at: clock.toUnix(call.at),
    })),
    stretch,
    atLeastStretch,
    cost: toRate(timetable),
    timetable: timetable.groups.map(({ periodMs, classes, creditsPerDay, requestsPerDay }, index) => ({
      everyMs: periodMs,
      nextAt: clock.toUnix(Math.max(groups[index]?.at ?? clock.now(), backoff.until)),
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
      cost: toRate(dailyBudget.stretch === 1 ? timetable : planTimetable(intervals, schedule.answerTimes.latency)),
      onePerConsumer: separateCalls(watches, ({ everyMs }) => everyMs),
    },
    others: Array.from(others.values(), (one) => ({
      operation: one.operation,
      address: one.address,
      cost: costAt(one, one.everyMs * requestStretch),
      unstretched: costAt(one, one.everyMs),
    })),
  }
}

/** Beyond this number of ticks without a purchase, there are no more calls to show. */
const MAX_IDLE_TICKS = 100

/** The next purchases, by the rules of the ticks, if every answer arrives. None is made before `from`. */
function nextPurchases(running: readonly TickGroup[], shown: number, from: number): PlannedPurchase[] {
  const groups = running.map((group) => group.copy())
  let urgent = groups.flatMap(({ members }) => members).filter(({ dueAt }) => dueAt < NEVER)
  const boughtAt = new Map<TrackedPrice, number>()
  const purchases: PlannedPurchase[] = []
  const addressesOf = (prices: readonly TrackedPrice[]) => prices.map(({ address }) => address)
  for (let ticks = 0; groups.length > 0 && purchases.length < shown && ticks < MAX_IDLE_TICKS * shown; ticks++) {
    const at = Math.max(from, Math.min(...groups.map((group) => group.at), ...urgent.map(({ dueAt }) => dueAt)))
    const due = urgent.filter(({ dueAt }) => dueAt <= at)
    urgent = urgent.filter(({ dueAt }) => dueAt > at)
    const early: TrackedPrice[] = []
    for (const group of groups) {
      if (group.at > at) continue
      for (const tracked of group.members) {
        const askedAt = boughtAt.get(tracked) ?? tracked.askedAt
        if (due.includes(tracked) || !group.isDue(tracked, askedAt)) continue
        const list = askedAt + tracked.lifeMs < at + group.periodMs ? due : early
        list.push(tracked)
      }
      group.advance(at)
    }
    const all = [...due, ...early]
    for (const tracked of all) boughtAt.set(tracked, at)
    const [requests, credits] = [requestsFor(all.length), creditsFor(all.length)]
    if (all.length > 0) purchases.push({ at, due: addressesOf(due), early: addressesOf(early), requests, credits })
  }
  return purchases
}

/** The cost of a call for each watch, at its own interval. */
function separateCalls(watches: Iterable<RunningWatch>, intervalOf: (watch: RunningWatch) => number): PlannedRate {
  const rate = { creditsPerDay: 0, requestsPerDay: 0 }
  for (const watch of watches) {
    const perDay = DAY_MS / intervalOf(watch)
    rate.creditsPerDay += creditsFor(watch.addresses) * perDay
    rate.requestsPerDay += requestsFor(watch.addresses) * perDay
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
