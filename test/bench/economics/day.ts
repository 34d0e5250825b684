import { createClient } from 'etn-market'
import { createFakeService } from 'etn-market/fake'
import { createRunningClock } from '../../support/clock.ts'
import { createRandom } from '../../support/random.ts'

const MINUTE = 60_000
export const DAY = 1_440 * MINUTE

/** A day of one program. Times are milliseconds since its start. */
export interface Day {
  /** Those who need prices during some spans, never older than `everyMs`. */
  readonly consumers: readonly {
    readonly addresses: readonly string[]
    readonly everyMs: number
    readonly spans: readonly { readonly from: number; readonly to: number }[]
  }[]
  readonly lookUps: readonly { readonly at: number; readonly addresses: readonly string[]; readonly maxAgeMs: number }[]
}

/**
 * A page with nine tokens every 10 minutes during sixteen half hours, alerts on fourteen tokens every 5 minutes, a swap watcher with one token,
 * and 40 views of portfolios with 30 tokens each. The groups overlap and start at different moments.
 */
export function createDay(seed: number, tokens: readonly string[]): Day {
  const random = createRandom(seed)
  const halfHours = Array.from({ length: 16 }, (_, hour) => {
    const from = Math.floor((hour * 90 + random() * 60) * MINUTE)
    return { from, to: from + 30 * MINUTE }
  })
  const wholeDay = () => [{ from: Math.floor(random() * 5 * MINUTE), to: DAY }]
  const portfolios = Array.from({ length: 5 }, () => sample(tokens.slice(0, 50), 30, random))
  return {
    consumers: [
      { addresses: tokens.slice(0, 9), everyMs: 10 * MINUTE, spans: halfHours },
      { addresses: tokens.slice(4, 18), everyMs: 5 * MINUTE, spans: wholeDay() },
      { addresses: tokens.slice(0, 1), everyMs: 5 * MINUTE, spans: wholeDay() },
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

/** `count` addresses: first the tokens that the fake service lists, then unlisted ones. */
export async function tokenAddresses(count: number): Promise<string[]> {
  const fake = createFakeService({ clock: createRunningClock() })
  const client = createClient({ apiKey: fake.key, fetch: fake.fetch })
  const listed = await client.token.list({ limit: 100 })
  await client.close()
  const unlisted = Array.from({ length: count }, (_, index) => `0x${(index + 1).toString(16).padStart(40, '0')}`)
  return [...listed.map(({ address }) => address), ...unlisted].slice(0, count)
}
