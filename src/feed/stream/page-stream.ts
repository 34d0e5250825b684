import { raceWithAbort } from '../../concurrency/cancellation.ts'
import { startTimer } from '../../concurrency/clock.ts'
import { retryAfterMs } from '../../transport/retry-after.ts'
import { exponentialBackoff } from '../../utils/time-units.ts'
import type { FeedClock } from '../feed-clock.ts'
import { createEventParser, type ServerSentEvent } from './parse-events.ts'
import {
  codeOfBody,
  type FeedStreamState,
  type FeedStreamStatus,
  ON_ITS_WAY_MS,
  type RefusedAddress,
  readPrice,
  readRefused,
  readReport,
  readSettings,
  type StreamedPrice,
} from './stream-state.ts'

export interface PageStreamOptions {
  readonly clock: FeedClock
  /** How long changes are collected before the stream is opened anew, milliseconds. */
  readonly windowMs: number
  /** Opens a path below the proxy's. */
  open(path: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Response>
  /** Every address whose price is wanted, as it was written. */
  wanted(): Iterable<string>
  /** Whether the page is hidden. */
  isPaused(): boolean
  onPrice(price: StreamedPrice): void
  /** Called when addresses may no longer be covered. */
  onUncovered(): void
  /** Called when the state of the stream has changed. */
  onStatus(): void
}

/** What a proxy accepts in one stream. */
const MAX_ADDRESSES = 150
/** How long a hidden page keeps its stream: a glance at another tab takes less. */
const HIDDEN_MS = 10_000
/** How long prices may be missing before they are bought: a reconnect takes less. */
const GRACE_MS = 5_000
/** The first reconnect comes within this time, at random: a thousand pages whose server restarts come back one after another. */
const RECONNECT_MS = 4_000
const MIN_SHARE = 1 / 8
/** No wait is longer, whatever the server asks for. */
const MAX_WAIT_MS = 60_000
/** A stream that has lasted so long was a good one: after it, the waits begin anew. */
const GOOD_MS = 30_000
/** Until the server states its own. */
const HEARTBEAT_MS = 15_000
/** A connection is lost when it is silent for so many heartbeats. */
const SILENT_HEARTBEATS = 2.5
/** More than the error of a proxy takes. */
const MAX_ERROR_LENGTH = 10_000

/**
 * The one stream of a page, for all addresses that it shows. It reconnects by itself, is opened anew when the addresses change, and is closed while the
 * page is hidden.
 */
export class PageStream {
  readonly #options: PageStreamOptions
  readonly #clock: FeedClock
  /** The addresses of the stream, as they were written. */
  #addresses: ReadonlySet<string> = new Set()
  /** By the address as it was written. */
  #refused: ReadonlyMap<string, RefusedAddress> = new Map()
  /** When the newest price of an address was bought, by its lower case. */
  readonly #newest = new Map<string, number>()
  #openedAt = 0
  /** Whether prices arrive, or are expected to within moments: to buy them would be a waste. */
  #isLive = false
  #state: FeedStreamState = 'connecting'
  #everyMs: number | undefined
  /** What else is known of the state. */
  #details: StatusDetails = {}
  /** When the state began. */
  #since = 0
  /** The state that was reported last. */
  #told = ''
  #failures = 0
  #lastId = ''
  #silenceMs = 0
  #isStopped = false
  #stopAttempt: (() => void) | undefined
  #stopWindow: (() => void) | undefined
  #stopHiding: (() => void) | undefined
  #stopWait = () => {}
  #stopGrace = () => {}
  #stopSilence = () => {}

  constructor(options: PageStreamOptions) {
    this.#options = options
    this.#clock = options.clock
  }

