import type { Clock } from '../../concurrency/clock.ts'
import { type Budget, createBudget } from '../../credits/budget.ts'
import { createMemoryBudget } from '../../credits/memory-budget.ts'
import { createWindows } from '../../credits/windows.ts'
import { invalidOption, rejectUnknown } from '../../errors/input.ts'
import type { FeedOptions, FeedStore } from '../types.ts'
import { emptyBeforeLoad } from './before-load.ts'

export const DAY_MS = 86_400_000
/** A day and one to spare: after that, no count in the entry matters. */
const ENTRY_TTL_MS = 2 * DAY_MS

/** A budget of one day, and its connection to a store. */
export interface DayBudget {
  readonly budget: Budget
  /** Reads what earlier processes have spent; undefined for a budget in memory. */
  readonly load?: () => Promise<void>
  /** Writes what has been spent; undefined for a budget in memory. */
  readonly flush?: () => Promise<void>
}

/** A budget that renews at midnight UTC, in the store where there is one. Without a limit it only counts. */
export function createDayBudget(options: FeedOptions['budget'], store: FeedStore | undefined, clock: Clock): DayBudget {
  if (options === undefined)
    return { budget: createBudget({ credits: Number.POSITIVE_INFINITY, windowMs: DAY_MS }, clock) }
  const { credits, name } = readOptions(options)
  const now = () => clock.now()
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

function readOptions(options: NonNullable<FeedOptions['budget']>): { credits: number; name: string } {
  rejectUnknown('budget option', options, ['creditsPerDay', 'name'])
  const { creditsPerDay: credits, name = 'default' } = options
  if (!(Number.isSafeInteger(credits) && credits > 0))
    throw invalidOption('budget.creditsPerDay', credits, 'a whole number of credits above 0')
  if (!(typeof name === 'string' && name !== '')) throw invalidOption('budget.name', name, 'a text that is not empty')
  return { credits, name }
}
