import { raceWithAbort } from '../../concurrency/cancellation.ts'
import { startTimer } from '../../concurrency/clock.ts'
import { isObject } from '../../operations/type-guards.ts'
import { exponentialBackoff } from '../../utils/exponential-backoff.ts'
import type { FeedClock } from '../feed-clock.ts'
import { createEventParser } from './parse-events.ts'
import { readPrice, type StreamedPrice } from './read-price.ts'
import { type FeedStreamState, type FeedStreamStatus, readReport, worstOf } from './stream-state.ts'

/** One stream of some addresses, which reconnects by itself. */
export interface StreamConnection {
  /** Whether its prices arrive, or are expected to within moments: buying them would be a waste. */
  readonly isLive: boolean
  readonly status: FeedStreamStatus
  stop(): void
}

export interface StreamConnectionParts {
  readonly clock: FeedClock
  /** Opens the stream. @param headers of the request, with the last event id */
  open(headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Response>
  onPrice(price: StreamedPrice): void
  /** Called when `isLive` has become false. */
  onDown(): void
  /** Called when `status` has changed. */
  onStatus(): void
}

/** How long prices may be missing before they are bought: a reconnect takes less. */
const GRACE_MS = 5_000
/** The first reconnect comes within this time, at random: a thousand pages whose server restarts come back one after another. */
const RECONNECT_MS = 4_000
const MIN_SHARE = 1 / 8
const MAX_WAIT_MS = 60_000
/** A stream that has lasted so long was a good one: after it, the waits begin anew. */
const GOOD_MS = 30_000
/** Until the server states its own. */
const HEARTBEAT_MS = 15_000
/** A connection is lost when it is silent for so many heartbeats. */
const SILENT_HEARTBEATS = 2.5

export function openStreamConnection(parts: StreamConnectionParts): StreamConnection {
  const { clock, open, onPrice, onDown, onStatus } = parts
  let isLive = true
  let status: FeedStreamStatus = worstOf([])
  let isStopped = false
  let lastId = ''
  let failures = 0
  let stopAttempt = () => {}
  let stopGrace = () => {}
  let stopWait = () => {}

  function setStatus(state: FeedStreamState, waitMs?: number, everyMs = status.everyMs): void {
    if (isStopped) return
    const isNews = state !== status.state || everyMs !== status.everyMs
    status = { state, everyMs, until: waitMs === undefined ? undefined : clock.toUnix(clock.now() + waitMs) }
    if (isNews) onStatus()
  }

  function goDown(): void {
    stopGrace()
    if (!isLive || isStopped) return
    isLive = false
    onDown()
  }

  /** From here on prices are missing. */
  function startGrace(): void {
    stopGrace()
    stopGrace = startTimer(clock, GRACE_MS, goDown)
  }

  function reconnect(refusal: StreamRefusal | undefined): void {
    if (isStopped) return
    if (refusal?.isFinal) setStatus('unavailable')
    if (refusal) goDown()
    if (refusal?.isFinal) return
    const backoffMs = exponentialBackoff(failures, RECONNECT_MS, MAX_WAIT_MS)
    failures++
    // What the server asks for is a floor, and jitter only adds to it.
    const waitMs = (refusal?.retryAfterMs ?? 0) + backoffMs * (MIN_SHARE + (1 - MIN_SHARE) * clock.random())
    stopWait = startTimer(clock, Math.ceil(waitMs), () => void run())
    setStatus('reconnecting', waitMs)
  }

  async function run(): Promise<void> {
    const controller = new AbortController()
    const startedAt = clock.now()
    const watchdog = createWatchdog(clock, () => controller.abort())
    stopAttempt = () => {
      watchdog.stop()
      controller.abort()
    }
    let refusal: StreamRefusal | undefined
    try {
      const headers = { accept: 'text/event-stream', ...(lastId !== '' && { 'last-event-id': lastId }) }
      const response = await raceWithAbort(open(headers, controller.signal), controller.signal)
      refusal = refusalOf(response, clock.wall.now())
      if (refusal === undefined) await read(response, watchdog, controller.signal)
      else response.body?.cancel().catch(() => {})
    } catch {
      // The connection failed or broke.
    }
    watchdog.stop()
    if (refusal === undefined && clock.now() - startedAt > GOOD_MS) failures = 0
    if (isLive && !isStopped) startGrace()
    reconnect(refusal)
  }

  async function read(response: Response, watchdog: Watchdog, signal: AbortSignal): Promise<void> {
    const parse = createEventParser()
    const decoder = new TextDecoder()
    const reader = response.body?.getReader()
    // In Node the signal of a request that is garbage-collected no longer aborts it.
    const cancel = () => void reader?.cancel().catch(() => {})
    signal.addEventListener('abort', cancel)
    try {
      for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
        if (signal.aborted) return
        stopGrace()
        isLive = true
        watchdog.reset()
        for (const { type, data, lastId: id } of parse(decoder.decode(part.value, { stream: true }))) {
          lastId = id
          if (type === 'settings') watchdog.setHeartbeat(data)
          const report = type === 'status' ? readReport(data) : undefined
          if (report) setStatus(report.state, report.waitMs, report.everyMs)
          const price = type === 'price' ? readPrice(data, clock) : undefined
          if (price) onPrice(price)
        }
        // A proxy that says nothing of its state is fine.
        if (status.state === 'connecting' || status.state === 'reconnecting') setStatus('fine')
      }
    } finally {
      signal.removeEventListener('abort', cancel)
      cancel()
    }
  }

