import { raceWithAbort } from '../../concurrency/cancellation.ts'
import { startTimer } from '../../concurrency/clock.ts'
import type { EtnMarketError } from '../../errors/base.ts'
import { retryAfterMs } from '../../transport/retry-after.ts'
import { exponentialBackoff } from '../../utils/time-units.ts'
import type { FeedClock } from '../feed-clock.ts'
import { isStale, streamedAge } from '../prices/tracked-price.ts'
import {
  codeOfBody,
  createEventParser,
  readPrice,
  readRefused,
  readReport,
  type ServerSentEvent,
  type StreamedPrice,
} from './stream-events.ts'
import {
  errorOf,
  type FeedStreamState,
  type FeedStreamStatus,
  NO_STREAMING_FETCH,
  type RefusedAddress,
  refusalOf,
} from './stream-state.ts'

export interface PageStreamOptions {
  readonly clock: FeedClock
  /** How long changes are collected before the stream is opened anew, milliseconds. */
  readonly windowMs: number
  /** Resolves to undefined where a body cannot be read while it arrives. */
  open(path: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Response | undefined>
  /** Every address whose price is wanted, as it was written. */
  wanted(): Iterable<string>
  isPaused(): boolean
  onPrice(price: StreamedPrice): void
  /** Called when the state has changed, or, with false, only which addresses are covered. */
  onChange(isState: boolean): void
}

/** What a proxy accepts in one stream. */
const MAX_ADDRESSES = 150
/** The pace of a stream that has not told it yet. */
const DEFAULT_PACE_MS = 60_000
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
  #addresses: ReadonlySet<string> = new Set()
  /** By the address as it was written. */
  #refused: ReadonlyMap<string, RefusedAddress> = new Map()
  /** When the newest price of an address was bought, by its lower case. */
  readonly #newest = new Map<string, number>()
  /** Whether prices arrive, or are expected to within moments: to buy them would be a waste. */
  #isLive = false
  #state: CurrentState = { state: 'connecting', since: 0 }
  #everyMs: number | undefined
  #reported = ''
  #failures = 0
  #lastId = ''
  #silenceMs = 0
  /** When the connection last said something, or was opened. */
  #heardAt = 0
  #attempt: AbortController | undefined
  /** Set while changes are collected, or while a hidden page still has its stream. */
  #stopWindow: (() => void) | undefined
  #isHiding = false
  #isStopped = false
  #stopWait = () => {}
  #stopGrace = () => {}
  #stopSilence = () => {}

  constructor(options: PageStreamOptions) {
    this.#options = options
    this.#clock = options.clock
  }

