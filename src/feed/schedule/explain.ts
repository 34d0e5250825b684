import { creditsFor, splitIntoRequests } from '../../credits/batch-cost.ts'
import { creditsToUsd } from '../../credits/cost.ts'
import { planTimetable, type Timetable } from '../../credits/timetable.ts'
import { DAY_MS } from '../../utils/time-units.ts'
import type { FeedClock } from '../feed-clock.ts'
import type { DailyBudget } from '../prices/daily-budget.ts'
import { isDueAt, isTooOld, type Schedule } from './schedule.ts'

/** What the feed will buy, if the watches stay as they are and no price requests arrive. */
export interface FeedPlan {
  /** The next calls, the first one first. */
  readonly calls: readonly PlannedPurchase[]
  /** The factor by which every interval is longer than requested, because of the budget. */
  readonly stretch: number
  /** The factor by which every `atLeastEveryMs` is exceeded, because of the budget. */
  readonly atLeastStretch: number
  /** The cost of the watches with this stretch. */
  readonly cost: PlannedRate
  /** What is bought again and again, the shortest intervals first. Its credits a day are the `cost`. */
  readonly timetable: readonly PlannedGroup[]
  /** The cost of one call per watch in the cheapest requests, with this stretch. */
  readonly onePerConsumer: PlannedRate
  /** The same costs without the stretch. */
  readonly unstretched: {
    /** The cost of the watches. */
    readonly cost: PlannedRate
    /** The cost of one call per watch. */
    readonly onePerConsumer: PlannedRate
  }
  /** What candle watches, portfolios and readers of trades request besides prices. It is not part of the costs above. */
  readonly others: readonly PlannedRequests[]
}

/** Addresses that are bought at the ticks of one timer. */
export interface PlannedGroup {
  /** Time between two ticks, milliseconds. */
  readonly everyMs: number
  /** When it ticks the next time, unix milliseconds. */
  readonly nextAt: number
  /** What is bought, the shortest interval first. */
  readonly addresses: readonly {
    /** Number of addresses. */
    readonly count: number
    /** The interval of their watches with the stretch, milliseconds. */
    readonly intervalMs: number
    /** They are bought at every nth tick. */
    readonly everyNthTick: number
  }[]
  /** Credits a day. */
  readonly creditsPerDay: number
  /** HTTP requests a day. */
  readonly requestsPerDay: number
}

/** Requests that are repeated at an interval, once for all of their readers. */
export interface PlannedRequests {
  /** The operation of the requests. */
  readonly operation: 'token.candles' | 'balances.get' | 'trade.list'
  /** The token, or the wallet, in EIP-55 form; undefined for the trades of all tokens. */
  readonly address: string | undefined
  /**
   * Their cost with the stretch of price requests, which use what the watches leave of the budget. Trades cost this while their
   * readers wait for more.
   */
  readonly cost: PlannedRate
  /** Their cost at the requested interval. */
  readonly unstretched: PlannedRate
}

/** A call that the feed will make. */
export interface PlannedPurchase {
  /** Unix milliseconds. */
  readonly at: number
  /** Addresses whose price would be too old at the next tick, in EIP-55 form. */
  readonly due: readonly string[]
  /** Addresses that are bought early, because this is the tick at which they fill a request. */
  readonly early: readonly string[]
  /** Number of requests. */
  readonly requests: number
  /** Its cost in credits. */
  readonly credits: number
}

/** A cost a day. */
export interface PlannedRate {
  /** Credits a day. */
  readonly creditsPerDay: number
  /** US dollars a day. */
  readonly usdPerDay: number
  /** HTTP requests a day. */
  readonly requestsPerDay: number
  /** Credits in 30 days. */
  readonly creditsPer30Days: number
  /** US dollars in 30 days. */
  readonly usdPer30Days: number
}

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

export interface ExplainParts {
  readonly clock: FeedClock
  readonly schedule: Schedule
  readonly dailyBudget: DailyBudget
}

