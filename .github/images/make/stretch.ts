/** A day of a feed whose budget is too small for its pages: how often each watch gets prices, and what that costs. */

import { scaleLinear } from 'd3-scale'
import { createClient } from 'etn-market'
import { createFakeService } from 'etn-market/fake'
import { createPriceFeed } from 'etn-market/feed'
import { createVirtualClock } from '../../../test/support/clock.ts'
import { count, line, MARGIN, steps, text, toSvg } from './svg.ts'

const MINUTE = 60_000
const HOURS = 24
const DAY_START = Date.UTC(2026, 10, 20)
const CREDITS_PER_DAY = 60_000
const ALERTS = { tokens: 5, everyMs: 10 * MINUTE, atLeastEveryMs: 15 * MINUTE }
const PAGE = { tokens: 30, everyMs: 2 * MINUTE, from: 8, to: 24 }
const SECOND_PAGE = { tokens: 20, everyMs: 2 * MINUTE, from: 12, to: 15 }

export interface Day {
  /** Minutes since midnight, and the minutes between the last two prices then. */
  readonly page: readonly (readonly [at: number, interval: number])[]
  readonly alerts: readonly (readonly [at: number, interval: number])[]
  /** Credits charged at each full hour. */
  readonly spent: readonly number[]
}

export async function simulateStretch(): Promise<Day> {
  const clock = createVirtualClock(DAY_START)
  const fake = createFakeService({ clock, journal: { max: 10 } })
  const client = createClient({ apiKey: fake.key, fetch: fake.fetch, clock })
  const tokens = (await client.token.list({ limit: 55 })).map(({ address }) => address)
  const before = fake.charged()
  const feed = createPriceFeed(client, { clock, budget: { creditsPerDay: CREDITS_PER_DAY } })
  const watch = (wanted: { tokens: number; everyMs: number; atLeastEveryMs?: number }) => {
    const { everyMs, atLeastEveryMs } = wanted
    const addresses = tokens.splice(0, wanted.tokens)
    const prices: [number, number][] = []
    let last: number | undefined
    const onPrice = ({ address, at }: { address: string; at: number }) => {
      if (address !== addresses[0] || at === last) return
      if (last !== undefined) prices.push([minutes(at - DAY_START), minutes(at - last)])
      last = at
    }
    return { prices, running: feed.watch(addresses, { everyMs, atLeastEveryMs, onPrice }) }
  }

  const alerts = watch(ALERTS)
  const spent: number[] = []
  let page: ReturnType<typeof watch> | undefined
  let second: ReturnType<typeof watch> | undefined
  for (let hour = 0; hour <= HOURS; hour++) {
    // The budget of a day ends at midnight.
    const end = Math.min(hour * 60 * MINUTE, HOURS * 60 * MINUTE - 1)
    await clock.advance(Math.max(0, DAY_START + end - clock.now()))
    spent.push(fake.charged() - before)
    if (hour === PAGE.from) page = watch(PAGE)
    if (hour === SECOND_PAGE.from) second = watch(SECOND_PAGE)
    if (hour === SECOND_PAGE.to) second?.running.stop()
  }
  await feed.close()
  await client.close()
  await fake.close()
  return { page: page?.prices ?? [], alerts: alerts.prices, spent }
}

const minutes = (ms: number) => Math.round(ms / 6_000) / 10

const WIDTH = 840
const HEIGHT = 440
const RIGHT = WIDTH - 150

export function drawStretch({ page, alerts, spent }: Day): string {
  const x = scaleLinear([0, HOURS * 60], [70, RIGHT])
  const intervals = scaleLinear([0, 18], [250, 80])
  const credits = scaleLinear([0, CREDITS_PER_DAY], [390, 300])
  const hours = [0, 4, 8, 12, 16, 20, 24].map((hour) =>
    text({ x: x(hour * 60), y: 416, 'text-anchor': 'middle' }, `${hour}:00`),
  )
  const rows = [0, 5, 10, 15].flatMap((value) => [
    line('grid', x(0), intervals(value), RIGHT, intervals(value)),
    text({ x: 62, y: intervals(value) + 4, 'text-anchor': 'end' }, `${value} min`),
  ])
  const at = (points: Day['page']) => points.map(([time, interval]) => [x(time), intervals(interval)] as const)
  const lastOf = (points: Day['page']) => intervals(points.at(-1)?.[1] ?? 0)
  const limit = credits(CREDITS_PER_DAY)
  const bill = spent.map(
    (value, hour) => `${hour === 0 ? 'M' : 'L'}${x(hour * 60).toFixed(1)} ${credits(value).toFixed(1)}`,
  )
  const middle = (from: number, to: number) => x(((from + to) / 2) * 60)
  return toSvg({
    width: WIDTH,
    height: HEIGHT,
    title: 'A budget that is too small stretches the intervals',
    description: `A simulated day of a price feed with ${count(CREDITS_PER_DAY)} credits. While a page wants 30 prices every 2 minutes, it gets them less often; alerts with atLeastEveryMs keep their limit of 15 minutes; the credits charged reach the limit at midnight.`,
    parts: [
      text({ x: MARGIN, y: 58 }, 'Minutes between two prices of a token'),
      `<rect class="shade" x="${x(PAGE.from * 60)}" y="80" width="${x(PAGE.to * 60) - x(PAGE.from * 60)}" height="170"/>`,
      ...rows,
      line('line-c dashed', x(PAGE.from * 60), intervals(2), x(PAGE.to * 60), intervals(2)),
      text({ x: middle(PAGE.from, PAGE.to), y: intervals(2) + 18, 'text-anchor': 'middle' }, 'asked for: every 2 min'),
      text({ x: x(PAGE.from * 60) + 8, y: 98 }, 'a page'),
      text({ x: x(SECOND_PAGE.from * 60) + 8, y: 98 }, 'and another'),
      steps('line-b', at(alerts), RIGHT),
      steps('line-a', at(page), x(PAGE.to * 60)),
      text({ x: x(10), y: intervals(10) - 22, class: 'strong' }, 'alerts: every 10 min,'),
      text({ x: x(10), y: intervals(10) - 6, class: 'strong' }, 'at least every 15 min'),
      text({ x: RIGHT + 8, y: lastOf(page) + 4, class: 'strong' }, 'the page'),
      text({ x: MARGIN, y: 286 }, 'Credits charged'),
      line('axis dashed', x(0), limit, RIGHT, limit),
      text({ x: RIGHT + 8, y: limit + 4 }, `limit: ${count(CREDITS_PER_DAY)}`),
      line('grid', x(0), credits(0), RIGHT, credits(0)),
      `<path class="line-a" d="${bill.join('')}"/>`,
      text({ x: RIGHT + 8, y: limit + 22, class: 'strong' }, `charged: ${count(spent.at(-1) ?? 0)}`),
      ...hours,
    ],
  })
}