  /** Call it when `wanted` or `isPaused` may have changed. */
  changed(): void {
    if (!this.#isStopped) this.#stopWindow ??= startTimer(this.#clock, this.#options.windowMs, () => this.#update())
  }

  /** Whether the price of an address comes from the stream, or is expected to within moments. */
  covers(address: string): boolean {
    if (this.#stopWindow) this.#update()
    return this.#isLive && this.#addresses.has(address) && !this.#refused.has(address)
  }

  /** The state of the stream, and for an address that it does not serve why; undefined for one that it was not asked for. */
  statusOf(address: string): FeedStreamStatus | undefined {
    if (!this.#addresses.has(address)) return undefined
    const refusal = this.#refused.get(address)
    return refusal
      ? { ...this.status, state: 'refused', status: REFUSALS[refusal.code], code: refusal.code }
      : this.status
  }

  /** The state of the stream. A stream that says that all is well is believed as long as its prices are young. */
  get status(): FeedStreamStatus {
    const isStale = this.#state === 'connected' && this.#isLate()
    const { waitMs, status, code } = this.#details
    return {
      state: isStale ? 'stale' : this.#state,
      everyMs: this.#everyMs,
      until: waitMs === undefined ? undefined : this.#clock.toUnix(this.#since + waitMs),
      status,
      code,
      refused: [...this.#refused.values()],
    }
  }

  stop(): void {
    this.#isStopped = true
    this.#stopWindow?.()
    this.#stopHiding?.()
    this.#close()
    this.#addresses = new Set()
    this.#options.onUncovered()
  }

  #isLate(): boolean {
    const everyMs = this.#everyMs ?? Number.POSITIVE_INFINITY
    const oldest = this.#clock.now() - everyMs - ON_ITS_WAY_MS
    for (const address of this.#addresses) {
      const at = this.#newest.get(address.toLowerCase()) ?? this.#openedAt
      if (at < oldest && !this.#refused.has(address)) return true
    }
    return false
  }

  #update(): void {
    this.#stopWindow?.()
    this.#stopWindow = undefined
    if (this.#isStopped) return
    const { wanted, isPaused, onUncovered } = this.#options
    if (isPaused()) {
      if (this.#state !== 'paused') this.#stopHiding ??= startTimer(this.#clock, HIDDEN_MS, () => this.#hide())
      return
    }
    this.#stopHiding?.()
    this.#stopHiding = undefined
    const addresses = [...new Set(wanted())].sort().slice(0, MAX_ADDRESSES)
    const isSame = addresses.length === this.#addresses.size && addresses.every((each) => this.#addresses.has(each))
    if (isSame && this.#state !== 'paused') return
    this.#close()
    this.#addresses = new Set(addresses)
    const kept = new Set(addresses.map((address) => address.toLowerCase()))
    for (const address of this.#newest.keys()) if (!kept.has(address)) this.#newest.delete(address)
    this.#reopen()
    onUncovered()
  }

  #hide(): void {
    this.#stopHiding = undefined
    if (!this.#options.isPaused()) return
    this.#close()
    this.#setStatus('paused')
    this.#tell()
    this.#options.onUncovered()
  }

  #close(): void {
    this.#isLive = false
    this.#stopGrace()
    this.#stopWait()
    this.#stopAttempt?.()
    this.#stopAttempt = undefined
  }

  /** Opens the stream as if there had been none. */
  #reopen(): void {
    this.#close()
    this.#refused = new Map()
    this.#lastId = ''
    this.#failures = 0
    this.#setStatus('connecting')
    this.#tell()
    if (this.#addresses.size === 0) return
    this.#isLive = true
    this.#startGrace()
    void this.#connect()
  }

  #setStatus(state: FeedStreamState, details: StatusDetails = {}): void {
    this.#state = state
    this.#details = details
    this.#everyMs = details.everyMs ?? this.#everyMs
    this.#since = this.#clock.now()
  }

  /** Reports the state if it has changed, also by itself. */
  #tell(): void {
    const { state, everyMs, status, code } = this.status
    const told = [state, everyMs, status, code].join()
    if (told === this.#told || this.#isStopped) return
    this.#told = told
    this.#options.onStatus()
  }

  /** From here on prices are missing. */
  #startGrace(): void {
    this.#stopGrace()
    this.#stopGrace = startTimer(this.#clock, GRACE_MS, () => this.#goDown())
  }

  #goDown(): void {
    this.#stopGrace()
    if (!this.#isLive) return
    this.#isLive = false
    this.#options.onUncovered()
  }

  async #connect(): Promise<void> {
    const controller = new AbortController()
    const { signal } = controller
    const startedAt = this.#clock.now()
    this.#openedAt = startedAt
    this.#silenceMs = HEARTBEAT_MS * SILENT_HEARTBEATS
    let isCurrent = true
    this.#stopAttempt = () => {
      isCurrent = false
      this.#stopSilence()
      controller.abort()
    }
    this.#awaitSignOfLife(controller)
    let response: Response | undefined
    let code: string | undefined
    try {
      const headers = { accept: 'text/event-stream', ...(this.#lastId !== '' && { 'last-event-id': this.#lastId }) }
      const path = `stream?addresses=${[...this.#addresses]}`
      response = await raceWithAbort(this.#options.open(path, headers, signal), signal)
      const isStream = isEventStream(response)
      const parse = isStream ? createEventParser() : undefined
      let text = ''
      await readBody(response, signal, (part) => {
        if (!isCurrent) return false
        if (parse === undefined) {
          text += part
          return text.length < MAX_ERROR_LENGTH
        }
        this.#awaitSignOfLife(controller)
        this.#stopGrace()
        this.#isLive = true
        for (const event of parse(part)) this.#receive(event)
        // A proxy that says nothing of its state is fine.
        if (this.#state === 'connecting' || this.#state === 'reconnecting') this.#setStatus('connected')
        this.#tell()
        return true
      })
      if (!isStream) code = codeOfBody(text)
    } catch {
      // The connection failed or broke.
    }
    if (!isCurrent) return
    this.#stopSilence()
    if (response && !isEventStream(response)) return this.#refuse(response, code)
    if (this.#clock.now() - startedAt > GOOD_MS) this.#failures = 0
    if (this.#isLive) this.#startGrace()
    this.#reconnect()
  }

  /** A connection that is silent for too long is lost, which no error says. */
  #awaitSignOfLife(controller: AbortController): void {
    this.#stopSilence()
    this.#stopSilence = startTimer(this.#clock, this.#silenceMs, () => controller.abort())
  }

  #receive({ type, data, lastId }: ServerSentEvent): void {
    this.#lastId = lastId
    if (type === 'settings') {
      const { everyMs, heartbeatMs } = readSettings(data)
      if (heartbeatMs !== undefined) this.#silenceMs = heartbeatMs * SILENT_HEARTBEATS
      if (everyMs !== undefined && everyMs !== this.#everyMs) this.#setStatus('connected', { everyMs })
    } else if (type === 'status') {
      const report = readReport(data)
      if (report === undefined) return
      this.#setStatus(report.state, report)
    } else if (type === 'refused') this.#recordRefused(readRefused(data))
    else if (type === 'price') {
      const price = readPrice(data, this.#clock)
      if (price === undefined) return
      this.#newest.set(price.address.toLowerCase(), price.at)
      this.#options.onPrice(price)
    }
  }

  #recordRefused(refused: readonly RefusedAddress[]): void {
    this.#refused = new Map(refused.map((each) => [each.address, each]))
    if (refused.some(({ code }) => code === 'too_many_addresses'))
      this.#stopWait = startTimer(this.#clock, MAX_WAIT_MS, () => this.#reopen())
    this.#options.onUncovered()
    this.#options.onStatus()
  }

  /** There is no stream: for good, where to ask again would change nothing. */
  #refuse(response: Response, code: string | undefined): void {
    const { status, headers } = response
    const isTransient = status >= 500 || status === 429 || status === 408
    this.#goDown()
    if (isTransient) this.#reconnect(retryAfterMs(headers, this.#clock.wall.now()), { status, code })
    else this.#setStatus('refused', { status, code: code ?? 'stream_unavailable' })
    this.#tell()
  }

  #reconnect(askedMs = 0, refusal: { status?: number; code?: string | undefined } = {}): void {
    const backoffMs = exponentialBackoff(this.#failures, RECONNECT_MS, MAX_WAIT_MS)
    this.#failures++
    // What the server asks for is a floor, and jitter only adds to it.
    const jitterMs = backoffMs * (MIN_SHARE + (1 - MIN_SHARE) * this.#clock.random())
    const waitMs = Math.ceil(Math.min(askedMs, MAX_WAIT_MS) + jitterMs)
    this.#stopWait()
    this.#stopWait = startTimer(this.#clock, waitMs, () => void this.#connect())
    this.#setStatus('reconnecting', { waitMs, ...refusal })
    this.#tell()
  }
}

interface StatusDetails {
  readonly waitMs?: number | undefined
  readonly everyMs?: number | undefined
  readonly status?: number | undefined
  readonly code?: string | undefined
}

/** The status of an answer that refuses nothing but such an address. */
const REFUSALS: Readonly<Record<RefusedAddress['code'], number>> = {
  not_allowed: 403,
  too_many_addresses: 429,
  invalid_address: 400,
}

const isEventStream = ({ status, headers }: Response) =>
  status === 200 && /^text\/event-stream\b/i.test(headers.get('content-type') ?? '')

/** @param onText returns whether to go on */
async function readBody({ body }: Response, signal: AbortSignal, onText: (text: string) => boolean): Promise<void> {
  const decoder = new TextDecoder()
  const reader = body?.getReader()
  // In Node the signal of a request that is garbage-collected no longer aborts it.
  const cancel = () => void reader?.cancel().catch(() => {})
  signal.addEventListener('abort', cancel)
  try {
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read())
      if (signal.aborted || !onText(decoder.decode(part.value, { stream: true }))) return
  } finally {
    signal.removeEventListener('abort', cancel)
    cancel()
  }
}
