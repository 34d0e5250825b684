import { AgeClock, type Clock, startTimer } from '../../concurrency/clock.ts'
import { nextTurn } from '../../concurrency/event-loop.ts'
import type { RefusedAddress } from '../../feed/stream/stream-state.ts'
import type { AddressReader } from '../../utils/address.ts'
import { isPromise } from '../../utils/runtime.ts'
import type { ListedTokens } from '../listed-tokens.ts'
import { badRequest, proxyClosed, type Refusal, type Reply, refusalOf, refuse } from '../respond.ts'
import type { StreamSettings } from '../settings.ts'
import type { StreamedAddresses } from '../types.ts'
import { EventStream, eventText, PriceList } from './event-stream.ts'
import { PriceHub } from './price-hub.ts'

/** They make a URL of 6.5 kB; most servers take 8 kB. */
const MAX_ADDRESSES = 150
/** Longer than 150 encoded addresses. */
const MAX_QUERY_LENGTH = 8_192
/** When a page may ask again for which there is no stream. */
const RETRY_MS = 10_000
/** The same for one whose stream was ended for a newer one: pages of one visitor would end each other's all the time. */
const REPLACED_RETRY_MS = 60_000
/** The most that is written in one turn of the event loop, to all streams together: thousands at once would hold up everything else. */
const STREAMS_PER_TURN = 100
const BYTES_PER_TURN = 500_000
/** Proxies before this one must neither keep nor collect what is sent; one that compresses collects. */
const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
  'x-content-type-options': 'nosniff',
}

/** The addresses that may be streamed, in lower case. */
type Streamable = 'any' | ReadonlySet<string>

const REPLACED = `retry: ${REPLACED_RETRY_MS}\n${eventText('end', {
  status: 429,
  code: 'too_many_streams',
  waitMs: REPLACED_RETRY_MS,
})}`

/**
 * The streams of all visitors. One costs its visitor no credits, but one request and one of `perVisitor.streams`: the operator pays for the
 * watch that all share (`price-hub.ts`). It ends with its request, when its reader falls silent (`event-stream.ts`), for a newer one of its visitor, and
 * with the proxy.
 */
export class OpenStreams {
  readonly #settings: StreamSettings
  readonly #clock: Clock
  readonly #listed: ListedTokens
  readonly #hub: PriceHub
  /** By addresses. */
  readonly #lists = new Map<string, PriceList>()
  /** The oldest of a visitor first. */
  readonly #byVisitor = new Map<string, Set<EventStream>>()
  readonly #reader: AddressReader
  #size = 0
  #stopTimer: (() => void) | undefined
  /** Streams with something to write, perhaps. */
  readonly #queue = new Set<EventStream>()
  #isWriting = false

  constructor(settings: StreamSettings, clock: Clock, listed: ListedTokens, reader: AddressReader) {
    this.#settings = settings
    this.#clock = clock
    this.#listed = listed
    this.#reader = reader
    this.#hub = new PriceHub(settings, new AgeClock(clock), () => this.#queueAll())
  }

  get size(): number {
    return this.#size
  }

  countOf(visitor: string): number {
    return this.#byVisitor.get(visitor)?.size ?? 0
  }

  cost(): StreamedAddresses {
    return this.#hub.cost()
  }