  startGrace()
  void run()
  return {
    get isLive() {
      return isLive
    },
    get status() {
      return status
    },
    stop() {
      isStopped = true
      isLive = false
      stopGrace()
      stopWait()
      stopAttempt()
    },
  }
}

interface Watchdog {
  /** Something has arrived. */
  reset(): void
  /** @param settings the data of the event that a stream begins with */
  setHeartbeat(settings: string): void
  stop(): void
}

/** Notices that a connection is silent for too long, which no error says. */
function createWatchdog(clock: FeedClock, onSilence: () => void): Watchdog {
  let limitMs = HEARTBEAT_MS * SILENT_HEARTBEATS
  let stop = startTimer(clock, limitMs, onSilence)
  const reset = () => {
    stop()
    stop = startTimer(clock, limitMs, onSilence)
  }
  return {
    reset,
    setHeartbeat(settings) {
      const { heartbeatMs } = parseSettings(settings)
      if (heartbeatMs === undefined) return
      limitMs = heartbeatMs * SILENT_HEARTBEATS
      reset()
    },
    stop: () => stop(),
  }
}

function parseSettings(data: string): { heartbeatMs?: number } {
  try {
    const settings: unknown = JSON.parse(data)
    const heartbeatMs = isObject(settings) ? settings.heartbeatMs : undefined
    return typeof heartbeatMs === 'number' && heartbeatMs > 0 ? { heartbeatMs } : {}
  } catch {
    return {}
  }
}

/** Why there is no stream. */
interface StreamRefusal {
  /** Whether asking again would change nothing. */
  readonly isFinal: boolean
  /** The wait that the server asks for, milliseconds. */
  readonly retryAfterMs: number
}

/** Reads a response that is no stream; undefined for one that is. */
function refusalOf({ status, headers }: Response, now: number): StreamRefusal | undefined {
  const isStream = /^text\/event-stream\b/i.test(headers.get('content-type') ?? '')
  if (status === 200 && isStream) return undefined
  // Any other success is a page of a host without a stream, and a 4xx says that the request itself is not accepted.
  const isTransient = status >= 500 || status === 429 || status === 408
  return { isFinal: !isTransient, retryAfterMs: readRetryAfter(headers.get('retry-after'), now) }
}

function readRetryAfter(value: string | null, now: number): number {
  const text = value?.trim() ?? ''
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000
  const at = Date.parse(text)
  return Number.isNaN(at) ? 0 : Math.max(0, at - now)
}
