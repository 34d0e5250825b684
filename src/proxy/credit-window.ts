import { isCredits } from '../credits/budget-core.ts'
import { invalidOption, rejectUnknown, requireWindowMs } from '../errors/input.ts'
import type { CreditWindow } from './types.ts'

/** @throws InvalidRequestError for anything but a whole number of credits and of milliseconds */
export function checkWindow(name: string, window: CreditWindow): void {
  rejectUnknown(`${name} option`, window, ['credits', 'windowMs'])
  const { credits, windowMs } = window
  if (!isCredits(credits)) throw invalidOption(`${name}.credits`, credits, 'a whole number of credits, 0 or more')
  requireWindowMs(`${name}.windowMs`, windowMs)
}
