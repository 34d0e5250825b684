import { raceWithAbort } from '../../concurrency/cancellation.ts'
import { LOOK_MS, startTimer } from '../../concurrency/clock.ts'
import type { EtnMarketError } from '../../errors/base.ts'
import { retryAfterMs } from '../../transport/retry-after.ts'
import { ExponentialBackoff } from '../../utils/time-units.ts'
import type { FeedClock } from '../feed-clock.ts'
import { onPageResume } from '../page-visibility.ts'
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
  FRONT_ERROR,
  NO_STREAMING_FETCH,
  type RefusedAddress,
  refusalOf,
} from './stream-state.ts'

export interface PageStreamOptions {
  readonly clock: FeedClock
  /** Resolves to undefined where a body cannot be read while it arrives. */
  open(path: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Response | undefined>
  /** Every address whose price is wanted, as it was written, those first that were wanted first. */
  wanted(): Iterable<string>
  isPaused(): boolean
  onPrice(price: StreamedPrice): void
  /** Called when the state has changed, or, with false, only which addresses are covered. */
  onChange(isState: boolean): void
}

/** What a proxy accepts in one stream. */
const MAX_ADDRESSES = 150
/** How long changes are collected before a stream is opened: what a page renders together has one stream. */
const OPENING_MS = 5
/** The same while a stream is open: who scrolls through a list changes it with every frame. */
const CHANGES_MS = 1_000
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
  /** What is wanted, and fits. */
  #addresses: ReadonlySet<string> = new Set()
  /** What the open stream was asked for. */
  #asked: ReadonlySet<string> = new Set()
  /** What the proxy refuses, and what does not fit, by the address as it was written. */
  #refused: Refusals = new Map()
  #beyond: Refusals = new Map()
  /** The newest price of an address, by its lower case. */
  readonly #newest = new Map<string, StreamedPrice>()
  /** Whether prices arrive, or are expected to within moments: to buy them would be a waste. */
  #isLive = false
  #state: CurrentState = { state: 'connecting', since: 0 }
  #everyMs: number | undefined
  #reported = ''
  readonly #retries = new ExponentialBackoff(RECONNECT_MS, MAX_WAIT_MS)
  #heartbeatMs = HEARTBEAT_MS
  /** When the page last ran, as far as the stream knows. */
  #ranAt = 0
  #attempt: AbortController | undefined
  /** Why the proxy ends the connection, if it says so. */
  #end: StateDetails = {}
  /** Set while changes are collected, or while a hidden page still has its stream. */
  #stopWindow: (() => void) | undefined
  #isHiding = false
  #stopWait = () => {}
  #stopGrace = () => {}
  #stopLook = () => {}
  readonly #stopListening: () => void

  constructor(options: PageStreamOptions) {
    this.#options = options
    this.#clock = options.clock
    this.#stopListening = onPageResume(() => this.#attempt && this.#reopen())
  }

