/** The ticks of a feed: what is bought when, with a look-up, a late answer and a watch that joins. */

import { scaleLinear } from 'd3-scale'
import { createClient } from 'etn-market'
import { createFakeService } from 'etn-market/fake'
import { createPriceFeed } from 'etn-market/feed'
import { createVirtualClock } from '../../../test/support/clock.ts'
import { count, line, MARGIN, text, toSvg } from './svg.ts'

const MINUTE = 60_000
const MINUTES = 30
const FAST = { tokens: 6, everyMs: 2 * MINUTE }
const SLOW = { tokens: 40, everyMs: 10 * MINUTE }
const JOINING = { tokens: 3, everyMs: 5 * MINUTE, at: 12.5 }
const LOOK_UP_AT = 7.6
const LATE_FROM = 19
const LATE_MS = 15_000

/** A request: when it was sent, minutes since the start, and how many tokens of each watch it bought. */
export interface Purchase {
  readonly at: number
  readonly answeredAt: number
  readonly fast: number
  readonly slow: number
  readonly joining: number
  readonly other: number
}

export async function simulateTicks(): Promise<{ purchases: readonly Purchase[]; credits: number }> {
  const clock = createVirtualClock(Date.UTC(2026, 10, 20))
  const fake = createFakeService({ clock })
  const setup = createClient({ apiKey: fake.key, fetch: fake.fetch, clock })
  const tokens = (await setup.token.list({ limit: 60 })).map(({ address }) => address)
  await setup.close()
  const start = clock.now()
  const minutes = () => (clock.now() - start) / MINUTE
  const purchases: Purchase[] = []
  const groups = {
    fast: tokens.slice(0, FAST.tokens),
    slow: tokens.slice(FAST.tokens, FAST.tokens + SLOW.tokens),
    joining: tokens.slice(50, 50 + JOINING.tokens),
  }
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init)
    const at = minutes()
    if (at > LATE_FROM && at < LATE_FROM + 2) await clock.sleep(LATE_MS)
    const asked = decodeURIComponent(request.url).toLowerCase()
    const of = (addresses: readonly string[]) => addresses.filter((one) => asked.includes(one.toLowerCase())).length
    const [fast, slow, joining] = [of(groups.fast), of(groups.slow), of(groups.joining)]
    const other = fast + slow + joining === 0 || asked.includes((tokens[59] ?? '').toLowerCase()) ? 1 : 0
    purchases.push({ at, answeredAt: minutes(), fast, slow, joining, other })
    return fake.fetch(request)
  }
  const client = createClient({ apiKey: fake.key, fetch, clock, timeoutMs: MINUTE })
  const before = fake.charged()
  const feed = createPriceFeed(client, { clock })
  const onPrice = () => {}
  feed.watch(groups.fast, { everyMs: FAST.everyMs, onPrice })
  feed.watch(groups.slow, { everyMs: SLOW.everyMs, onPrice })
  await clock.advance(LOOK_UP_AT * MINUTE)
  void feed.price(tokens[59] ?? '')
  await clock.advance((JOINING.at - LOOK_UP_AT) * MINUTE)
  feed.watch(groups.joining, { everyMs: JOINING.everyMs, onPrice })
  await clock.advance((MINUTES - JOINING.at) * MINUTE)
  const credits = fake.charged() - before
  await feed.close()
  await client.close()
  await fake.close()
  return { purchases, credits }
}

const WIDTH = 840
const HEIGHT = 330
const ROWS = [
  { name: `${FAST.tokens} tokens, every 2 min`, key: 'fast', y: 100 },
  { name: `${SLOW.tokens} tokens, every 10 min`, key: 'slow', y: 150 },
  { name: `${JOINING.tokens} tokens, every 5 min`, key: 'joining', y: 200 },
  { name: 'a look-up', key: 'other', y: 250 },
] as const

export function drawTicks({ purchases, credits }: Awaited<ReturnType<typeof simulateTicks>>): string {
  const x = scaleLinear([0, MINUTES], [200, WIDTH - 40])
  const marks = purchases.flatMap((purchase) => [
    line('axis dashed', x(purchase.at), 78, x(purchase.at), 262),
    ...ROWS.flatMap(({ key, y }) => {
      if (purchase[key] === 0) return []
      const width = Math.max(6, x(purchase.answeredAt) - x(purchase.at))
      return [
        `<rect class="b" x="${(x(purchase.at) - 3).toFixed(1)}" y="${y - 12}" width="${width.toFixed(1)}" height="16"/>`,
      ]
    }),
  ])
  return toSvg({
    width: WIDTH,
    height: HEIGHT,
    title: 'Half an hour of a timetable',
    description: `Each dashed line is one purchase of a simulated feed. Six tokens are bought every 2 minutes, and forty others at every fifth of these ticks. A look-up takes a tick along, a late answer shifts none, and a watch that joins is bought at once and then with the ticks. In all ${count(credits)} credits.`,
    parts: [
      text({ x: MARGIN, y: 58 }, 'What is bought, and when: one line for each purchase'),
      ...ROWS.map(({ name, y }) => text({ x: MARGIN, y }, name)),
      ...marks,
      text({ x: x(LATE_FROM + 1.2), y: 78, class: 'strong' }, 'a late answer'),
      ...[0, 5, 10, 15, 20, 25, 30].map((minute) =>
        text({ x: x(minute), y: 290, 'text-anchor': 'middle' }, `${minute} min`),
      ),
      text({ x: MARGIN, y: 312, class: 'strong' }, `${purchases.length} purchases, ${count(credits)} credits`),
    ],
  })
}
