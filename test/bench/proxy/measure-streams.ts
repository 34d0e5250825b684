/** Measures the memory of open streams: the heap of this process, with one reader that waits on each. */

import { createClient } from 'etn-market'
import { createPriceFeed, type FeedClient } from 'etn-market/feed'
import { createProxy } from 'etn-market/proxy'

const STREAMS = 2_000
const TOKENS = 20

const addresses = Array.from({ length: TOKENS }, (_, index) => `0x${(index + 1).toString(16).padStart(40, '0')}`)

/** Answers at once, so that the service does not count. */
const fetch = async (request: Request) => {
  const asked = new URL(request.url).searchParams.get('addresses')?.split(',') ?? []
  const data = Object.fromEntries(asked.map((address) => [address, { usd: '1.0', etn: '2.0' }]))
  const headers = { 'x-credits-cost': String(100 + 10 * asked.length) }
  return Response.json({ data, cursor: null }, { headers })
}

const client = createClient({ apiKey: 'esk_test_bench', fetch })
const feed = createPriceFeed(client as FeedClient, { budget: false })
const proxy = createProxy({
  client,
  allow: [],
  budget: false,
  feed,
  stream: { addresses: 'any' },
  visitor: (request) => request.headers.get('x-visitor'),
})

/** Heap in use after garbage collection; an object with a finalizer is freed only in a later turn. */
async function settledHeap(): Promise<number> {
  for (let turn = 0; turn < 3; turn++) {
    globalThis.gc?.()
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return process.memoryUsage().heapUsed
}

async function open(visitor: number): Promise<ReadableStreamDefaultReader<Uint8Array>> {
  const headers = { 'x-visitor': `visitor ${visitor}` }
  const response = await proxy(new Request(`http://dapp.example/stream?addresses=${addresses}`, { headers }))
  const reader = response.body?.getReader()
  if (reader === undefined) throw new Error('No stream.')
  const read = async () => {
    while (!(await reader.read()).done);
  }
  void read()
  return reader
}

const first = [await open(-1), await open(-2)]
await new Promise((resolve) => setTimeout(resolve, 200))
const before = await settledHeap()
const opened = await Promise.all(Array.from({ length: STREAMS }, (_, index) => open(index)))
await new Promise((resolve) => setTimeout(resolve, 200))
const bytes = (await settledHeap()) - before
process.send?.({ bytesPerStream: bytes / STREAMS })
await Promise.all([...first, ...opened].map((reader) => reader.cancel()))
process.exit()
