import { startTimer } from '../../concurrency/clock.ts'
import { isArray, isObject } from '../../operations/type-guards.ts'
import type { LockOptions, SharedStream, TabChannel, Tabs } from './browser-tabs.ts'
import { createPriceStreams, type PriceStreams, type PriceStreamsParts } from './price-streams.ts'
import type { StreamedPrice } from './read-price.ts'
import { type FeedStreamStatus, worstOf } from './stream-state.ts'

/** Changes with the messages: tabs of another version of the package have a stream of their own. */
const VERSION = 1
/** How long a tab waits for the leader before its prices count as missing. */
const GRACE_MS = 5_000
/** How often the leader shows that it is there. */
const HEARTBEAT_MS = 20_000
/** A leader that is silent for longer is frozen, and another tab takes its lock. Browsers let timers of hidden tabs run once a minute. */
const SILENT_MS = 150_000
/** Prices that a leader keeps for tabs that come later. */
const MAX_KEPT = 1_000
const UNREACHED: FeedStreamStatus = { state: 'reconnecting', everyMs: undefined, until: undefined }

/**
 * One set of streams for all tabs. The tab that holds a lock leads: it opens the streams for what all of them want, and passes on what
 * arrives. When it goes or freezes, the next tab gets the lock. Addresses are compared in lower case, and each tab gets them in its own spelling.
 */