  /** Call it when `wanted` or `isPaused` may have changed. */
  changed(): void {
    const isHidden = this.#options.isPaused()
    if (this.#stopWindow && isHidden === this.#isHiding) return
    this.#stopWindow?.()
    this.#isHiding = isHidden
    const ms = isHidden ? HIDDEN_MS : this.#attempt ? CHANGES_MS : OPENING_MS
    this.#stopWindow = startTimer(this.#clock, ms, () => this.#update())
  }

  /** What has changed so far counts now, though an open stream is not asked for it yet. */
  settle(): void {
    if (!this.#stopWindow || this.#isHiding) return
    if (this.#attempt) this.#collect()
    else this.#update()
  }

  /** The newest price of an address in lower case. */
  find(address: string): StreamedPrice | undefined {
    return this.#newest.get(address)
  }

  /** Whether the price of an address comes from the stream, or is expected to within moments. */
  covers(address: string): boolean {
    return this.#isLive && this.#addresses.has(address) && !this.refusal(address)
  }

  /** What the stream says of an address that it does not serve. */
  refusal(address: string): RefusedAddress | undefined {
    return this.#refused.get(address) ?? this.#beyond.get(address)
  }

  get paceMs(): number {
    return this.#everyMs ?? DEFAULT_PACE_MS
  }

  /** Why an address gets no prices; undefined for one that does, or that the stream was not asked for. */
  failureOf(address: string): EtnMarketError | undefined {
    const refused = this.refusal(address)
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
      refused: [...this.#refused.values(), ...this.#beyond.values()],
    }
  }

  /** Only what is known is asked for afterwards. */
  stop(): void {
    this.#stopWindow?.()
    this.#stopListening()
    this.#close()
    this.#asked = new Set()
    this.#setState('connecting')
  }

  #isLate(): boolean {
    const now = this.#clock.now()
    const maxAgeMs = streamedAge(0, this.paceMs)
    for (const address of this.#asked) {
      const newestAt = Math.max(this.find(address.toLowerCase())?.at ?? 0, this.#state.since)
      if (!this.refusal(address) && isStale(now - newestAt, maxAgeMs)) return true
    }
    return false
  }

  #collect(): void {
    const wanted = [...new Set(this.#options.wanted())]
    this.#addresses = new Set(wanted.slice(0, MAX_ADDRESSES))
    const beyond = wanted.slice(MAX_ADDRESSES)
    this.#beyond = new Map(beyond.map((address) => [address, { address, code: 'too_many_addresses' }]))
  }

  #update(): void {
    this.#stopWindow?.()
    this.#stopWindow = undefined
    const wasPaused = this.#state.state === 'paused'
    if (this.#options.isPaused()) {
      if (wasPaused) return
      this.#close()
      this.#setState('paused')
      this.#report(true)
      return
    }
    const before = this.#addresses
    this.#collect()
    // A wait goes on: a page that is scrolled asks no more often than one that is not.
    const isWaiting = this.#state.state === 'reconnecting' && !this.#attempt && this.#addresses.size > 0
    if (isWaiting || (!wasPaused && isSame(this.#addresses, this.#asked)))
      this.#report(!isSame(before, this.#addresses))
    else this.#reopen()
  }

  #close(): void {
    this.#isLive = false
    this.#stopGrace()
    this.#stopWait()
    this.#stopLook()
    this.#attempt?.abort()
    this.#attempt = undefined
  }

  #reopen(): void {
    const { state, waitMs, code } = this.#state
    // Until the new stream answers, what the last one reported still holds, and is not reported again.
    const isOpen = this.#attempt !== undefined && this.#addresses.size > 0
    this.#close()
    this.#asked = this.#addresses
    if (state !== 'reconnecting') this.#retries.failures = 0
    this.#setState(isOpen ? state : 'connecting', isOpen ? { waitMs, code } : {})
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
    const { state, everyMs, status, code, refused } = this.status
    const reported = [state, everyMs, status, code, ...refused.map((each) => each.address)].join()
    const isNew = reported !== this.#reported
    this.#reported = reported
    if (isNew || isCoverageNew) this.#options.onChange(isNew)
  }

  /** From here on prices are missing. */
  #startGrace(): void {
    this.#stopGrace()
    this.#stopGrace = startTimer(this.#clock, GRACE_MS, () => {
      this.#isLive = false
      if (this.#state.state !== 'reconnecting') this.#setState('connecting')
      this.#report(true)
    })
  }

  async #connect(): Promise<void> {
    const attempt = new AbortController()
    const { signal } = attempt
    const startedAt = this.#clock.now()
    this.#attempt = attempt
    this.#asked = this.#addresses
    this.#end = {}
    this.#heartbeatMs = HEARTBEAT_MS
    this.#look(attempt)
    let response: Response | undefined
    let text = ''
    try {
      const path = `stream?addresses=${[...this.#asked].sort()}`
      response = await raceWithAbort(this.#options.open(path, { accept: 'text/event-stream' }, signal), signal)
      if (response === undefined || (isEventStream(response) && !response.body?.getReader)) {
        if (this.#attempt !== attempt) return
        // This runtime can read no stream, and shows that without holding a place at the proxy.
        this.#close()
        this.#setState('refused', { code: NO_STREAMING_FETCH })
        this.#report(true)
        return
      }
      const parse = isEventStream(response) && createEventParser()
      await readBody(response, signal, (part) => {
        if (this.#attempt !== attempt) return false
        // What has waited in a connection while the machine slept may be hours old.
        if (this.#hasPaused()) {
          this.#reopen()
          return false
        }
        if (!parse) {
          text += part
          return text.length < MAX_ERROR_LENGTH
        }
        this.#stopGrace()
        this.#isLive = true
        for (const event of parse(part)) this.#receive(event)
        // After the settings were read, which say how long it may be silent.
        this.#look(attempt)
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
    this.#stopLook()
    this.#attempt = undefined
    if (response && !isEventStream(response)) {
      this.#refuse(response, codeOfBody(text))
      return
    }
    if (this.#clock.now() - startedAt > GOOD_MS) this.#retries.failures = 0
    if (this.#isLive) this.#startGrace()
    this.#reconnect(this.#end)
  }

  /**
   * A connection that is silent for too long is lost, which no error says.
   * @param heardAt when it last said something, or was opened
   */
  #look(attempt: AbortController, heardAt = this.#clock.now()): void {
    const now = this.#clock.now()
    this.#ranAt = now
    this.#stopLook()
    const silentAt = heardAt + this.#heartbeatMs * SILENT_HEARTBEATS
    this.#stopLook = startTimer(this.#clock, Math.min(LOOK_MS, silentAt - now), () => {
      if (this.#hasPaused()) this.#reopen()
      else if (this.#clock.now() >= silentAt) attempt.abort()
      else this.#look(attempt, heardAt)
    })
  }

  /** Whether the page was frozen, or the machine slept: nothing more arrives on a connection that was open then. */
  #hasPaused(): boolean {
    return this.#clock.now() - this.#ranAt > LOOK_MS + this.#heartbeatMs
  }

  #receive({ type, data }: ServerSentEvent): void {
    if (type === 'price') {
      const price = readPrice(data, this.#clock)
      const newest = price && this.find(price.address.toLowerCase())
      // A stream that is opened anew sends what is known already.
      if (price === undefined || (newest && (price.stamp === newest.stamp || price.at <= newest.at))) return
      this.#newest.set(price.address.toLowerCase(), price)
      this.#options.onPrice(price)
    } else if (type === 'refused') {
      const refused = readRefused(data)
      this.#refused = new Map(refused.map((each) => [each.address, each]))
      if (!refused.some(({ code }) => code === 'too_many_addresses')) return
      this.#stopWait()
      this.#stopWait = startTimer(this.#clock, MAX_WAIT_MS, () => this.#reopen())
    } else if (type === 'settings' || type === 'status') {
      const { state, everyMs = this.#everyMs, heartbeatMs = this.#heartbeatMs, waitMs, code } = readReport(data)
      this.#everyMs = everyMs
      this.#heartbeatMs = heartbeatMs
      if (state !== undefined) this.#setState(state, { waitMs, code })
    } else if (type === 'end') {
      this.#end = readReport(data)
    }
  }

  /** There is no stream: for good, where the proxy itself says so, and to ask again would change nothing. */
  #refuse({ status, headers }: Response, code: string | undefined): void {
    this.#close()
    if (code !== undefined && status < 500 && status !== 429 && status !== 408) {
      this.#setState('refused', { status, code })
      this.#report()
    } else this.#reconnect({ status, code: code ?? FRONT_ERROR, waitMs: retryAfterMs(headers, this.#clock.toUnix()) })
  }

  /** What the server asks for is a floor, and jitter only adds to it. */
  #reconnect({ status, code, waitMs: askedMs = 0 }: StateDetails): void {
    const jitterMs = this.#retries.fail() * (MIN_SHARE + (1 - MIN_SHARE) * this.#clock.random())
    const waitMs = Math.ceil(Math.min(askedMs, MAX_WAIT_MS) + jitterMs)
    this.#stopWait()
    this.#stopWait = startTimer(this.#clock, waitMs, () => void this.#connect())
    this.#setState('reconnecting', { status, code, waitMs })
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
type Refusals = ReadonlyMap<string, RefusedAddress>

const isSame = (one: ReadonlySet<string>, other: ReadonlySet<string>) =>
  one.size === other.size && [...one].every((address) => other.has(address))

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
