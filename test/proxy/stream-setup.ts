import type { Client } from 'etn-market'
import type { FakeServiceOptions } from 'etn-market/fake'
import {
  createPriceFeed,
  type FeedOptions,
  type FeedPrice,
  type FeedStatus,
  type PriceFeed,
  type WatchOptions,
} from 'etn-market/feed'
import type { ProxyOptions, ProxyStreamOptions } from 'etn-market/proxy'
import type { RefusedAddress, StreamReport } from '../../src/feed/stream/stream-state.ts'
import { createVirtualClock, type VirtualClock } from '../support/clock.ts'
import { onCaseFinished } from '../support/property.ts'
import { openProxy, type ProxySetup } from './setup.ts'

export interface StreamSetup extends ProxySetup {
  readonly feed: PriceFeed
  /** Opens a stream, and reads it until `stop`. */
  listen(query: string, init?: RequestInit & { visitor?: string }): Promise<Listener>
}

/** What one visitor has received. */
export interface Listener {
  readonly response: Response
  readonly prices: FeedPrice[]
  /** Comments, which keep the connection alive. */
  readonly heartbeats: () => number
  readonly settings: () => unknown
  /** What the stream has said about itself, without what follows each time. */
  readonly reports: StreamReport[]
  /** The addresses that it does not serve. */
  readonly refused: RefusedAddress[]
  /** Why the proxy has ended it, if it says so. */
  readonly end: () => unknown
  readonly hasEnded: () => boolean
  /** Leaves, as a page does that is closed. */
  stop(): Promise<void>
}

/** A proxy with a feed, in virtual time. */
export function setupStream(
  stream: ProxyStreamOptions = {},
  options: Partial<ProxyOptions> = {},
  feedOptions: FeedOptions = {},
  service: FakeServiceOptions = {},
): StreamSetup {
  const clock = (options.clock as VirtualClock | undefined) ?? createVirtualClock()
  let feed: PriceFeed | undefined
  const optionsOf = ({ client }: { client: Client }) => {
    feed = createPriceFeed(client, { clock, budget: false, ...feedOptions })
    const made = { allow: ['token.price', 'prices.batch'], feed, stream: { addresses: 'any', ...stream }, ...options }
    return made as Partial<ProxyOptions>
  }
  const made = openProxy(clock, optionsOf, service)
  onCaseFinished(async () => {
    await feed?.close()
    await made.close()
  })
  const listen: StreamSetup['listen'] = async (query, init) => read(await made.ask(`/stream${query}`, init))
  return { ...made, feed: feed as unknown as PriceFeed, listen }
}

function read(response: Response): Listener {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  const prices: FeedPrice[] = []
  const reports: StreamReport[] = []
  const refused: RefusedAddress[] = []
  let heartbeats = 0
  let settings: unknown
  let end: unknown
  let ended = false
  const loop = async () => {
    let text = ''
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
      text += part.value
      const blocks = text.split('\n\n')
      text = blocks.pop() ?? ''
      for (const block of blocks) {
        const fields = Object.fromEntries(block.split('\n').map((line) => line.split(/: ?(.*)/s)))
        if (fields.event === 'price') prices.push(JSON.parse(fields.data))
        else if (fields.event === 'settings') settings = JSON.parse(fields.data)
        else if (fields.event === 'status') reports.push(JSON.parse(fields.data))
        else if (fields.event === 'refused') refused.push(...JSON.parse(fields.data))
        else if (fields.event === 'end') end = JSON.parse(fields.data)
        else heartbeats++
      }
    }
    ended = true
  }
  if (response.ok) void loop().catch(() => {})
  return {
    response,
    prices,
    heartbeats: () => heartbeats,
    settings: () => settings,
    reports,
    refused,
    end: () => end,
    hasEnded: () => ended,
    stop: async () => void (await reader?.cancel()),
  }
}

export const query = (addresses: readonly string[]) => `?addresses=${addresses}`

/** A feed whose prices the test delivers, and how often its watch was changed and its state was asked for. */
export function manualFeed() {
  let onPrice: ((price: FeedPrice) => void) | undefined
  const calls = { update: 0, status: 0 }
  const watch = ((_: unknown, options: WatchOptions) => {
    onPrice = options.onPrice
    return { stop() {}, update: () => void calls.update++ }
  }) as unknown as PriceFeed['watch']
  const status = () => {
    calls.status++
    return { state: 'running', stretch: 1, limit: 1_000, leadMs: 0 } as FeedStatus
  }
  const deliver = (addresses: readonly string[], at: number) => {
    for (const address of addresses) onPrice?.({ address, usd: '1', etn: '2', at, ageMs: 0, stale: false })
  }
  return { feed: { watch, status }, deliver, calls }
}