export function shareBetweenTabs(parts: PriceStreamsParts, tabs: Tabs): PriceStreams {
  const { clock, windowMs, wanted, isPaused, onPrice, onUncovered, onStatus } = parts
  const name = `etn-market/${VERSION} ${tabs.name}`
  const tab = `${clock.wall.now()}.${clock.random()}`
  const ended = new AbortController()
  const channel = openChannel()
  /** Set while this tab leads. */
  let own: PriceStreams | undefined
  /** Of the leader: what other tabs want, by tab, and the newest prices. */
  const others = new Map<string, ReadonlyMap<string, number>>()
  const newest = new Map<string, StreamedPrice>()
  /** Of the others: what the leader says, by address in lower case. */
  let told: ReadonlyMap<string, SharedStream> = new Map()
  let saidWanted = ''
  /** This tab's spelling, by address in lower case; undefined after a change. */
  let spellings: ReadonlyMap<string, string> | undefined
  let isGrace = false
  let stopWanting: (() => void) | undefined
  let stopGrace = () => {}
  let stopSilence = () => {}
  let stopHeartbeat = () => {}

  function openChannel(): TabChannel | undefined {
    try {
      return tabs.openChannel(name)
    } catch {
      return undefined
    }
  }

  const wantedHere = () =>
    new Map(isPaused() ? [] : Array.from(wanted(), ([address, ms]) => [address.toLowerCase(), ms]))

  function deliver(price: StreamedPrice): void {
    spellings ??= new Map(Array.from(wanted(), ([address]) => [address.toLowerCase(), address]))
    const spelling = spellings.get(price.address.toLowerCase())
    if (spelling) onPrice({ ...price, address: spelling, at: clock.fromUnix(price.requestedAt) })
  }

  function setGrace(): void {
    stopGrace()
    isGrace = true
    stopGrace = startTimer(clock, GRACE_MS, () => {
      isGrace = false
      onUncovered()
      onStatus()
    })
  }

  function hearLeader(): void {
    stopSilence()
    // Not all tabs at once.
    stopSilence = startTimer(clock, SILENT_MS * (1 + clock.random()), () => void takeLead({ steal: true }))
  }

  /** Sends the leader the addresses that this tab wants. */
  function sayWanted(isForced: boolean): void {
    stopWanting?.()
    stopWanting = undefined
    const list = [...wantedHere()]
    const text = JSON.stringify(list)
    if (own || (text === saidWanted && !isForced)) return
    saidWanted = text
    if (list.some(([address]) => !told.has(address))) setGrace()
    channel?.postMessage({ type: 'want', tab, wanted: list })
  }

  // THE LEADER

  function* wantedByAll(): Iterable<readonly [string, number]> {
    const all = wantedHere()
    for (const map of others.values())
      for (const [address, everyMs] of map) all.set(address, Math.min(everyMs, all.get(address) ?? everyMs))
    yield* all
  }

  function lead(): void {
    for (const stop of [stopGrace, stopSilence, stopWanting]) stop?.()
    stopWanting = undefined
    told = new Map()
    own = createPriceStreams({
      ...parts,
      wanted: wantedByAll,
      isPaused: () => false,
      onPrice(price) {
        const lower = price.address.toLowerCase()
        newest.delete(lower)
        newest.set(lower, price)
        for (const [oldest] of newest) if (newest.size > MAX_KEPT) newest.delete(oldest)
        if (others.size > 0) channel?.postMessage({ type: 'price', price })
        deliver(price)
      },
      onUncovered() {
        sayState()
        onUncovered()
      },
      onStatus() {
        sayState()
        onStatus()
      },
    })
    channel?.postMessage({ type: 'lead' })
    own.changed()
    beat()
  }

  function beat(): void {
    stopHeartbeat = startTimer(clock, HEARTBEAT_MS, () => {
      sayState()
      beat()
    })
  }

  function sayState(): void {
    if (own === undefined || others.size === 0) return
    const streams = new Map<FeedStreamStatus, SharedStream & { addresses: string[] }>()
    for (const [address] of wantedByAll()) {
      const status = own.statusOf(address)
      if (status === undefined) continue
      const stream = streams.get(status) ?? { status, isLive: own.covers(address), addresses: [] }
      stream.addresses.push(address)
      streams.set(status, stream)
    }
    channel?.postMessage({ type: 'state', streams: [...streams.values()] })
  }

  function serve(from: string, list: readonly (readonly [string, number])[]): void {
    const before = others.get(from)
    others.set(from, new Map(list))
    if (before === undefined) void whenGone(from)
    own?.changed()
    for (const [address] of list) {
      const price = before?.has(address) ? undefined : newest.get(address)
      if (price) channel?.postMessage({ type: 'price', price })
    }
  }

  /** Each tab holds a lock of its own, which others get when it is gone. */
  async function whenGone(from: string): Promise<void> {
    await tabs.locks.request(`${name} ${from}`, { signal: ended.signal }, async () => {}).catch(() => {})
    others.delete(from)
    own?.changed()
  }

  /** Leads from the moment on at which this tab has the lock, until the tab goes or another one takes the lock. */
  async function takeLead(options: LockOptions): Promise<void> {
    let hasLed = false
    try {
      await tabs.locks.request(name, options, () => {
        hasLed = true
        if (!own) lead()
        return untilEnd
      })
    } catch {
      if (ended.signal.aborted) return
      if (hasLed) stepDown()
      // No locks here, such as in a page of an opaque origin: this tab has streams of its own.
      else if (!own) lead()
    }
  }

  /** This tab was frozen, and another one leads. */
  function stepDown(): void {
    stopHeartbeat()
    own?.stop()
    own = undefined
    others.clear()
    newest.clear()
    sayWanted(true)
    void takeLead({ signal: ended.signal })
  }

  const untilEnd = new Promise<void>((resolve) => ended.signal.addEventListener('abort', () => resolve()))

  function hear(message: unknown): void {
    if (!isObject(message) || ended.signal.aborted) return
    const { type } = message as { type?: unknown }
    const { tab: from, wanted: list, price, streams } = message as Record<string, unknown>
    if (type === 'want' && own && typeof from === 'string' && isArray(list)) serve(from, list as [string, number][])
    if (own || type === 'want') return
    hearLeader()
    if (type === 'lead') {
      told = new Map()
      sayWanted(true)
    } else if (type === 'price') deliver(price as StreamedPrice)
    else if (type === 'state' && isArray(streams)) {
      told = new Map(
        (streams as SharedStream[]).flatMap((stream) => stream.addresses.map((address) => [address, stream] as const)),
      )
      onUncovered()
      onStatus()
    }
  }

  if (channel) channel.onmessage = ({ data }) => hear(data)
  void tabs.locks.request(`${name} ${tab}`, { signal: ended.signal }, () => untilEnd).catch(() => {})
  void takeLead({ signal: ended.signal })

  return {
    changed() {
      spellings = undefined
      if (own) own.changed()
      else if (!ended.signal.aborted) stopWanting ??= startTimer(clock, windowMs, () => sayWanted(false))
    },
    covers(address) {
      const lower = address.toLowerCase()
      if (own) return own.covers(lower)
      if (stopWanting) sayWanted(false)
      return told.get(lower)?.isLive ?? isGrace
    },
    statusOf(address) {
      const lower = address.toLowerCase()
      if (own) return own.statusOf(lower)
      return told.get(lower)?.status ?? (isGrace ? undefined : UNREACHED)
    },
    get status() {
      if (own) return worstOf([...wantedHere().keys()].flatMap((address) => own?.statusOf(address) ?? []))
      const statuses = [...wantedHere().keys()].flatMap((address) => told.get(address)?.status ?? [])
      return statuses.length > 0 || isGrace ? worstOf(statuses) : UNREACHED
    },
    stop() {
      ended.abort()
      for (const stop of [stopGrace, stopSilence, stopHeartbeat, stopWanting]) stop?.()
      own?.stop()
      channel?.close()
      onUncovered()
    },
  }
}
