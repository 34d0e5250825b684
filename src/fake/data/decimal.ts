import { parseDecimal } from '../../utils/decimal.ts'
import { trimEnd } from '../../utils/runtime.ts'
import { FakeUsageError, show } from '../rules/check.ts'

const PLACES = 30
export const ONE = 10n ** 30n
const SIGNIFICANT = 25

/** A fixed-point integer as a decimal string of up to 25 significant digits, truncated. */
export function toDecimal(value: bigint): string {
  const digits = value.toString()
  const surplus = digits.length - SIGNIFICANT
  const cut = surplus > 0 ? digits.slice(0, SIGNIFICANT) + '0'.repeat(surplus) : digits
  const padded = cut.padStart(PLACES + 1, '0')
  const whole = padded.slice(0, padded.length - PLACES)
  const fraction = trimEnd(padded.slice(padded.length - PLACES), '0')
  return fraction === '' ? whole : `${whole}.${fraction}`
}

/** The fixed-point integer of a decimal text, or of a double in its shortest decimal form. What is no decimal is 0. */
export function fixedPoint(value: unknown): bigint {
  const { digits, scale } = parseDecimal(value) ?? { digits: 0n, scale: 0 }
  return scale > PLACES ? digits / 10n ** BigInt(scale - PLACES) : digits * 10n ** BigInt(PLACES - scale)
}

/** Bounds of prices in USD: the quotient of two has at most 30 decimal places. */
export const MIN_PRICE = 1e-18
export const MAX_PRICE = 1e12

/** The fixed-point integer of a positive decimal of the user, as text or as a number. */
export function readDecimal(name: string, value: unknown): bigint {
  const text = typeof value === 'number' ? trimEnd(trimEnd(value.toFixed(20), '0'), '.') : value
  const amount = typeof text === 'string' && /^\d{1,30}(\.\d{1,30})?$/.test(text) ? fixedPoint(text) : 0n
  if (amount === 0n)
    throw new FakeUsageError(
      `${name} is a decimal above 0 with at most 30 places, for example '0.019', not ${show(value)}.`,
    )
  if (amount >= fixedPoint(MIN_PRICE) && amount <= fixedPoint(MAX_PRICE)) return amount
  throw new FakeUsageError(`${name} is from 0.${'0'.repeat(17)}1 to 1${'0'.repeat(12)}, not ${show(value)}.`)
}
