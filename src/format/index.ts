/**
 * Prices as text for people: significant digits, and zeros counted.
 *
 * @module etn-market/format
 */

import { requireKnown } from '../utils/known-options.ts'

/** Options of `formatPrice`. */
export interface FormatPriceOptions {
  /** The text before the number. @default '$' */
  symbol?: string | undefined
  /** Significant digits, 1 to 100; what is no number is the default. The whole part is never shortened, and from 1 on there are two decimals at least. @default 4 */
  digits?: number | undefined
  /** The text for null, undefined, and what is no number. @default '–' */
  none?: string | undefined
}

const PATTERN = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i
/** So many zeros after the point are counted instead of written. */
const MIN_COUNTED_ZEROS = 4
const MIN_DECIMALS = 2
const MAX_DIGITS = 100
const DEFAULT_DIGITS = 4
/** More zeros would fill the memory, and are no price. */
const MAX_EXPONENT = 400
const GROUP = 3
const SUBSCRIPT_ZERO = 0x2080

/**
 * A price as people read it: thousands are grouped, small prices have significant digits, and from four zeros after the point on their number
 * is a subscript. Takes the decimal texts of the service, of any length, and rounds them exactly: half a unit away from zero.
 * @example
 * formatPrice('0.0000000624') // '$0.0₇624'
 * formatPrice('0.01930541') // '$0.01931'
 * formatPrice('1234567.891') // '$1,234,567.89'
 * formatPrice(price?.etn, { symbol: '' }) // '–' while there is no price
 * @throws TypeError for an unknown option
 */
export function formatPrice(price: string | number | null | undefined, options: FormatPriceOptions = {}): string {
  requireKnown('format option', options, ['symbol', 'digits', 'none'])
  const { symbol = '$', digits: wanted = DEFAULT_DIGITS, none = '–' } = options
  const [, sign, whole, fraction = '', exponent = '0'] = PATTERN.exec(String(price)) ?? []
  if (whole === undefined || Number(exponent) > MAX_EXPONENT) return none
  const all = whole + fraction
  let zeros = 0
  while (all[zeros] === '0') zeros++
  if (zeros === all.length) return `${symbol}0`
  // The number is 0.digits, with the point moved by so many places to the right.
  const places = whole.length + Number(exponent) - zeros
  const significant = Math.min(MAX_DIGITS, Math.max(1, Math.trunc(Number.isNaN(wanted) ? DEFAULT_DIGITS : wanted)))
  const kept = places > 0 ? Math.max(places + MIN_DECIMALS, significant) : significant
  const rounded = round(all.slice(zeros), kept)
  return `${sign}${symbol}${write(rounded.digits, places + rounded.carried)}`
}

/** Rounds to so many digits. A carry out of the first one moves the point. */
function round(digits: string, length: number): { readonly digits: string; readonly carried: 0 | 1 } {
  const isUp = (digits[length] ?? '0') >= '5'
  // What does not change the number: zeros, and nines that become zeros.
  const dropped = isUp ? '9' : '0'
  let end = Math.min(length, digits.length)
  while (end > 0 && digits[end - 1] === dropped) end--
  if (!isUp) return { digits: digits.slice(0, end), carried: 0 }
  if (end === 0) return { digits: '1', carried: 1 }
  return { digits: digits.slice(0, end - 1) + (Number(digits[end - 1]) + 1), carried: 0 }
}

/** Writes 0.digits with the point moved by `places`. */
function write(digits: string, places: number): string {
  if (places > 0) return `${group(digits.slice(0, places).padEnd(places, '0'))}.${decimals(digits.slice(places))}`
  if (places > -MIN_COUNTED_ZEROS) return `0.${decimals('0'.repeat(-places) + digits)}`
  return `0.0${subscript(-places)}${digits}`
}

const decimals = (digits: string) => digits.padEnd(MIN_DECIMALS, '0')

function group(whole: string): string {
  const first = whole.length % GROUP || GROUP
  const groups = [whole.slice(0, first)]
  for (let at = first; at < whole.length; at += GROUP) groups.push(whole.slice(at, at + GROUP))
  return groups.join(',')
}

function subscript(count: number): string {
  return Array.from(String(count), (digit) => String.fromCharCode(SUBSCRIPT_ZERO + Number(digit))).join('')
}
