import { trimEnd } from '../../utils/runtime.ts'

/** Decimal places of the fixed-point integers for prices. */
const PLACES = 30
export const ONE = 10n ** 30n
const SIGNIFICANT = 25

/** A fixed-point integer as a decimal string of up to 25 significant digits, truncated. */
export function toDecimal(value: bigint, places: number = PLACES): string {
  const digits = value.toString()
  const surplus = digits.length - SIGNIFICANT
  const cut = surplus > 0 ? digits.slice(0, SIGNIFICANT) + '0'.repeat(surplus) : digits
  const padded = cut.padStart(places + 1, '0')
  const whole = padded.slice(0, padded.length - places)
  const fraction = trimEnd(padded.slice(padded.length - places), '0')
  return fraction === '' ? whole : `${whole}.${fraction}`
}

/** The fixed-point integer of a decimal string like `0.00221`. */
export function fromDecimal(text: string, places: number = PLACES): bigint {
  const [whole = '0', fraction = ''] = text.split('.')
  return BigInt(whole + fraction.padEnd(places, '0').slice(0, places))
}
