import { createPriceFeed } from 'etn-market/feed'
import { createVirtualClock } from '../../support/clock.ts'
import { createChargingClient, type Ledger } from './ledger.ts'
import type { Shape } from './shapes.ts'

/** Credits of the feed for a workload. Consumers watch the feed, and look-ups read from it. */
export async function runFeed({ consumers, lookUps, durationMs }: Shape): Promise<Ledger> {
  const clock = createVirtualClock()
  const { client, ledger } = createChargingClient()
  const feed = createPriceFeed(client, { clock })
  const start = clock.now()
  const tasks = consumers.flatMap(({ addresses, everyMs, spans }) =>
    spans.flatMap(({ from, to }) => {
      const controller = new AbortController()
      const begin = () => void feed.watch(addresses, { everyMs, onPrice: () => {}, signal: controller.signal })
      return [
        { at: from, run: begin },
        { at: to, run: () => controller.abort() },
      ]
    }),
  )
  tasks.push(
    ...lookUps.map(({ at, addresses, maxAgeMs }) => ({ at, run: () => void feed.prices(addresses, { maxAgeMs }) })),
  )
  tasks.sort((a, b) => a.at - b.at)
  for (const { at, run } of tasks) {
    if (start + at > clock.now()) await clock.advance(start + at - clock.now())
    run()
  }
  // What is bought at the end is for the time after it.
  await clock.advance(start + durationMs - 1 - clock.now())
  const result = { ...ledger }
  await feed.close()
  return result
}
