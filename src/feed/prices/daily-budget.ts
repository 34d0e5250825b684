import { anchoredWallClock, type Clock } from '../../concurrency/clock.ts'
import { creditsFor, maxAffordable } from '../../credits/batch-cost.ts'
import { type Budget, createBudget } from '../../credits/budget.ts'
import { createMemoryBudget } from '../../credits/memory-budget.ts'
import { createWindows } from '../../credits/windows.ts'
import { BudgetExceededError } from '../../errors/budget.ts'
import { invalidOption, rejectUnknown } from '../../errors/input.ts'
import { DAY_MS } from '../../utils/time-units.ts'
import type { FeedClock } from '../feed-clock.ts'
import type { FeedOptions, FeedStore } from '../types.ts'
import { emptyBeforeLoad } from './before-load.ts'
import type { Stretch, TrackedPrice } from './tracked-price.ts'

/** What may be spent in a day, and how much longer the intervals are because of it. */
export interface DailyBudget extends Stretch {
  readonly budget: Budget
  readonly isLimited: boolean
  /** What is left until the credits are renewed. */
  readonly allowance: Allowance
  /** The factor by which the `maxAgeMs` of price requests is longer, because the watches have their share of the budget first. */
  readonly requestStretch: number
  /** What price requests and trades may spend: the budget without the share that the watches need until the end of the day. */
  readonly availableForRequests: number
  /**
   * What a request for `bought` may cost, so that the rest of the budget suffices for every `atLeastEveryMs` until the end of the day.
   */
  availableBesideGuarantees(bought: readonly TrackedPrice[]): number
  /** When the next day of the budget begins, by the clock of the feed; Infinity while nothing waits for it. */
  readonly renewsAt: number
  /** Records credits that no watch planned: price requests and trades. */
  recordUnplanned(credits: number): void
  /** Computes the stretch for watches that cost `creditsPerDay` with the current one. Returns whether it changed. */
  updateStretch(creditsPerDay: number): boolean
  /**
   * Resolves when it is known what earlier processes have spent. Never rejects: while the store fails, every reservation fails, so
   * nothing is sent. Undefined if nothing has to be loaded.
   */
  load(): Promise<void> | undefined
  /** Writes what has been spent. Rejects if the store fails: it then has the reservation, which counts after a restart. */
  flush(): Promise<void>
  /** The credits spent by the end of this day, if the rest of it costs `creditsPerDay`. */
  projected(creditsPerDay: number): number
}

/** Unplanned credits are extrapolated from about the last hour. */
const UNPLANNED_WINDOW_MS = 3_600_000
/** A smaller difference does not change the stretch, because each change recomputes every due time. */
const TOLERANCE = 0.05

/** What the watches may spend. */
export interface Allowance {
  readonly credits: number
  readonly now: number
  /** When the credits are renewed, by the clock of the feed. */
  readonly until: number
}

export interface DailyBudgetParts {
  readonly options: FeedOptions['budget']
  readonly store: FeedStore | undefined
  readonly clock: FeedClock
  /** What every `atLeastEveryMs` costs until the credits are renewed, after `bought` is bought now. */
  costOfGuarantees(allowance: Allowance, bought: readonly TrackedPrice[]): number
  /** The stretch that the credits suffice for until they are renewed, and what the watches cost a day then. */
  solveStretch(allowance: Allowance): Stretch & { creditsPerDay: number }
  /** Called when what earlier processes have spent changes the stretch. */
  onStretch(): void
}

