import { invalidOption, requireWindowMs } from '../errors/input.ts'
import { DAY_MS } from '../utils/time-units.ts'
import { requireCredits } from './budget-core.ts'

/** A limit in credits: `{ credits, windowMs }`, or `{ creditsPerDay }` for a day. */
export type CreditLimit =
  | {
      /** Most credits that may be spent, a whole number; in each window when there is one. */
      credits: number
      /** Length of a window in whole milliseconds. @default the limit never renews itself */
      windowMs?: number | undefined
      /** In place of `credits` and `windowMs`. */
      creditsPerDay?: undefined
    }
  | {
      /** Most credits that may be spent in a day, a whole number: the same as `credits` with a `windowMs` of 86,400,000. */
      creditsPerDay: number
      /** Left out beside `creditsPerDay`. */
      credits?: undefined
      /** Left out beside `creditsPerDay`. */
      windowMs?: undefined
    }

/** The names of its options. */
export const LIMIT_OPTIONS = ['credits', 'windowMs', 'creditsPerDay']

/** @param name that of the option which holds the limit @throws InvalidRequestError where it is none */
export function readLimit(
  name: string,
  { credits, windowMs, creditsPerDay }: CreditLimit,
): { readonly credits: number; readonly windowMs: number | undefined } {
  if (creditsPerDay === undefined) {
    if (credits !== Number.POSITIVE_INFINITY) requireCredits(`${name}.credits`, credits)
    if (windowMs !== undefined) requireWindowMs(`${name}.windowMs`, windowMs)
    return { credits, windowMs }
  }
  requireCredits(`${name}.creditsPerDay`, creditsPerDay)
  if (credits === undefined && windowMs === undefined) return { credits: creditsPerDay, windowMs: DAY_MS }
  throw invalidOption(`${name}.creditsPerDay`, creditsPerDay, 'left out beside credits and windowMs')
}

/** The name of a budget in a store. @throws InvalidRequestError where it is none */
export function readBudgetName(name: unknown = 'default'): string {
  if (typeof name === 'string' && name !== '') return name
  throw invalidOption('budget.name', name, 'a text that is not empty')
}
