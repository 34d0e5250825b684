/** Measures the memory of open streams: the heap of this process, with one reader that waits on each. */

import { createClient } from 'etn-market'
import { createPriceFeed, type FeedClient } from 'etn-market/feed'
import { answerAtOnce, openProxy, readStream } from './market.ts'

const STREAMS = 2_000
const TOKENS = 20

const addresses = Array.from({ length: TOKENS }, (_, index) => `0x${(index + 1).toString(16).padStart(40, '0')}`)

const client = createClient({ apiKey: 'esk_test_bench', fetch: answerAtOnce })
const feed = createPriceFeed(client as FeedClient, { budget: false })
const proxy = openProxy({ client, feed, stream: { addresses: 'any' } })

/** Heap in use after garbage collection; an object with a finalizer is freed only in a later turn. */
async function settledHeap(): Promise<number> {
  for (let turn = 0; turn < 3; turn++) {
    globalThis.gc?.()
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return process.memoryUsage().heapUsed
}

const open = (visitor: number) => readStream(proxy, `visitor ${visitor}`, addresses)

const first = [await open(-1), await open(-2)]
await new Promise((resolve) => setTimeout(resolve, 200))
const before = await settledHeap()
const opened = await Promise.all(Array.from({ length: STREAMS }, (_, index) => open(index)))
await new Promise((resolve) => setTimeout(resolve, 200))
const bytes = (await settledHeap()) - before
process.send?.({ bytesPerStream: bytes / STREAMS })
await Promise.all([...first, ...opened].map((reader) => reader.cancel()))
process.exit()