  /** Call it when `wanted` or `isPaused` may have changed. */
  changed(): void {
    const isHidden = this.#options.isPaused()
    if (this.#isStopped || (this.#stopWindow && isHidden === this.#isHiding)) return
    this.#stopWindow?.()
    this.#isHiding = isHidden
    const ms = isHidden ? HIDDEN_MS : this.#options.windowMs
    this.#stopWindow = startTimer(this.#clock, ms, () => this.#update())
  }

  /** Collects no further changes: what has changed so far counts now. */
  settle(): void {
    if (this.#stopWindow && !this.#isHiding) this.#update()
  }

  /** Whether the price of an address comes from the stream, or is expected to within moments. */
  covers(address: string): boolean {
    return this.#isLive && this.#addresses.has(address) && !this.refuses(address)
  }

  refuses(address: string): boolean {
    return this.#refused.has(address)
  }

  get paceMs(): number {
    return this.#everyMs ?? DEFAULT_PACE_MS
  }

  /** Why an address gets no prices; undefined for one that does, or that the stream was not asked for. */
  failureOf(address: string): EtnMarketError | undefined {
    const refused = this.#refused.get(address)
    if (refused) return refusalOf(refused)
    // A connection comes back before prices are missed.
    if (!this.#addresses.has(address) || (this.#isLive && this.#state.state === 'reconnecting')) return undefined
    const { status } = this
    return errorOf(status, status.until && Math.max(0, status.until - this.#clock.toUnix()))
  }

  /** The state of the stream. A stream that says that all is well is believed as long as its prices are young. */
  get status(): FeedStreamStatus {
    const { state, since, waitMs, status, code } = this.#state
    return {
      state: state === 'connected' && this.#isLate() ? 'stale' : state,
      everyMs: this.#everyMs,
      until: waitMs && this.#clock.toUnix(since + waitMs),
      status,
      code,
      refused: [...this.#refused.values()],
    }
  }

  stop(): void {
    this.#isStopped = true
    this.#stopWindow?.()
    this.#close()
    this.#addresses = new Set()
  }

  #isLate(): boolean {
    const now = this.#clock.now()
    const maxAgeMs = streamedAge(0, this.paceMs)
    for (const address of this.#addresses) {
      const newestAt = this.#newest.get(address.toLowerCase()) ?? this.#state.since
      if (!this.refuses(address) && isStale(now - newestAt, maxAgeMs)) return true
    }
    return false
  }

  #update(): void {
    const { wanted, isPaused } = this.#options
    this.#stopWindow?.()
    this.#stopWindow = undefined
    const wasPaused = this.#state.state === 'paused'
    if (isPaused()) {
      if (wasPaused) return
      this.#close()
      this.#setState('paused')
      this.#report(true)
      return
    }
    const addresses = [...new Set(wanted())].sort().slice(0, MAX_ADDRESSES)
    if (!wasPaused && addresses.join() === [...this.#addresses].join()) return
    this.#addresses = new Set(addresses)
    this.#reopen()
  }

  #close(): void {
    this.#isLive = false
    this.#stopGrace()
    this.#stopWait()
    this.#stopSilence()
    this.#attempt?.abort()
    this.#attempt = undefined
  }

  #reopen(): void {
    this.#close()
    this.#refused = new Map()
    this.#newest.clear()
    this.#lastId = ''
    this.#failures = 0
    this.#setState('connecting')
    if (this.#addresses.size > 0) {
      this.#isLive = true
      this.#startGrace()
      void this.#connect()
    }
    this.#report(true)
  }

  #setState(state: FeedStreamState, details: StateDetails = {}): void {
    this.#state = { state, since: this.#clock.now(), ...details }
  }

  /** Reports the state if it has changed, also by itself. */
  #report(isCoverageNew = false): void {
    const { state, everyMs, status, code } = this.status
    const reported = [state, everyMs, status, code, ...this.#refused.keys()].join()
    const isNew = reported !== this.#reported
    this.#reported = reported
    if (isNew || isCoverageNew) this.#options.onChange(isNew)
  }

  /** From here on prices are missing. */
  #startGrace(): void {
    this.#stopGrace()
    this.#stopGrace = startTimer(this.#clock, GRACE_MS, () => {
      this.#isLive = false
      this.#report(true)
    })
  }