export function createDailyBudget(parts: DailyBudgetParts): DailyBudget {
  const { options, store, clock, solveStretch, onStretch } = parts
  const { budget, load, flush } = createDayBudget(options, store, clock.wall)
  let isLoaded = load === undefined
  /** When the credits are renewed, by the clock of the feed. */
  const renewsAt = () => clock.fromUnix(budget.resetsAt ?? Number.POSITIVE_INFINITY)
  const daysLeft = () => (budget.resetsAt === undefined ? 0 : (renewsAt() - clock.now()) / DAY_MS)
  let current: Stretch = { stretch: 1, atLeastStretch: 1 }
  let watchesPerDay = 0
  const availableForRequests = () => Math.max(0, budget.available - watchesPerDay * daysLeft())
  const requestStretch = () => {
    const rest = Math.max(1, availableForRequests())
    return Math.max(1, (unplannedPerDay() * daysLeft()) / rest)
  }
  const unplanned = { credits: 0, at: clock.now() }
  const unplannedPerDay = () => {
    const now = clock.now()
    unplanned.credits *= Math.exp((unplanned.at - now) / UNPLANNED_WINDOW_MS)
    unplanned.at = now
    return (unplanned.credits * DAY_MS) / UNPLANNED_WINDOW_MS
  }

  const allowanceNow = () => ({
    credits: Math.max(1, budget.available),
    now: clock.now(),
    until: renewsAt(),
  })

  function updateStretch(creditsPerDay: number): boolean {
    watchesPerDay = creditsPerDay
    if (!isLoaded) return false
    const allowance = allowanceNow()
    const { stretch, atLeastStretch } = current
    const needed = (creditsPerDay * daysLeft()) / allowance.credits
    const isEnough = stretch === 1 ? needed <= 1 + TOLERANCE : isNear(needed, 1) && needed * stretch > 1
    if (isEnough) return false
    const solved = solveStretch(allowance)
    if (isSame(solved.stretch, stretch) && isSame(solved.atLeastStretch, atLeastStretch)) return false
    current = solved
    watchesPerDay = solved.creditsPerDay
    return true
  }

  async function loadOnce(): Promise<void> {
    // The reservation loads again, and rejects with the error.
    await load?.().then(
      () => {
        if (isLoaded) return
        isLoaded = true
        if (updateStretch(watchesPerDay)) onStretch()
      },
      () => {},
    )
  }

  return {
    budget,
    isLimited: Boolean(options),
    get allowance() {
      return allowanceNow()
    },
    get stretch() {
      return current.stretch
    },
    get atLeastStretch() {
      return current.atLeastStretch
    },
    get requestStretch() {
      return requestStretch()
    },
    get availableForRequests() {
      return availableForRequests()
    },
    availableBesideGuarantees: (bought) => budget.available - parts.costOfGuarantees(allowanceNow(), bought),
    get renewsAt() {
      return current.stretch === 1 ? Number.POSITIVE_INFINITY : renewsAt()
    },
    recordUnplanned(spent) {
      unplannedPerDay()
      // Without the stretch it would have been more.
      unplanned.credits += spent * requestStretch()
    },
    updateStretch,
    load: () => (isLoaded ? undefined : loadOnce()),
    flush: async () => flush?.(),
    projected: (perDay) => budget.spent + budget.uncertain + budget.reserved + perDay * daysLeft(),
  }
}

const isNear = (now: number, before: number) => Math.abs(now / before - 1) <= TOLERANCE

/** A stretch that ends is a change, however small it was. */
const isSame = (now: number, before: number) => isNear(now, before) && (now > 1 || before === 1)

/** A day and one to spare: after that, no count in the entry matters. */
const ENTRY_TTL_MS = 2 * DAY_MS

/** A budget of one day, and its connection to a store. */
interface DayBudget {
  readonly budget: Budget
  /** Reads what earlier processes have spent; undefined for a budget in memory. */
  readonly load?: () => Promise<void>
  /** Writes what has been spent; undefined for a budget in memory. */
  readonly flush?: () => Promise<void>
}

