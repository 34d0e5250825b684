import { internalsOf } from '../../client-internals.ts'
import { type Clock, startTimer } from '../../concurrency/clock.ts'
import type { Budget } from '../../credits/budget.ts'
import type { ListedTokens } from '../listed-tokens.ts'
import { refuse } from '../refusal.ts'
import type { Visitors } from '../visitors.ts'
import { createEventStream, type EventStream } from './event-stream.ts'
import { createPace } from './pace.ts'
import { createPriceSources, type PriceSource } from './price-source.ts'
import { readStream } from './read-stream.ts'
import { createStreamAccounts } from './stream-accounts.ts'
import type { StreamSettings } from './stream-settings.ts'
import { reportOf } from './stream-status.ts'
import type { StreamVisitor } from './stream-visitor.ts'

/** The open streams of a proxy. */
export interface Streams {
  /** The number of streams. */
  readonly size: number
  /** The number of different addresses. */
  readonly addresses: number
  /** By how much the intervals of the greediest visitor are stretched. */
  readonly stretch: number
  /** The number of streams of a visitor. */
  countOf(visitor: string): number
  /** @throws Refusal, or the error of the client for an invalid address */
  open(request: Request, url: URL, visitor: string): Promise<Response>
  /** Ends all. */
  close(): void
}

export interface StreamsParts {
  readonly settings: StreamSettings
  readonly clock: Clock
  readonly listed: ListedTokens
  /** Undefined where visitors have no limit of their own. */
  readonly visitors: Visitors | undefined
  readonly budget: Budget
  /** @throws the client's error for addresses that are none */
  check(addresses: readonly string[]): void
  redact(text: string): string
}

/** When a page may ask again that has too many streams. */
const RETRY_MS = 10_000
/** Proxies before this one must neither keep nor collect what is sent. */
const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
  'x-content-type-options': 'nosniff',
}

/** An open stream, and what it is for. */
interface OpenStream {
  readonly stream: EventStream
  readonly source: PriceSource
  readonly visitor: StreamVisitor
}

export function createStreams(parts: StreamsParts): Streams {
  const { settings, clock, listed, visitors, budget, check } = parts
  const { feed, internals, maxPerVisitor, heartbeatMs } = settings
  // The feed may be made of another client, with another key.
  const redactOfFeed = internalsOf(feed)?.redact ?? ((text: string) => text)
  const streams = new Set<OpenStream>()
  const sources = createPriceSources({
    clock,
    watch: internals.watchForVisitors,
    redact: (text) => parts.redact(redactOfFeed(text)),
    onLate: reportAll,
  })
  const accounts = createStreamAccounts({
    clock,
    visitors,
    total: budget,
    sourcesOf: sources.of,
    onChange: () => pace.divide(),
  })
  const removePayer = internals.setPayer(accounts.payer)
  const stopListening = internals.onEvent(({ type }) => {
    // Some events are raised while the feed is in the middle of what they report.
    if (type !== 'feed.bought') queueMicrotask(reportAll)
  })
  const isClosed = () => feed.status().state === 'closed'
  let stopTimer: (() => void) | undefined
  const pace = createPace({ clock, internals, sources, accounts, isClosed, onPace: reportAll })

  const reportTo = ({ source, visitor }: Pick<OpenStream, 'source' | 'visitor'>) =>
    reportOf(
      {
        source,
        visitor,
        totalBrokeUntil: accounts.totalBrokeUntil,
        holdUp: internals.holdUp(),
        feedStretch: internals.stretch(),
      },
      clock,
    )

  function reportAll(): void {
    for (const open of streams) open.stream.report(reportTo(open))
  }

  function setTimer(): void {
    // Twice in that time, so that no stream is silent for longer, whenever it was written to.
    stopTimer ??= startTimer(clock, heartbeatMs / 2, () => {
      stopTimer = undefined
      // A closed feed has no more prices: its pages reconnect, or buy.
      if (isClosed()) endAll()
      accounts.renew()
      if (streams.size > 0) pace.divide()
      for (const { stream } of [...streams]) stream.heartbeat()
      if (streams.size > 0) setTimer()
    })
  }

  function stopTimers(): void {
    stopTimer?.()
    stopTimer = undefined
    pace.stop()
  }

  function endAll(): void {
    for (const { stream } of [...streams]) stream.end()
  }

  /** Beside the addresses of the settings, those that the operator watches: they are bought anyway. */
  async function requireAllowed(addresses: readonly string[], signal: AbortSignal): Promise<void> {
    if (settings.addresses === 'any') return
    const allowed = settings.addresses
    const watched = new Set(Array.from(internals.ownIntervals().keys(), (address) => address.toLowerCase()))
    const others = addresses.map((address) => address.toLowerCase()).filter((address) => !watched.has(address))
    if (others.length === 0) return
    const known = allowed === 'listed' ? await listed.get(signal) : allowed
    if (!others.every((address) => known.has(address)))
      throw refuse(403, 'not_allowed', 'The stream has some addresses only, and not all of these.')
  }

  return {
    get size() {
      return streams.size
    },
    get addresses() {
      return sources.addresses
    },
    get stretch() {
      return Math.max(1, ...sources.list().map((source) => source.stretch))
    },
    countOf: (id) => accounts.find(id)?.streams ?? 0,
    async open(request, url, id) {
      const { signal, headers } = request
      const asked = readStream(url, settings, check)
      await requireAllowed(asked.addresses, signal)
      signal.throwIfAborted()
      if (isClosed()) throw refuse(503, 'proxy_closed', 'The proxy is shutting down.')
      if ((accounts.find(id)?.streams ?? 0) >= maxPerVisitor)
        throw refuse(429, 'too_many_streams', `You have ${maxPerVisitor} open streams.`, { retryAfterMs: RETRY_MS })
      const source = sources.open(asked)
      const visitor = accounts.enter(id)
      const onAbort = () => stream.end()
      const stream = createEventStream({
        source,
        heartbeatMs,
        lastEventId: headers.get('last-event-id'),
        visitor,
        status: () => reportTo(open),
        onEnd() {
          signal.removeEventListener('abort', onAbort)
          streams.delete(open)
          accounts.leave(visitor)
          if (streams.size === 0) stopTimers()
          else pace.divideSoon()
        },
      })
      const open: OpenStream = { stream, source, visitor }
      streams.add(open)
      setTimer()
      pace.divideSoon()
      signal.addEventListener('abort', onAbort)
      return new Response(stream.body, { headers: HEADERS })
    },
    close() {
      endAll()
      stopListening()
      removePayer()
    },
  }
}