  /**
   * Opens a stream at once. While it is not known which addresses are allowed, it says so later what it does not serve.
   * @throws Refusal for a stream that can have none of its addresses, as far as that is known
   */
  open(request: Request, visitor: string): Reply {
    const { signal, url } = request
    signal.throwIfAborted()
    const asked = readAddresses(new URL(url))
    if (asked.every((text) => this.#reader.lowerCase(text) === undefined))
      throw badRequest(`stream: ${asked[0]?.slice(0, 100)} is no address, or has a wrong checksum.`)
    const { addresses, perVisitor, maxStreams } = this.#settings
    if (this.#size === 0) this.#hub.refresh()
    if (this.#hub.isClosed) throw proxyClosed()
    const isReplacing = this.countOf(visitor) >= perVisitor.streams
    if (!isReplacing && this.#size >= maxStreams)
      throw refuse(429, 'too_many_streams', 'The proxy has too many open streams.', { retryAfterMs: RETRY_MS })
    const allowed = addresses === 'listed' ? this.#listed.get(signal) : addresses
    const stream = this.#start(request, visitor)
    const serve = (known: Streamable) => this.#serve(stream, asked, known, visitor)
    if (isPromise(allowed)) void allowed.then(serve).catch((error) => this.#endFor(stream, error))
    else serve(allowed)
    // Not the newest: fronts report that a visitor has left only at the next write, and who reloads a page would be locked out.
    if (isReplacing) for (const oldest of [...(this.#byVisitor.get(visitor) ?? [])].slice(0, 1)) oldest.end(REPLACED)
    return { status: 200, headers: { ...HEADERS }, body: stream.body }
  }

  close(): void {
    this.#endAll()
    this.#hub.close()
  }

  /** A stream without addresses, until it is known which ones it may have. */
  #start(request: Request, visitor: string): EventStream {
    const settings = { everyMs: this.#hub.pace, heartbeatMs: this.#settings.heartbeatMs }
    const opening = `retry: 5000\n${eventText('settings', settings)}`
    const onReady = (stream: EventStream) => {
      this.#queue.add(stream)
      void this.#writeQueue()
    }
    const stream = new EventStream(request, this.#listOf([]), opening, onReady, () => {
      this.#queue.delete(stream)
      this.#close(stream, visitor)
    })
    this.#size++
    const own = this.#byVisitor.get(visitor) ?? new Set()
    this.#byVisitor.set(visitor, own.add(stream))
    this.#setTimer()
    return stream
  }

  /** @throws Refusal where it can have none of its addresses; it ends then */
  #serve(stream: EventStream, asked: readonly string[], allowed: Streamable, visitor: string): void {
    if (stream.isEnded) return
    const { addresses, refused } = this.#takePlaces(asked, allowed, visitor)
    stream.follow(this.#listOf(addresses), eventText('refused', refused))
    if (addresses.length > 0) return
    const refusal = noneServed(refused, this.#settings.everyMs)
    this.#endFor(stream, refusal)
    throw refusal
  }

  /** Its page asks again, when it is told to. */
  #endFor(stream: EventStream, error: unknown): void {
    const { status, code, retryAfterMs: waitMs } = refusalOf(error, this.#clock.now())
    stream.end(eventText('end', { status, code, waitMs }))
  }

  #listOf(addresses: readonly string[]): PriceList {
    const key = addresses.join()
    const list = this.#lists.get(key) ?? new PriceList(this.#hub, addresses)
    this.#lists.set(key, list)
    return list
  }

  /** Serves what may be served, so that one wrong address ends nobody's prices. */
  #takePlaces(asked: readonly string[], allowed: Streamable, visitor: string) {
    const addresses = new Set<string>()
    const refused: RefusedAddress[] = []
    for (const text of asked) {
      const refuseAs = (code: RefusedAddress['code']) => refused.push({ address: text, code })
      const lowerCase = this.#reader.lowerCase(text)
      const address = lowerCase === undefined ? '' : this.#reader.checksum(lowerCase)
      if (addresses.has(address)) continue
      if (lowerCase === undefined) refuseAs('invalid_address')
      else if (allowed !== 'any' && !allowed.has(lowerCase)) refuseAs('not_allowed')
      else if (addresses.size < MAX_ADDRESSES && this.#hub.take(address, visitor)) addresses.add(address)
      else refuseAs('too_many_addresses')
    }
    return { addresses: [...addresses].sort(), refused }
  }

  #close(stream: EventStream, visitor: string): void {
    const { list } = stream
    this.#size--
    const own = this.#byVisitor.get(visitor)
    own?.delete(stream)
    if (own?.size === 0) this.#byVisitor.delete(visitor)
    for (const address of list.addresses) this.#hub.leave(address)
    if (list.streams.size === 0) this.#lists.delete(list.addresses.join())
    if (this.#size > 0) return
    this.#stopTimer?.()
    this.#stopTimer = undefined
  }

  /** Twice in a heartbeat, so that no stream is silent for longer, whenever it was written to. */
  #setTimer(): void {
    this.#stopTimer ??= startTimer(this.#clock, this.#settings.heartbeatMs / 2, () => {
      this.#stopTimer = undefined
      this.#hub.refresh()
      this.#setTimer()
      for (const list of this.#lists.values()) for (const stream of list.streams) stream.tick()
      this.#queueAll()
    })
  }

  #queueAll(): void {
    // A closed feed has no more prices: its pages reconnect, or buy.
    if (this.#hub.isClosed) this.#endAll()
    // One list after another, so that its text is made once in a turn.
    for (const list of this.#lists.values()) for (const stream of list.streams) this.#queue.add(stream)
    void this.#writeQueue()
  }

  /** Writes what is new to the streams in the queue, so much in each turn of the event loop. */
  async #writeQueue(): Promise<void> {
    if (this.#isWriting) return
    this.#isWriting = true
    while (this.#queue.size > 0) {
      const turn = { now: this.#hub.now() }
      let streams = 0
      let bytes = 0
      for (const stream of this.#queue) {
        this.#queue.delete(stream)
        bytes += stream.write(turn)
        if (++streams >= STREAMS_PER_TURN || bytes >= BYTES_PER_TURN) break
      }
      await nextTurn()
    }
    this.#isWriting = false
  }

  #endAll(): void {
    for (const list of [...this.#lists.values()]) for (const stream of [...list.streams]) stream.end()
  }
}

/** Why a stream has nothing to send. What may change by itself comes first. */
function noneServed(refused: readonly RefusedAddress[], everyMs: number): Refusal {
  if (refused.some(({ code }) => code === 'too_many_addresses'))
    return refuse(429, 'too_many_addresses', 'The proxy streams as many addresses as it may. Try again later.', {
      retryAfterMs: everyMs,
    })
  return refuse(403, 'not_allowed', 'The stream has some addresses only, and none of these.')
}

/** The spellings that a stream is asked for. @throws Refusal for a query that is not accepted */
function readAddresses({ searchParams: query, search }: URL): string[] {
  if (search.length > MAX_QUERY_LENGTH) throw badRequest(`The query has more than ${MAX_QUERY_LENGTH} characters.`)
  if ([...query.keys()].some((name) => name !== 'addresses')) throw badRequest('The stream takes addresses.')
  const [text = '', second] = query.getAll('addresses')
  if (second !== undefined) throw badRequest('stream: addresses is given twice.')
  if (text === '') throw badRequest('stream: it needs addresses.')
  return [...new Set(text.split(','))]
}
