import { createRandom } from '../../test/support/random.ts'

export const MINUTE = 60_000
export const DAY = 1_440 * MINUTE

/** Somebody who wants prices for a while, never older than `everyMs`. */
export interface Consumer {
  readonly name: string
  readonly addresses: readonly string[]
  readonly everyMs: number
  /** Milliseconds since the day began. */
  readonly spans: readonly { readonly from: number; readonly to: number }[]
}

/** A single look-up that takes prices no older than `maxAgeMs`. */
export interface View {
  readonly at: number
  readonly addresses: readonly string[]
  readonly maxAgeMs: number
}

export interface Workload {
  readonly consumers: readonly Consumer[]
  readonly views: readonly View[]
}

/**
 * A day of one program: a page with nine tokens every 10 minutes while someone looks (sixteen half hours), alerts on fourteen
 * tokens every 5 minutes, a swap watcher with one, and 40 views of portfolios of 30 tokens each. The groups overlap, and
 * nobody starts at the same moment.
 */
export function day(seed: number, tokens: readonly string[]): Workload {
  const random = createRandom(seed)
  const halfHours = Array.from({ length: 16 }, (_, hour) => {
    const from = Math.floor((hour * 90 + random() * 60) * MINUTE)
    return { from, to: from + 30 * MINUTE }
  })
  const always = () => [{ from: Math.floor(random() * 5 * MINUTE), to: DAY }]
  const portfolios = Array.from({ length: 5 }, () => sample(tokens.slice(0, 50), 30, random))
  return {
    consumers: [
      { name: 'page', addresses: tokens.slice(0, 9), everyMs: 10 * MINUTE, spans: halfHours },
      { name: 'alerts', addresses: tokens.slice(4, 18), everyMs: 5 * MINUTE, spans: always() },
      { name: 'swap', addresses: tokens.slice(0, 1), everyMs: 5 * MINUTE, spans: always() },
    ],
    views: Array.from({ length: 40 }, (_, index) => ({
      at: Math.floor(random() * DAY),
      addresses: portfolios[index % portfolios.length] ?? [],
      maxAgeMs: 5 * MINUTE,
    })).sort((a, b) => a.at - b.at),
  }
}

function sample(from: readonly string[], count: number, random: () => number): string[] {
  const left = [...from]
  return Array.from({ length: count }, () => left.splice(Math.floor(random() * left.length), 1)[0] ?? '')
}
