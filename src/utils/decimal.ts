import { trimEnd } from './runtime.ts'

/** An exact decimal number: `digits` divided by ten to the power of `scale`. */
export interface Decimal {
  readonly digits: bigint
  readonly scale: number
}

/** A change between two numbers, relative or absolute. */
export type Change = { readonly percent: Decimal } | { readonly absolute: Decimal }

/** Longer texts and larger exponents are no price: to parse them takes quadratic time, and their digits fill the memory. */
const MAX_LENGTH = 400
const PATTERN = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i

/** Reads a decimal text or a number exactly; undefined if it is neither. */
export function parseDecimal(value: unknown): Decimal | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined
  const text = String(value)
  const [, sign, whole, fraction = '', exponent = '0'] = (text.length <= MAX_LENGTH && PATTERN.exec(text)) || []
  if (whole === undefined || Math.abs(Number(exponent)) > MAX_LENGTH) return undefined
  const scale = fraction.length - Number(exponent)
  const digits = BigInt(whole + fraction) * (sign ? -1n : 1n)
  return scale < 0 ? { digits: digits * 10n ** BigInt(-scale), scale: 0 } : { digits, scale }
}

export function multiply(one: Decimal, other: Decimal): Decimal {
  return { digits: one.digits * other.digits, scale: one.scale + other.scale }
}

export function add(one: Decimal, other: Decimal): Decimal {
  const scale = Math.max(one.scale, other.scale)
  return { digits: digitsAt(one, scale) + digitsAt(other, scale), scale }
}

/** Below 0 if `one` is smaller, 0 if they are equal, above 0 if it is greater. */
export function compareDecimals(one: Decimal, other: Decimal): number {
  const { digits } = subtract(one, other)
  return digits < 0n ? -1 : digits > 0n ? 1 : 0
}

/** Whether two numbers differ, and by at least `change`. A percentage is one of `from`. */
export function hasMovedBy(from: Decimal, to: Decimal, change: Change): boolean {
  const difference = absolute(subtract(to, from))
  if (difference.digits === 0n) return false
  if ('absolute' in change) return compareDecimals(difference, change.absolute) >= 0
  const { percent } = change
  const least = { digits: absolute(from).digits * percent.digits, scale: from.scale + percent.scale + 2 }
  return compareDecimals(difference, least) >= 0
}

/** The exact decimal text, without trailing zeros. */
export function formatDecimal({ digits, scale }: Decimal): string {
  const text = (digits < 0n ? -digits : digits).toString().padStart(scale + 1, '0')
  const whole = text.slice(0, text.length - scale)
  const fraction = trimEnd(text.slice(text.length - scale), '0')
  return `${digits < 0n ? '-' : ''}${whole}${fraction && `.${fraction}`}`
}

function subtract(one: Decimal, other: Decimal): Decimal {
  return add(one, { digits: -other.digits, scale: other.scale })
}

function digitsAt({ digits, scale }: Decimal, wanted: number): bigint {
  return digits * 10n ** BigInt(wanted - scale)
}

function absolute({ digits, scale }: Decimal): Decimal {
  return { digits: digits < 0n ? -digits : digits, scale }
}
