/** A decimal number: `digits` × 10^-`scale`. */
export interface Decimal {
  readonly digits: bigint
  readonly scale: number
}

/** A change between two numbers, relative or absolute. */
export type Change = { readonly percent: Decimal } | { readonly absolute: Decimal }

/** Larger exponents are no price, and their digits would fill the memory. */
const MAX_EXPONENT = 400
const PATTERN = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i

/** Reads a decimal text or a number exactly; undefined if it is neither. */
export function parseDecimal(value: unknown): Decimal | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined
  const [, sign, whole, fraction = '', exponent = '0'] = PATTERN.exec(String(value)) ?? []
  if (whole === undefined || Math.abs(Number(exponent)) > MAX_EXPONENT) return undefined
  const scale = fraction.length - Number(exponent)
  const digits = BigInt(whole + fraction) * (sign ? -1n : 1n)
  return scale < 0 ? { digits: digits * 10n ** BigInt(-scale), scale: 0 } : { digits, scale }
}

/** Below 0 if `a` is smaller than `b`, 0 if they are equal, above 0 if it is greater. */
export function compareDecimals(a: Decimal, b: Decimal): number {
  const { digits } = subtract(a, b)
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

function subtract(a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale)
  return { digits: digitsAt(a, scale) - digitsAt(b, scale), scale }
}

function digitsAt({ digits, scale }: Decimal, wanted: number): bigint {
  return digits * 10n ** BigInt(wanted - scale)
}

function absolute({ digits, scale }: Decimal): Decimal {
  return { digits: digits < 0n ? -digits : digits, scale }
}
