import { invalidOption } from '../errors/input.ts'
import type { LiquidityLock } from '../generated/types.ts'
import { formatDecimal } from './decimal.ts'

/**
 * An amount in the smallest unit as an exact decimal text in whole tokens; nothing is rounded, as a float would.
 * Takes the hex of `balances.get` or an integer, such as the amounts of `locks.get`.
 * @example toUnits('0xde0b6b3a7640000', 18) // '1'
 * @throws InvalidRequestError when the amount is no whole number or `decimals` is not 0 to 255.
 */
export function toUnits(amount: string | bigint | number, decimals: number): string {
  const whole = parseAmount(amount)
  if (whole === undefined) throw invalidOption('amount', amount, 'hex with 0x, or a whole number')
  if (!Number.isInteger(decimals) || decimals < 0 || decimals > 255)
    throw invalidOption('decimals', decimals, 'a whole number from 0 to 255')
  return formatDecimal({ digits: whole, scale: decimals })
}

function parseAmount(amount: string | bigint | number): bigint | undefined {
  if (typeof amount === 'bigint') return amount
  if (typeof amount === 'number') return Number.isSafeInteger(amount) ? BigInt(amount) : undefined
  return /^(0x[0-9a-f]+|-?[0-9]+)$/i.test(amount) ? BigInt(amount) : undefined
}

/** The last moment that a `Date` can hold, in milliseconds. */
const MAX_TIME = 8_640_000_000_000_000

/**
 * When a liquidity lock opens: `created + duration`, both in seconds. A lock beyond the year 275760, the last of a `Date`, opens at its end.
 * @example unlocksAt(lock) < new Date()
 */
export function unlocksAt(lock: Pick<LiquidityLock, 'created' | 'duration'>): Date {
  return new Date(Math.min((lock.created + lock.duration) * 1000, MAX_TIME))
}
