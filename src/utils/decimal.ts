/** An exact decimal number: `digits` divided by ten to the power of `scale`. */
export interface Decimal {
  readonly digits: bigint
  readonly scale: number
}

/** Longer texts are not parsed, because that takes quadratic time. */
const MAX_LENGTH = 400
const PATTERN = /^(\d+)(?:\.(\d*))?(?:e([+-]?\d{1,2}))?$/i

/** Parses a decimal text of 0 or more, with or without an exponent; undefined for anything else. */
export function parseDecimal(text: unknown): Decimal | undefined {
  const match = typeof text === 'string' && text.length <= MAX_LENGTH ? PATTERN.exec(text) : null
  if (match === null) return undefined
  const [, whole = '', fraction = '', exponent = '0'] = match
  const scale = fraction.length - Number(exponent)
  const digits = BigInt(whole + fraction)
  return scale < 0 ? { digits: digits * 10n ** BigInt(-scale), scale: 0 } : { digits, scale }
}

export function multiply(one: Decimal, other: Decimal): Decimal {
  return { digits: one.digits * other.digits, scale: one.scale + other.scale }
}

export function add(one: Decimal, other: Decimal): Decimal {
  const scale = Math.max(one.scale, other.scale)
  return { digits: digitsAt(one, scale) + digitsAt(other, scale), scale }
}

/** Negative if `one` is smaller, positive if it is greater, else 0. */
export function compare(one: Decimal, other: Decimal): number {
  const scale = Math.max(one.scale, other.scale)
  const difference = digitsAt(one, scale) - digitsAt(other, scale)
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}

/** The exact decimal text, without trailing zeros. */
export function formatDecimal({ digits, scale }: Decimal): string {
  const text = (digits < 0n ? -digits : digits).toString().padStart(scale + 1, '0')
  const whole = text.slice(0, text.length - scale)
  const fraction = text.slice(text.length - scale).replace(/0+$/, '')
  return `${digits < 0n ? '-' : ''}${whole}${fraction && `.${fraction}`}`
}

function digitsAt({ digits, scale }: Decimal, wanted: number): bigint {
  return digits * 10n ** BigInt(wanted - scale)
}
