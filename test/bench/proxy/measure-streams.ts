/** Measures the memory of a stream, and for how long thousands of them block the event loop. The readers are in this process, too. */

import { checksumAddress, createClient } from 'etn-market'
import { createPriceFeed, type FeedClient } from 'etn-market/feed'
import type { MarketProxy } from 'etn-market/proxy'
import { answerAtOnce, openProxy, readStream } from './market.ts'

/** For the memory of one. */
const SAMPLE = 2_000
const STREAMS = 5_000
const LISTS = 500
const LIST_LENGTH = 20
const TOKENS = 150
const ROUNDS = 7
const EVERY_MS = 2_000
/** More lists than the feed's budget pays for. */
const LONG_LISTS = 99
const LONG_LENGTH = 100

/** As pages write them: in mixed case, so that their checksums are computed. */
const tokens = Array.from({ length: TOKENS }, (_, index) =>
  checksumAddress(`0xabcdef${(index + 1).toString(16).padStart(34, '0')}`),
)
const listOf = (list: number, length: number) =>
  Array.from({ length }, (_, index) => tokens[(list * 7 + index * (1 + (list % 4))) % TOKENS] ?? '')

function openStreams(creditsPerDay: number | undefined) {
  const client = createClient({ apiKey: 'esk_test_bench', fetch: answerAtOnce })
  const feed = createPriceFeed(client as FeedClient, {
    budget: creditsPerDay === undefined ? false : { creditsPerDay },
  })
  const stream = {
    addresses: 'any',
    everyMs: EVERY_MS,
    perVisitor: { streams: STREAMS },
    maxStreams: 2 * STREAMS,
  } as const
  const proxy = openProxy({ client, feed, stream })
  return { proxy, close: () => Promise.all([proxy.close(), feed.close(), client.close()]) }
}

let received = 0

const open = (proxy: MarketProxy, visitor: number, list: readonly string[]) =>
  readStream(proxy, `visitor ${visitor}`, list, () => void received++)

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

const cpuMs = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

/** Heap in use after garbage collection; an object with a finalizer is freed only in a later turn. */
async function settledHeap(): Promise<number> {
  for (let turn = 0; turn < 3; turn++) {
    globalThis.gc?.()
    await pause(50)
  }
  return process.memoryUsage().heapUsed
}

async function bytesPerStream(): Promise<number> {
  const { proxy, close } = openStreams(undefined)
  const list = tokens.slice(0, LIST_LENGTH)
  const first = [await open(proxy, -1, list), await open(proxy, -2, list)]
  await pause(200)
  const before = await settledHeap()
  const opened = await Promise.all(Array.from({ length: SAMPLE }, (_, visitor) => open(proxy, visitor, list)))
  await pause(200)
  const bytes = (await settledHeap()) - before
  await Promise.all([...first, ...opened].map((reader) => reader.cancel()))
  await close()
  return bytes / SAMPLE
}

/** The CPU is read this often: to read it in each of a million short turns would make garbage of its own. */
const CPU_READ_MS = 1

/**
 * The longest turn of the event loop, milliseconds, while `work` runs. Time in which this process has no core is not counted: a turn takes
 * its CPU, or its time where the threads of the garbage collector take more.
 */
async function longestBlock(work: () => Promise<unknown>): Promise<number> {
  let longest = 0
  let at = performance.now()
  let cpu = cpuMs()
  let isDone = false
  const watch = () => {
    const now = performance.now()
    if (now - at > CPU_READ_MS) {
      const used = cpuMs()
      longest = Math.max(longest, Math.min(now - at, used - cpu))
      cpu = used
      at = now
    }
    if (!isDone) setImmediate(watch)
  }
  setImmediate(watch)
  await work()
  isDone = true
  await new Promise(setImmediate)
  return longest
}

async function fanOut(): Promise<number[]> {
  const { proxy, close } = openStreams(undefined)
  const readers: Awaited<ReturnType<typeof open>>[] = []
  for (let stream = 0; stream < STREAMS; stream++)
    readers.push(await open(proxy, stream, listOf(stream % LISTS, LIST_LENGTH)))
  await pause(2 * EVERY_MS)
  const blocks: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const until = received + STREAMS
    blocks.push(
      await longestBlock(async () => {
        while (received < until) await pause(10)
      }),
    )
  }
  await Promise.all(readers.map((reader) => reader.cancel()))
  await close()
  return blocks
}

/** The time for which an open, or a close, of one list blocks beside all the others. */
async function openAndClose(): Promise<number[]> {
  const { proxy, close } = openStreams(100_000)
  const readers: Awaited<ReturnType<typeof open>>[] = []
  for (let list = 0; list < LONG_LISTS; list++) readers.push(await open(proxy, list, listOf(list, LONG_LENGTH)))
  await pause(500)
  const blocks: number[] = []
  for (let round = 0; round < LONG_LISTS; round++) {
    const opened = longestBlock(async () => {
      readers.push(await open(proxy, LONG_LISTS + round, listOf(round + 3, LONG_LENGTH)))
      await new Promise(setImmediate)
    })
    blocks.push(await opened)
    const closed = longestBlock(async () => {
      await readers.shift()?.cancel()
      await new Promise(setImmediate)
    })
    blocks.push(await closed)
  }
  await Promise.all(readers.map((reader) => reader.cancel()))
  await close()
  return blocks
}

process.send?.({ bytesPerStream: await bytesPerStream(), fanOut: await fanOut(), openAndClose: await openAndClose() })
process.exit()