/** A budget that renews at midnight UTC, in the store where there is one. Without a limit it only counts. */
function createDayBudget(options: FeedOptions['budget'], store: FeedStore | undefined, clock: Clock): DayBudget {
  if (!options) return { budget: createBudget({ credits: Number.POSITIVE_INFINITY, windowMs: DAY_MS }, clock) }
  const { credits, name } = readOptions(options)
  const now = anchoredWallClock(clock)
  if (store === undefined)
    return {
      budget: createMemoryBudget({
        limit: credits,
        windows: createWindows(DAY_MS, 0, now),
        now,
        keyBalances: undefined,
      }),
    }
  const entry = {
    get: (key: string) => store.get(key),
    set: (key: string, value: string) => store.set(key, value, ENTRY_TTL_MS),
  }
  const key = `etn-market:feed:budget:1:${name}`
  const budget = emptyBeforeLoad(createBudget({ credits, windowMs: DAY_MS, store: entry, key }, clock))
  return { budget, load: budget.load, flush: budget.flush }
}

function readOptions(options: Exclude<FeedOptions['budget'], false | undefined>): { credits: number; name: string } {
  rejectUnknown('budget option', options, ['creditsPerDay', 'name'])
  const { creditsPerDay: credits, name = 'default' } = options
  if (!(Number.isSafeInteger(credits) && credits > 0))
    throw invalidOption('budget.creditsPerDay', credits, 'a whole number of credits above 0')
  if (!(typeof name === 'string' && name !== '')) throw invalidOption('budget.name', name, 'a text that is not empty')
  return { credits, name }
}

/** The price requests that would use the share of the budget that the watches need; undefined if there are none. */
export function refusedRequests(
  prices: readonly TrackedPrice[],
  { budget, availableForRequests }: DailyBudget,
): { refused: ReadonlySet<TrackedPrice>; error: BudgetExceededError } | undefined {
  if (availableForRequests >= budget.available) return undefined
  const unwatched = prices.filter(({ watchers }) => watchers.size === 0)
  const refused = new Set(unwatched.slice(maxAffordable(availableForRequests, unwatched.length)))
  if (refused.size === 0) return undefined
  const needed = creditsFor(refused.size)
  const available = Math.floor(availableForRequests)
  const error = new BudgetExceededError(
    `The price request needs ${needed} credits, but ${available} are left beside the share of the watches. Nothing was sent. ` +
      'Wait for the next day of the budget or allow more credits.',
    { operation: 'prices.batch', needed, available, resetsAt: budget.resetsAt },
  )
  return { refused, error }
}

/** The addresses whose price would use what every `atLeastEveryMs` needs; undefined if there are none. */
export function refusedForGuarantees(
  prices: readonly TrackedPrice[],
  dailyBudget: DailyBudget,
  now: number,
): { refused: ReadonlySet<TrackedPrice>; error: BudgetExceededError } | undefined {
  const { budget, isLimited } = dailyBudget
  const others = prices.filter((tracked) => canWait(tracked, now))
  if (!isLimited || others.length === 0) return undefined
  const available = dailyBudget.availableBesideGuarantees(prices)
  const needed = prices.length - others.length
  // Without a guarantee, the rest of the budget buys what fits.
  if (available >= budget.available && prices.every(({ guaranteed }) => guaranteed.size === 0)) return undefined
  const affordable = maxAffordable(available, prices.length) - needed
  const refused = new Set(others.slice(Math.max(0, affordable)))
  if (refused.size === 0) return undefined
  const credits = { needed: creditsFor(prices.length), available: Math.max(0, Math.floor(available)) }
  const error = new BudgetExceededError(
    `The prices need ${credits.needed} credits, but ${credits.available} are left beside the watches with atLeastEveryMs. ` +
      'They wait for their next interval. Allow more credits.',
    { operation: 'prices.batch', ...credits, resetsAt: budget.resetsAt },
  )
  return { refused, error }
}

/** Whether an address can be postponed by its interval. First prices, and those of price requests, cannot. */
function canWait({ watchers, guaranteed, at, intervalMs }: TrackedPrice, now: number): boolean {
  if (watchers.size === 0 || at === Number.NEGATIVE_INFINITY) return false
  const atLeastEveryMs = guaranteed.peek()?.atLeastEveryMs ?? Number.POSITIVE_INFINITY
  return now + intervalMs <= at + atLeastEveryMs
}
