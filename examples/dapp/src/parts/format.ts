import { formatPrice as formatExactPrice } from 'etn-market/format'

const compactMoney = new Intl.NumberFormat('en', {
  notation: 'compact',
  style: 'currency',
  currency: 'USD',
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
})
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 4 })
const money = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' })
const day = new Intl.DateTimeFormat('en', { dateStyle: 'medium' })
const moment = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' })
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 2, minimumFractionDigits: 2 })
const time = new Intl.DateTimeFormat('en', { timeStyle: 'short' })
const beginning = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' })
const plain = new Intl.NumberFormat('en', { maximumFractionDigits: 2 })

export const NONE = '–'

/** Prices are exact decimal texts; these functions round them for people. */
export function formatPrice(price: string | number | null | undefined, currency: 'USD' | 'ETN' = 'USD'): string {
  if (currency === 'USD' || price === null || price === undefined) return formatExactPrice(price)
  return `${formatEtn(price)} ETN`
}

/** Without the unit, for a column that names it. */
export const formatEtn = (price: string | number | null | undefined) => formatExactPrice(price, { symbol: '' })

export const formatMoney = (usd: number) => money.format(usd)
export const formatCompact = (value: number) => compact.format(value)
export const formatCompactUsd = (usd: number) => compactMoney.format(usd)
export const formatNumber = (value: number) => plain.format(value)
export const formatChange = (share: number) => percent.format(share)
export const formatDay = (date: Date) => day.format(date)
export const formatTime = (date: Date) => time.format(date)
/** When a candle begins: the year is that of the others. */
export const formatBeginning = (date: Date) => beginning.format(date)
export const formatMoment = (date: Date) => moment.format(date)
export const shorten = (address: string) => `${address.slice(0, 6)}…${address.slice(-4)}`

const UNITS = [
  ['year', 31_536_000_000],
  ['month', 2_592_000_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const

/** "in 3 months", "tomorrow", "2 hours ago". From a day on it counts as a calendar does: two dates of one month are never "next month". */
export function formatDistance(date: Date, now = new Date()): string {
  const distance = date.getTime() - now.getTime()
  for (const [unit, length] of UNITS) {
    const count = unit in CALENDAR ? CALENDAR[unit as keyof typeof CALENDAR](date, now) : Math.trunc(distance / length)
    if (Math.abs(distance) >= length && count !== 0) return relative.format(count, unit)
  }
  return relative.format(Math.trunc(distance / 1_000), 'second')
}

/** How many days, months or years of the calendar one date is behind another, in the time zone of the reader. */
const CALENDAR = {
  year: (date: Date, now: Date) => date.getFullYear() - now.getFullYear(),
  month: (date: Date, now: Date) => 12 * CALENDAR.year(date, now) + date.getMonth() - now.getMonth(),
  // Rounded, because a day on which clocks change has 23 or 25 hours.
  day: (date: Date, now: Date) => Math.round((startOfDay(date) - startOfDay(now)) / 86_400_000),
}

const startOfDay = (date: Date) => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime()

/** "5 days", "40 minutes". */
export function formatSpan(ms: number): string {
  const [unit, length] = UNITS.find(([, each]) => ms >= each) ?? (['second', 1_000] as const)
  return new Intl.NumberFormat('en', { style: 'unit', unit, unitDisplay: 'long', maximumFractionDigits: 0 }).format(
    ms / length,
  )
}
