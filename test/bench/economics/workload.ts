import { createRandom } from '../../support/random.ts'

export const MINUTE = 60_000
export const DAY = 1_440 * MINUTE

/** A consumer that needs prices during some spans, never older than `everyMs`. */
export interface Consumer {
  readonly name: string
  readonly addresses: readonly string[]
  readonly everyMs: number
  /** Milliseconds since the start of the day. */
  readonly spans: readonly { readonly from: number; readonly to: number }[]
}

/** A single look-up that accepts prices no older than `maxAgeMs`. */
export interface LookUp {
  readonly at: number
  readonly addresses: readonly string[]
  readonly maxAgeMs: number
}

export interface Workload {
  readonly consumers: readonly Consumer[]
  readonly lookUps: readonly LookUp[]
}

/**
 * A day of one program: a page with nine tokens every 10 minutes during sixteen half hours, alerts on fourteen tokens every
 * 5 minutes, a swap watcher with one token, and 40 views of portfolios with 30 tokens each. The groups overlap and start at
 * different moments.
 */
export function createDay(seed: number, tokens: readonly string[]): Workload {
  const random = createRandom(seed)
  const halfHours = Array.from({ length: 16 }, (_, hour) => {
    const from = Math.floor((hour * 90 + random() * 60) * MINUTE)
    return { from, to: from + 30 * MINUTE }
  })
  const wholeDay = () => [{ from: Math.floor(random() * 5 * MINUTE), to: DAY }]
  const portfolios = Array.from({ length: 5 }, () => sample(tokens.slice(0, 50), 30, random))
  return {
    consumers: [
      { name: 'page', addresses: tokens.slice(0, 9), everyMs: 10 * MINUTE, spans: halfHours },
      { name: 'alerts', addresses: tokens.slice(4, 18), everyMs: 5 * MINUTE, spans: wholeDay() },
      { name: 'swap', addresses: tokens.slice(0, 1), everyMs: 5 * MINUTE, spans: wholeDay() },
    ],
    lookUps: Array.from({ length: 40 }, (_, index) => ({
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
