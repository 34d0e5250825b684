import type { StreamReport } from '../../feed/stream/stream-state.ts'
import type { PriceEvent, PriceHub } from './price-hub.ts'

const encode = (text: string) => new TextEncoder().encode(text)
/** A comment, which shows both sides that the connection is there. */
const HEARTBEAT = encode(':\n\n')
const TICKS_OF_HEARTBEAT = 2
/** A page takes a stream for lost earlier. Some servers, such as workerd without `enable_request_signal`, do not report who leaves. */
const MAX_UNREAD_TICKS = 4 * TICKS_OF_HEARTBEAT

/** An event as it is sent. */
export const eventText = (type: string, data: unknown) => `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`

/** The streams that show the same addresses. What they are sent is written once for all of them. */
export class PriceList {
  readonly streams = new Set<EventStream>()
  /** In EIP-55 form. */
  readonly addresses: readonly string[]
  readonly #hub: PriceHub
  readonly #id: string
  #text: { readonly from: number; readonly to: number; readonly at: number; readonly bytes: Uint8Array } | undefined
  #report: StreamReport
  #reportBytes: Uint8Array | undefined

  /** @param id unlike that of any other list, of another process too */
  constructor(hub: PriceHub, addresses: readonly string[], id: string) {
    this.#hub = hub
    this.addresses = addresses
    this.#id = id
    this.#report = hub.report(addresses)
  }

  /** The sequence that a reconnecting page has seen; 0 where its id is of another list. */
  seenSequence(lastEventId: string | null): number {
    const digits = lastEventId?.startsWith(`${this.#id}.`) ? lastEventId.slice(this.#id.length + 1) : ''
    return /^\d{1,15}$/.test(digits) ? Number(digits) : 0
  }

  get report(): StreamReport {
    return this.#report
  }

  get reportBytes(): Uint8Array {
    this.#reportBytes ??= encode(eventText('status', this.#report))
    return this.#reportBytes
  }

  /** Finds out what the state is now. How long it lasts is news only together with something else. */
  updateReport(): void {
    const report = this.#hub.report(this.addresses)
    if (isSame(report, this.#report)) return
    this.#report = report
    this.#reportBytes = undefined
  }

  /** The prices after a sequence, in their order; undefined without any. The age of a price is that of this moment. */
  textAfter(from: number): Uint8Array | undefined {
    const to = this.#hub.sequence
    if (from === to) return undefined
    const at = this.#hub.now()
    if (this.#text?.from !== from || this.#text.to !== to || this.#text.at !== at) {
      const events = this.addresses
        .map((address) => this.#hub.find(address))
        .filter((event) => event !== undefined && event.sequence > from) as PriceEvent[]
      events.sort((one, other) => one.sequence - other.sequence)
      const text = events.map((event) => this.#write(event, at)).join('')
      this.#text = { from, to, at, bytes: encode(text) }
    }
    const { bytes } = this.#text
    return bytes.length > 0 ? bytes : undefined
  }

  #write({ sequence, at, body }: PriceEvent, now: number): string {
    const ageMs = Math.max(0, Math.round(now - at))
    const isStale = ageMs > this.#report.everyMs
    return `id: ${this.#id}.${sequence}\nevent: price\ndata: ${body},"ageMs":${ageMs},"stale":${isStale}}\n\n`
  }
}

const isSame = (one: StreamReport, other: StreamReport) =>
  one.state === other.state && one.everyMs === other.everyMs && one.code === other.code

export interface EventStreamOptions {
  readonly hub: PriceHub
  readonly list: PriceList
  /** What the stream begins with. */
  readonly opening: string
  readonly lastEventId: string | null
  /** Called once, however it ends. */
  onEnd(): void
}

/**
 * One stream. It is written when the reader asks for more, and knows only up to which price it is: a slow reader gets the newest price of each
 * address, and takes no memory for those before.
 */
export class EventStream {
  readonly body: ReadableStream<Uint8Array>
  readonly #hub: PriceHub
  readonly #list: PriceList
  readonly #onEnd: () => void
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined
  /** Undefined after it was written. */
  #opening: string | undefined
  /** The sequence up to which prices were written. */
  #sent: number
  #toldReport: StreamReport | undefined
  /** Set while the reader waits. */
  #onWritten: (() => void) | undefined
  #idleTicks = 0
  #isEnded = false

  constructor({ hub, list, opening, lastEventId, onEnd }: EventStreamOptions) {
    this.#hub = hub
    this.#list = list
    this.#opening = opening
    this.#sent = list.seenSequence(lastEventId)
    this.#onEnd = onEnd
    this.body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller
        },
        pull: () => {
          if (this.#writeNews()) return
          return new Promise((resolve) => {
            this.#onWritten = resolve
          })
        },
        cancel: () => this.#leave(),
      },
      { highWaterMark: 0 },
    )
    list.streams.add(this)
  }

  /** Writes what is new to a reader that waits. @param isTick to be set twice in a heartbeat: ends a stream that nobody reads */
  wake(isTick: boolean): void {
    if (isTick) this.#idleTicks++
    if (this.#onWritten === undefined) {
      if (this.#idleTicks >= MAX_UNREAD_TICKS) this.end()
      return
    }
    const isQuiet = this.#idleTicks >= TICKS_OF_HEARTBEAT
    if (!this.#writeNews() && isQuiet) this.#write(HEARTBEAT)
  }

  /** Ends it from this side. */
  end(): void {
    if (this.#isEnded) return
    this.#leave()
    this.#controller?.close()
  }

  #leave(): void {
    if (this.#isEnded) return
    this.#isEnded = true
    this.#list.streams.delete(this)
    this.#onWritten?.()
    this.#onEnd()
  }

  /** Returns whether there was something. */
  #writeNews(): boolean {
    const { report } = this.#list
    const isTold = report === this.#toldReport
    const prices = this.#list.textAfter(this.#sent)
    if (isTold && prices === undefined) return false
    const parts: Uint8Array[] = []
    if (this.#opening !== undefined) parts.push(encode(this.#opening))
    if (!isTold) parts.push(this.#list.reportBytes)
    if (prices) parts.push(prices)
    this.#opening = undefined
    this.#toldReport = report
    this.#sent = this.#hub.sequence
    this.#write(concat(parts))
    return true
  }

  #write(bytes: Uint8Array): void {
    this.#controller?.enqueue(bytes)
    this.#idleTicks = 0
    this.#onWritten?.()
    this.#onWritten = undefined
  }
}

/** One part stays what it is, because many streams send the same. */
function concat(parts: readonly Uint8Array[]): Uint8Array {
  const [first] = parts
  if (parts.length === 1 && first) return first
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}
