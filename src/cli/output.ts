import { creditsToUsd } from 'etn-market'
import type { Colors } from 'picocolors/types'

export type { Colors }

/** JSON with two spaces. C1 control characters, which `JSON.stringify` leaves alone, are escaped. */
export function toJson(value: unknown): string {
  return escapeControls(JSON.stringify(value, undefined, 2) ?? 'null')
}

/** JSON on one line. */
export function toJsonLine(value: unknown): string {
  return escapeControls(JSON.stringify(value) ?? 'null')
}

function escapeControls(json: string): string {
  return json.replace(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** A whole number with separators, such as `201,600`. */
export function formatCount(count: number): string {
  return Math.round(count).toLocaleString('en-US')
}

/** US dollars, below one with as many digits as a credit needs: `$0.00005` and `$12.40`. */
export function formatUsd(usd: number): string {
  if (Math.abs(usd) < 1) return `$${usd.toFixed(6).replace(/\.?0+$/, '')}`
  return `$${usd.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`
}

/** Credits and what they are in US dollars, such as `50 credits ($0.00005)`. */
export function formatCredits(min: number, max = min): string {
  const [leastUsd, mostUsd] = [formatUsd(creditsToUsd(min)), formatUsd(creditsToUsd(max))]
  if (min === max) return `${formatCount(max)} credits (${mostUsd})`
  return `${formatCount(min)} to ${formatCount(max)} credits (${leastUsd} to ${mostUsd})`
}

/** A decimal text with six significant digits and without an exponent; `-` for none. */
export function formatDecimal(value: string | number | null | undefined, digits = 6): string {
  const number = value === null || value === undefined || value === '' ? Number.NaN : Number(value)
  return Number.isFinite(number) ? number.toLocaleString('en-US', { maximumSignificantDigits: digits }) : '-'
}
