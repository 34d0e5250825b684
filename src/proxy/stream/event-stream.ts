import { isStale, streamedAge } from '../../feed/prices/tracked-price.ts'
import type { StreamReport } from '../../feed/stream/stream-state.ts'
import { encode } from '../respond.ts'
import type { PriceHub } from './price-hub.ts'

/** A comment, which shows both sides that the connection is there. */
const HEARTBEAT = encode(':\n\n')
const TICKS_OF_HEARTBEAT = 2
/** A page takes a stream for lost earlier. Some servers, such as workerd without `enable_request_signal`, do not report who leaves. */
const MAX_UNREAD_TICKS = 4 * TICKS_OF_HEARTBEAT

export const eventText = (type: string, data: unknown) => `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`

/** A turn of the event loop in which streams are written, at a time from which ages count. What several of them are sent is made once in it. */
export type Turn = { readonly now: number }

export class PriceList {
  readonly streams = new Set<EventStream>()
  /** In EIP-55 form. */
  readonly addresses: readonly string[]
  readonly #hub: PriceHub
  /** What its streams are told about themselves. It is the same object until it says something else. */
  report: StreamReport | undefined
  reportBytes: Uint8Array = encode('')
  #turn: Turn | undefined
  /** The prices as they are sent in this turn, by the sequence after which they begin. */
  readonly #texts = new Map<number, Uint8Array>()

  constructor(hub: PriceHub, addresses: readonly string[]) {
    this.#hub = hub
    this.addresses = addresses
  }

  get sequence(): number {
    return this.#hub.sequence
  }

  /** Finds out what the state is in a turn. How long it lasts is news only together with something else. */
  enter(turn: Turn): void {
    if (turn === this.#turn) return
    this.#turn = turn
    this.#texts.clear()
    const report = this.#hub.report(this.addresses, turn.now)
    if (this.report !== undefined && isSame(report, this.report)) return
    this.report = report
    this.reportBytes = encode(eventText('status', report))
  }

  /** The prices after a sequence; empty without any. */
  textAfter(from: number, { now }: Turn): Uint8Array {
    const known = this.#texts.get(from)
    if (known) return known
    const events = this.addresses
      .flatMap((address) => this.#hub.find(address) ?? [])
      .filter(({ sequence }) => sequence > from)
    const maxAgeMs = streamedAge(0, this.report?.everyMs ?? Number.POSITIVE_INFINITY)
    const text = events.map(({ at, body }) => {
      const ageMs = Math.max(0, Math.round(now - at))
      return `event: price\ndata: ${body},"ageMs":${ageMs},"stale":${isStale(ageMs, maxAgeMs)}}\n\n`
    })
    const bytes = encode(text.join(''))
    this.#texts.set(from, bytes)
    return bytes
  }
}

const isSame = (one: StreamReport, other: StreamReport) =>
  one.state === other.state && one.everyMs === other.everyMs && one.code === other.code

/**
 * One stream. It is written when the reader asks for more, and knows only up to which price it is: a slow reader gets the newest price of each
 * address, and takes no memory for those before.
 */
export class EventStream {
  readonly body: ReadableStream<Uint8Array>
  /** Kept until it ends: in Node the signal of a `Request` that is garbage-collected no longer aborts. */
  readonly #request: Request
  #list: PriceList
  readonly #onReady: (stream: EventStream) => void
  readonly #onEnd: () => void
  /** Undefined as soon as the reader has left, which Deno notices within `enqueue`. */
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined
  /** What is written before anything else; undefined after it was. */
  #words: string | undefined
  /** The sequence up to which prices were written. */
  #sent = 0
  #toldReport: StreamReport | undefined
  #isAwaited = false
  /** Half heartbeats since it was written. */
  #idleTicks = 0

  /**
   * @param request its signal reports that the reader has left
   * @param onReady called when the reader waits for what is there
   * @param onEnd called once, however it ends
   */
  constructor(
    request: Request,
    list: PriceList,
    opening: string,
    onReady: (stream: EventStream) => void,
    onEnd: () => void,
  ) {
    this.#request = request
    this.#list = list
    this.#words = opening
    this.#onReady = onReady
    this.#onEnd = onEnd
    this.body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller
        },
        pull: () => {
          this.#isAwaited = true
          const { report, sequence } = this.#list
          const isNew = this.#words !== undefined || this.#toldReport !== report
          if (isNew || this.#sent !== sequence) onReady(this)
        },
        cancel: () => {
          this.#controller = undefined
          this.#leave()
        },
      },
      { highWaterMark: 0 },
    )
    list.streams.add(this)
    request.signal.addEventListener('abort', this.#onAbort)
  }

  get isEnded(): boolean {
    return !this.#list.streams.has(this)
  }

  get list(): PriceList {
    return this.#list
  }

  /** Sends the prices of another list from now on, after some words. */
  follow(list: PriceList, words: string): void {
    this.#list.streams.delete(this)
    this.#list = list
    list.streams.add(this)
    this.#words = (this.#words ?? '') + words
    this.#sent = 0
    if (this.#isAwaited) this.#onReady(this)
  }

  tick(): void {
    this.#idleTicks++
  }

  /** Writes what is new if the reader waits, and ends a stream that nobody reads. Returns the number of bytes. */
  write(turn: Turn): number {
    if (!this.#isAwaited) {
      if (this.#idleTicks >= MAX_UNREAD_TICKS) this.end()
      return 0
    }
    this.#list.enter(turn)
    const bytes = this.#next(turn) ?? (this.#idleTicks >= TICKS_OF_HEARTBEAT ? HEARTBEAT : undefined)
    if (bytes === undefined) return 0
    this.#idleTicks = 0
    this.#isAwaited = false
    this.#controller?.enqueue(bytes)
    return bytes.length
  }

  /** Ends it from this side. @param lastWords why, where there is a reason */
  end(lastWords = ''): void {
    if (this.isEnded) return
    this.#leave()
    if (lastWords !== '') this.#controller?.enqueue(encode((this.#words ?? '') + lastWords))
    this.#controller?.close()
  }

  /** One part of what is new, which is the same bytes for many streams. The reader asks for the next one. */
  #next(turn: Turn): Uint8Array | undefined {
    const { report, reportBytes, sequence } = this.#list
    if (this.#words !== undefined) {
      const words = encode(this.#words)
      this.#words = undefined
      return words
    }
    if (this.#toldReport !== report) {
      this.#toldReport = report
      return reportBytes
    }
    if (this.#sent === sequence) return undefined
    const prices = this.#list.textAfter(this.#sent, turn)
    this.#sent = sequence
    return prices.length > 0 ? prices : undefined
  }

  readonly #onAbort = () => this.end()

  #leave(): void {
    if (!this.#list.streams.delete(this)) return
    this.#request.signal.removeEventListener('abort', this.#onAbort)
    this.#onEnd()
  }
}
