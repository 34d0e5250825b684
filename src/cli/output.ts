import { creditsToUsd } from 'etn-market'
import { trimEnd } from '../utils/runtime.ts'

/** A whole number with separators, such as `201,600`. */
export function formatCount(count: number): string {
  return Math.round(count).toLocaleString('en-US')
}

/** Such as `1 request` and `2,880 requests`. Whatever is counted is written by it. */
export function formatItems(count: number, noun: string): string {
  const text = formatCount(count)
  return `${text} ${noun}${text === '1' ? '' : noun.endsWith('s') ? 'es' : 's'}`
}

/** US dollars, below one with as many digits as a credit needs: `$0.00005` and `$12.40`. */
export function formatUsd(usd: number): string {
  if (Math.abs(usd) < 1) return `$${trimEnd(trimEnd(usd.toFixed(6), '0'), '.')}`
  return `$${usd.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`
}

/** Credits and what they are in US dollars, such as `50 credits ($0.00005)`. */
export function formatCredits(min: number, max = min): string {
  const [leastUsd, mostUsd] = [formatUsd(creditsToUsd(min)), formatUsd(creditsToUsd(max))]
  if (min === max) return `${formatItems(max, 'credit')} (${mostUsd})`
  return `${formatCount(min)} to ${formatCount(max)} credits (${leastUsd} to ${mostUsd})`
}

/** A decimal text with six significant digits and without an exponent; `-` for none. */
export function formatDecimal(value: string | number | null | undefined, digits = 6): string {
  const number = value === null || value === undefined || value === '' ? Number.NaN : Number(value)
  return Number.isFinite(number) ? number.toLocaleString('en-US', { maximumSignificantDigits: digits }) : '-'
}

/** Such as `+1.25 %`. */
export function formatChange(percent: number | null): string {
  return percent === null ? '-' : `${percent > 0 ? '+' : ''}${percent.toFixed(2)} %`
}