export function explain(
  { clock, schedule, dailyBudget }: ExplainParts,
  watches: readonly PlannedWatch[],
  requests: readonly OtherRequests[],
  shown: number,
): FeedPlan {
  schedule.settle()
  const { stretch, atLeastStretch } = dailyBudget
  const { timetable } = schedule
  const unstretched =
    stretch === 1
      ? timetable
      : planTimetable(
          schedule.bought.map(({ shortestInterval: everyMs }) => ({ everyMs, addresses: 1 })),
          schedule.leadMs,
        )
  const others = requests.map(({ operation, address, everyMs, credits }) => {
    const costAt = (intervalMs: number) => {
      const requestsPerDay = DAY_MS / intervalMs
      return toRate({ creditsPerDay: credits(intervalMs) * requestsPerDay, requestsPerDay })
    }
    return { operation, address, cost: costAt(everyMs * dailyBudget.requestStretch), unstretched: costAt(everyMs) }
  })
  return {
    calls: nextPurchases(schedule, shown).map((call) => ({ ...call, at: clock.toUnix(call.at) })),
    stretch,
    atLeastStretch,
    cost: toRate(timetable),
    timetable: timetable.groups.map((group, index) =>
      toPlannedGroup(group, clock.toUnix(schedule.groups[index]?.at ?? clock.now())),
    ),
    onePerConsumer: separateCalls(watches, ({ everyMs, atLeastEveryMs }) =>
      Math.min(everyMs * stretch, atLeastEveryMs * atLeastStretch),
    ),
    unstretched: { cost: toRate(unstretched), onePerConsumer: separateCalls(watches, ({ everyMs }) => everyMs) },
    others,
  }
}

function toPlannedGroup(
  { periodMs, classes, creditsPerDay, requestsPerDay }: Timetable['groups'][number],
  nextAt: number,
): PlannedGroup {
  const addresses = classes.map(({ addresses: count, everyMs: intervalMs, multiple: everyNthTick }) => ({
    count,
    intervalMs,
    everyNthTick,
  }))
  return { everyMs: periodMs, nextAt, addresses, creditsPerDay, requestsPerDay }
}

/** The next purchases, by the rules of the ticks, if every answer arrives. */
function nextPurchases(schedule: Schedule, shown: number): PlannedPurchase[] {
  const groups = schedule.groups.map((group) => ({ ...group }))
  const askedAt = new Map(groups.flatMap(({ members }) => members.map(({ tracked }) => [tracked, tracked.askedAt])))
  const purchases: PlannedPurchase[] = []
  const buy = (at: number, due: readonly Tracked[], early: readonly Tracked[]) => {
    for (const tracked of [...due, ...early]) askedAt.set(tracked, at)
    const count = due.length + early.length
    const requests = splitIntoRequests(Array.from({ length: count })).length
    purchases.push({ at, due: addressesOf(due), early: addressesOf(early), requests, credits: creditsFor(count) })
  }
  const urgent = [...askedAt.keys()].filter(({ dueAt }) => dueAt < Number.POSITIVE_INFINITY)
  const [firstDueAt = 0] = urgent.map(({ dueAt }) => dueAt).sort((one, other) => one - other)
  if (urgent.length > 0) buy(firstDueAt, urgent, [])
  // A tick may have nothing to buy.
  for (let ticks = 0; groups.length > 0 && purchases.length < shown && ticks < MAX_TICKS * shown; ticks++) {
    const at = Math.min(...groups.map((group) => group.at))
    const due: Tracked[] = []
    const early: Tracked[] = []
    for (const group of groups) {
      if (group.at > at) continue
      for (const member of group.members) {
        const since = askedAt.get(member.tracked) ?? 0
        if (!isDueAt(member, at, group.tick, group.periodMs, since)) continue
        const list = isTooOld(member, at + group.periodMs, since) ? due : early
        list.push(member.tracked)
      }
      group.at += group.periodMs
      group.tick++
    }
    if (due.length + early.length > 0) buy(at, due, early)
  }
  return purchases.slice(0, shown)
}

const MAX_TICKS = 100

type Tracked = Schedule['groups'][number]['members'][number]['tracked']

const addressesOf = (prices: readonly Tracked[]) => prices.map(({ address }) => address)

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
