import { createPriceFeed } from 'etn-market/feed'
import { instantClient } from '../../economics/simulate.ts'
import { createVirtualClock } from '../../support/clock.ts'
import { createRandom } from '../../support/random.ts'

const MIN_INTERVAL_MS = 10_000
const MAX_INTERVAL_MS = 3_600_000
/** Twenty minutes stand for a day: once all watches have started, the load is constant. */
const SIMULATED_MS = 1_200_000
const DAY_MS = 86_400_000

export interface ManyWatchersResult {
  readonly cpuSecondsPerDay: number
  readonly cpuMicrosecondsPerPurchase: number
  readonly creditsPerDay: number
  readonly onePerConsumer: number
  readonly heapMB: number
}

/** Many watchers of many tokens. The client responds at once, so that the figures are those of the feed. */
export async function manyWatchers(watchers: number, tokenCount: number): Promise<ManyWatchersResult> {
  const clock = createVirtualClock()
  const random = createRandom(11)
  const addresses = Array.from({ length: tokenCount }, (_, index) => `0x${(index + 1).toString(16).padStart(40, '0')}`)
  const bought = { credits: 0, purchases: 0 }
  globalThis.gc?.()
  const heap = process.memoryUsage().heapUsed
  const feed = createPriceFeed(
    instantClient(() => undefined),
    {
      clock,
      onEvent: (event) => {
        if (event.type !== 'feed.bought') return
        bought.credits += event.credits
        bought.purchases += event.addresses.length
      },
    },
  )
  for (let index = 0; index < watchers; index++) {
    const address = addresses[Math.floor(random() * tokenCount)] ?? ''
    const everyMs = Math.round(MIN_INTERVAL_MS * (MAX_INTERVAL_MS / MIN_INTERVAL_MS) ** random())
    feed.watch(address, { everyMs, onPrice: () => {} })
  }
  await clock.advance(60_000)
  const onePerConsumer = feed.explain({ calls: 1 }).onePerConsumer.creditsPerDay
  Object.assign(bought, { credits: 0, purchases: 0 })
  const before = process.cpuUsage()
  await clock.advance(SIMULATED_MS)
  const { user, system } = process.cpuUsage(before)
  const days = SIMULATED_MS / DAY_MS
  globalThis.gc?.()
  const result = {
    cpuSecondsPerDay: (user + system) / 1e6 / days,
    cpuMicrosecondsPerPurchase: (user + system) / bought.purchases,
    creditsPerDay: bought.credits / days,
    onePerConsumer,
    heapMB: (process.memoryUsage().heapUsed - heap) / 1e6,
  }
  await feed.close()
  return result
}
