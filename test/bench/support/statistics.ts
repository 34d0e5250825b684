/** The median and the quartiles. */
export interface Spread {
  readonly median: number
  readonly low: number
  readonly high: number
}

export function spreadOf(list: readonly number[]): Spread {
  const sorted = list.toSorted((a, b) => a - b)
  const at = (share: number) => {
    const place = share * (sorted.length - 1)
    const [below, above] = [sorted[Math.floor(place)] ?? Number.NaN, sorted[Math.ceil(place)] ?? Number.NaN]
    return below + (above - below) * (place % 1)
  }
  return { median: at(0.5), low: at(0.25), high: at(0.75) }
}

export function showSpread({ median, low, high }: Spread, show: (value: number) => string): string {
  return `${show(median)} (${show(low)} to ${show(high)})`
}
