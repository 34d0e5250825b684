import { isCredits } from '../credits/budget-core.ts'
import { DEFAULT_MAX_CHARGE_DELAY_MS } from '../credits/reconcile.ts'
import { invalidOption, rejectUnknown, requireMilliseconds, requireWindowMs } from '../errors/input.ts'
import type { RedisFleetOptions } from './types.ts'

/** The options of a fleet, every default filled in. */
export interface FleetSettings {
  readonly limit: number
  /** 0 without windows. */
  readonly windowMs: number
  readonly slots: number
  readonly leaseMs: number
  readonly timeoutMs: number
  readonly maxChargeDelayMs: number
  readonly wait: { readonly replicas: number; readonly timeoutMs: number } | undefined
}

const OPTIONS = ['name', 'budget', 'heavyConcurrency', 'leaseMs', 'timeoutMs', 'maxChargeDelayMs', 'wait']
const DEFAULT_LEASE_MS = 30_000
const DEFAULT_TIMEOUT_MS = 2_000

export function readOptions(options: RedisFleetOptions): FleetSettings {
  rejectUnknown('fleet option', options, OPTIONS)
  const { budget, heavyConcurrency: slots = 2, leaseMs = DEFAULT_LEASE_MS, timeoutMs = DEFAULT_TIMEOUT_MS } = options
  const { maxChargeDelayMs = DEFAULT_MAX_CHARGE_DELAY_MS } = options
  rejectUnknown('budget option', budget, ['credits', 'windowMs'])
  const { credits: limit, windowMs } = budget
  if (!isCredits(limit)) throw invalidOption('budget.credits', limit, 'a whole number of credits, 0 or more')
  if (windowMs !== undefined) requireWindowMs('budget.windowMs', windowMs)
  if (!isCount(slots)) throw invalidOption('heavyConcurrency', slots, 'a whole number, 1 or more')
  if (!isCount(timeoutMs)) throw invalidOption('timeoutMs', timeoutMs, 'a whole number of milliseconds above 0')
  if (!isCount(leaseMs) || leaseMs <= timeoutMs)
    throw invalidOption('leaseMs', leaseMs, `a whole number of milliseconds above timeoutMs, ${timeoutMs}`)
  requireMilliseconds('maxChargeDelayMs', maxChargeDelayMs)
  const wait = readWait(options.wait, timeoutMs)
  return { limit, windowMs: windowMs ?? 0, slots, leaseMs, timeoutMs, maxChargeDelayMs, wait }
}

function readWait(wait: RedisFleetOptions['wait'], timeoutMs: number): FleetSettings['wait'] {
  if (wait === undefined) return undefined
  rejectUnknown('wait option', wait, ['replicas', 'timeoutMs'])
  if (!isCount(wait.replicas)) throw invalidOption('wait.replicas', wait.replicas, 'a whole number, 1 or more')
  if (!isCount(wait.timeoutMs) || wait.timeoutMs >= timeoutMs)
    throw invalidOption(
      'wait.timeoutMs',
      wait.timeoutMs,
      `a whole number of milliseconds below timeoutMs, ${timeoutMs}`,
    )
  return wait
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0
}
