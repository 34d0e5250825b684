/** Calls of a client while the service answers 429 once: who waits, who goes first, and that the others follow. */

import { scaleLinear } from 'd3-scale'
import { createClient } from 'etn-market'
import { createFakeService, fakeTokens } from 'etn-market/fake'
import { createVirtualClock } from '../../../test/support/clock.ts'
import { element, line, MARGIN, text, toSvg } from './svg.ts'

const CALLS = 24
const EVERY_MS = 500
const REFUSED_AT_MS = 3_000
const RETRY_AFTER_S = 5
const ANSWER_MS = 120

export interface Recovery {
  /** Of each call, in milliseconds since the start: when it was made, its requests, when it resolved. */
  readonly calls: readonly { made: number; sent: number[]; refused: number[]; resolved: number }[]
}

export async function simulateRecovery(): Promise<Recovery> {
  const clock = createVirtualClock()
  const start = clock.now()
  const now = () => clock.now() - start
  const fake = createFakeService({ clock })
  fake.fault({ times: Number.POSITIVE_INFINITY, delayMs: ANSWER_MS })
  const ids: string[] = []
  const calls: { made: number; sent: number[]; refused: number[]; resolved: number }[] = []
  const client = createClient({
    apiKey: fake.key,
    fetch: fake.fetch,
    clock,
    onEvent(event) {
      if (event.type === 'call.started') ids.push(event.callId)
      if (event.type === 'request.sent') calls[ids.indexOf(event.callId)]?.sent.push(now())
      if (event.type === 'request.failed') calls[ids.indexOf(event.callId)]?.refused.push(now())
    },
  })
  const address = fakeTokens.BOLT
  const pending: Promise<unknown>[] = []
  for (let call = 0; call < CALLS; call++) {
    if (call * EVERY_MS === REFUSED_AT_MS) fake.fault({ status: 429, retryAfter: RETRY_AFTER_S, delayMs: ANSWER_MS })
    const made = { made: now(), sent: [], refused: [], resolved: 0 }
    calls.push(made)
    pending.push(
      // Different calls: equal ones would share a request.
      client.token.candles({ address, limit: call + 1 }).then(() => {
        calls[call] = { ...made, resolved: now() }
      }),
    )
    await clock.advance(EVERY_MS)
  }
  await clock.advance(30_000)
  await Promise.all(pending)
  await client.close()
  await fake.close()
  return { calls }
}

const WIDTH = 840
const HEIGHT = 420

export function drawRecovery({ calls }: Recovery): string {
  const end = Math.max(...calls.map(({ resolved }) => resolved)) + 400
  const x = scaleLinear([0, end], [40, WIDTH - MARGIN])
  const y = scaleLinear([0, calls.length - 1], [96, HEIGHT - 62])
  const refused = Math.min(...calls.flatMap((call) => call.refused))
  const again = Math.min(...calls.flatMap(({ sent }) => sent.filter((at) => at > refused)))
  const rows = calls.flatMap(({ made, sent, refused, resolved }, index) => [
    line('line-c', x(made), y(index), x(resolved), y(index)).replace('/>', ' style="stroke-width:1.5"/>'),
    ...sent.map((at) => element('circle', { class: 'a', cx: x(at), cy: y(index), r: 3.5 })),
    ...refused.map((at) => element('circle', { class: 'bad', cx: x(at), cy: y(index), r: 4.5 })),
    element('rect', { class: 'good', x: x(resolved) - 3, y: y(index) - 3, width: 6, height: 6 }),
  ])
  const seconds = x.ticks(8).map((at) => text({ x: x(at), y: HEIGHT - 34, 'text-anchor': 'middle' }, `${at / 1_000} s`))
  const legend = [
    [element('circle', { class: 'a', cx: 46, cy: HEIGHT - 14, r: 3.5 }), 56, 'request sent'],
    [element('circle', { class: 'bad', cx: 166, cy: HEIGHT - 14, r: 4.5 }), 176, '429'],
    [element('rect', { class: 'good', x: 223, y: HEIGHT - 17, width: 6, height: 6 }), 236, 'call resolved'],
  ] as const
  return toSvg({
    width: WIDTH,
    height: HEIGHT,
    title: 'After a 429, all calls of the key wait; one goes first, the others follow',
    description: `A call every half second, one line each. The service answers one request with 429 and Retry-After: ${RETRY_AFTER_S}. No request is sent until then; then one is sent, and after its success more and more of those that wait. Every call resolves.`,
    parts: [
      `<rect class="shade" x="${x(refused).toFixed(1)}" y="72" width="${(x(again) - x(refused)).toFixed(1)}" height="${HEIGHT - 122}"/>`,
      text(
        { x: (x(refused) + x(again)) / 2, y: 66, 'text-anchor': 'middle' },
        `cool-down: Retry-After: ${RETRY_AFTER_S}`,
      ),
      ...rows,
      ...seconds,
      ...legend.flatMap(([mark, at, label]) => [mark, text({ x: at, y: HEIGHT - 10 }, label)]),
    ],
  })
}