  async #connect(): Promise<void> {
    const attempt = new AbortController()
    const { signal } = attempt
    const startedAt = this.#clock.now()
    this.#attempt = attempt
    this.#silenceMs = HEARTBEAT_MS * SILENT_HEARTBEATS
    this.#awaitSignOfLife(attempt)
    let response: Response | undefined
    let text = ''
    try {
      const headers = { accept: 'text/event-stream', ...(this.#lastId !== '' && { 'last-event-id': this.#lastId }) }
      const path = `stream?addresses=${[...this.#addresses]}`
      response = await raceWithAbort(this.#options.open(path, headers, signal), signal)
      if (response === undefined || (isEventStream(response) && !response.body?.getReader)) {
        if (this.#attempt === attempt) this.#endWithoutStreams()
        return
      }
      const parse = isEventStream(response) && createEventParser()
      await readBody(response, signal, (part) => {
        // What has waited in a connection while the machine slept may be hours old.
        if (this.#attempt !== attempt || this.#clock.now() - this.#heardAt > this.#silenceMs) return false
        if (!parse) {
          text += part
          return text.length < MAX_ERROR_LENGTH
        }
        this.#awaitSignOfLife(attempt)
        this.#stopGrace()
        this.#isLive = true
        for (const event of parse(part)) this.#receive(event)
        // A proxy that says nothing of its state is fine.
        const { state } = this.#state
        if (state === 'connecting' || state === 'reconnecting') this.#setState('connected')
        this.#report()
        return true
      })
    } catch {
      // The connection failed or broke.
    }
    if (this.#attempt !== attempt) return
    this.#stopSilence()
    if (response && !isEventStream(response)) {
      this.#refuse(response, codeOfBody(text))
      return
    }
    if (this.#clock.now() - startedAt > GOOD_MS) this.#failures = 0
    if (this.#isLive) this.#startGrace()
    this.#reconnect()
  }

  /** A connection that is silent for too long is lost, which no error says. */
  #awaitSignOfLife(attempt: AbortController): void {
    this.#stopSilence()
    this.#heardAt = this.#clock.now()
    this.#stopSilence = startTimer(this.#clock, this.#silenceMs, () => attempt.abort())
  }

  #receive({ type, data, lastId }: ServerSentEvent): void {
    this.#lastId = lastId
    if (type === 'price') {
      const price = readPrice(data, this.#clock)
      if (price === undefined) return
      this.#newest.set(price.address.toLowerCase(), price.at)
      this.#options.onPrice(price)
    } else if (type === 'refused') {
      this.#refused = new Map(readRefused(data).map((each) => [each.address, each]))
      if ([...this.#refused.values()].some(({ code }) => code === 'too_many_addresses')) {
        this.#stopWait()
        this.#stopWait = startTimer(this.#clock, MAX_WAIT_MS, () => this.#reopen())
      }
    } else if (type === 'settings' || type === 'status') {
      const { state, everyMs = this.#everyMs, heartbeatMs, waitMs, code } = readReport(data)
      this.#everyMs = everyMs
      if (heartbeatMs !== undefined) this.#silenceMs = heartbeatMs * SILENT_HEARTBEATS
      if (state !== undefined) this.#setState(state, { waitMs, code })
    }
  }

  /** This runtime can read no stream, and shows that without holding a place at the proxy. */
  #endWithoutStreams(): void {
    this.#close()
    this.#setState('refused', { code: NO_STREAMING_FETCH })
    this.#report(true)
  }

  /** There is no stream: for good, where to ask again would change nothing. */
  #refuse({ status, headers }: Response, code: string | undefined): void {
    this.#isLive = false
    this.#stopGrace()
    if (status >= 500 || status === 429 || status === 408)
      this.#reconnect(retryAfterMs(headers, this.#clock.toUnix()), { status, code })
    else {
      this.#setState('refused', { status, code: code ?? 'stream_unavailable' })
      this.#report()
    }
  }

  #reconnect(askedMs = 0, refusal: StateDetails = {}): void {
    const backoffMs = exponentialBackoff(this.#failures, RECONNECT_MS, MAX_WAIT_MS)
    this.#failures++
    // What the server asks for is a floor, and jitter only adds to it.
    const jitterMs = backoffMs * (MIN_SHARE + (1 - MIN_SHARE) * this.#clock.random())
    const waitMs = Math.ceil(Math.min(askedMs, MAX_WAIT_MS) + jitterMs)
    this.#stopWait()
    this.#stopWait = startTimer(this.#clock, waitMs, () => void this.#connect())
    this.#setState('reconnecting', { waitMs, ...refusal })
    this.#report(true)
  }
}

interface CurrentState {
  readonly state: FeedStreamState
  readonly since: number
  readonly waitMs?: number | undefined
  readonly status?: number | undefined
  readonly code?: string | undefined
}

type StateDetails = Omit<CurrentState, 'state' | 'since'>

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
