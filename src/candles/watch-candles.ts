import { sleep } from '../concurrency/clock.ts'
import type { EtnMarketError } from '../errors/base.ts'
import { invalidOption, rejectUnknown, requireMilliseconds } from '../errors/input.ts'
import { toWatchFailed } from '../feed/failures.ts'
import { type FeedInternals, feedInternalsOf } from '../feed/feed-internals.ts'
import { type Follow, followLatest } from '../feed/requests/latest-value-stream.ts'
import { buyUnlessKnown, type RecurringRequest, Requester } from '../feed/requests/requester.ts'
import type { PriceFeed } from '../feed/types.ts'
import type { Candle } from '../generated/types.ts'
import { defaultOf } from '../operations/validate-params.ts'
import { BUCKET_SECONDS, candleCredits, updateCredits } from './buckets.ts'
import { applyChange, updateSeries } from './keep-series.ts'
import { checkStored, finalUntilOf, isCandles, type KnownSeries, type SeriesId, serviceTime } from './series.ts'

/** Options of `watchCandles`. */
export interface CandleWatchOptions {
  /** Length of one candle. */
  bucket: '1m' | '15m' | '1h' | '4h' | '1d'
  /** Milliseconds between requests, above 0. A budget that is too small makes it longer. */
  everyMs: number
  /** Number of newest candles in the series, 1 to 500. @default 100 */
  limit?: number | undefined
  /** Quote currency. @default 'USD' */
  currency?: 'USD' | 'ETN' | undefined
  /** Ends the iteration. It rejects with the signal's reason. */
  signal?: AbortSignal | undefined
}

/**
 * The newest candles of a token, oldest first. The last one may still be open. Buckets without a trade are missing if the service leaves them out.
 */
export type CandleSeries = readonly Candle[]

const OPTIONS = ['bucket', 'everyMs', 'limit', 'currency', 'signal']
const DEFAULT_LIMIT = 100

const MAX_SERIES = 100
const MIN_TTL_MS = 3_600_000

/**
 * Keeps the newest candles of a token up to date. Iterating over it yields the series after each update, oldest candle first;
 * a slow reader misses older states. The first request costs 100 credits and 1 for each candle. Later ones ask only for the
 * candles that are missing and for the open one, also after a restart if the feed has a store.
 * @example for await (const candles of watchCandles(feed, token, { bucket: '1h', everyMs: 300_000 })) draw(candles)
 * @throws the client's error, unless it is transient.
 */
export function watchCandles(feed: PriceFeed, input: string, options: CandleWatchOptions): AsyncIterable<CandleSeries> {
  rejectUnknown('candle watch option', options, OPTIONS)
  const { bucket, limit = DEFAULT_LIMIT, currency = defaultOf('token.candles', 'currency'), signal } = options
  const everyMs = requireMilliseconds('everyMs', options.everyMs)
  if (bucket === undefined) throw invalidOption('bucket', bucket, Object.keys(BUCKET_SECONDS).join(', '))
  const internals = feedInternalsOf(feed)
  const { client, lifetime, toChecksum, share } = internals
  client.token.candles.estimate({ address: input, bucket, limit, currency })
  const [address = input] = toChecksum([input])
  lifetime.throwIfAborted()
  const id = { address, bucket, currency }
  const planned: RecurringRequest = {
    operation: 'token.candles',
    address,
    key: [address, bucket, currency].join(),
    everyMs,
    credits: () => updateCredits(bucket, everyMs, limit),
  }
  const watches = share('candles', () => new CandleWatches(internals))
  return followLatest(internals, signal, planned, (...stream) => watches.follow(id, limit, everyMs, ...stream))
}

/** The candle watches of a feed, and the series that they share with each other and by the feed's store. */
class CandleWatches {
  readonly #feed: FeedInternals
  readonly #known = new Map<string, KnownSeries>()

  constructor(feed: FeedInternals) {
    this.#feed = feed
  }

  /** Buys candles, and publishes the series, until the signal aborts. */
  async follow(
    id: SeriesId,
    limit: number,
    everyMs: number,
    ...[publish, signal]: Parameters<Follow<CandleSeries>>
  ): Promise<void> {
    const { clock, dailyBudget, emit } = this.#feed
    const report = (error: EtnMarketError) => emit(toWatchFailed(id.address, error))
    const requester = new Requester(this.#feed, signal, () => everyMs, report)
    /** What the service's clock shows beyond the clock of the feed, in milliseconds, as its last answer shows it. */
    let clockOffset = 0
    const ifFresh = (series: KnownSeries | undefined) => {
      const isFresh = series && series.depth >= limit && clock.now() - series.at < everyMs * dailyBudget.requestStretch
      return isFresh ? series : undefined
    }

    async function buyMissing(before: KnownSeries | undefined, check: () => void): Promise<KnownSeries> {
      const { candles = [], depth = 0, finalUntil } = before ?? {}
      const series = { candles, bucket: id.bucket, since: candles[0]?.time, finalUntil }
      let asked = 0
      let at = 0
      async function buy(count: () => number): Promise<readonly Candle[]> {
        const { data, sentAt, headers } = await requester.request<Candle[]>(() => {
          check()
          asked = count()
          return {
            operation: 'token.candles',
            addresses: [id.address],
            worstCase: candleCredits(asked),
            params: { ...id, limit: asked },
            isUsable: isCandles,
          }
        })
        clockOffset = serviceTime(headers?.date, data.at(-1), clock.toUnix()) - clock.now()
        at = sentAt
        return data
      }
      const now = () => (clock.now() + clockOffset) / 1_000
      const change = await updateSeries(series, { limit, most: limit, now, buy })
      const all = change.gap ? change.fresh : applyChange(candles, change)
      const newDepth = change.gap ? asked : Math.max(asked, depth)
      return {
        candles: all.slice(-newDepth),
        depth: newDepth,
        finalUntil: finalUntilOf(all.at(-1)?.time ?? 0, at + clockOffset, BUCKET_SECONDS[id.bucket]),
        at,
      }
    }

    const update = async (before: KnownSeries | undefined, check: () => void): Promise<KnownSeries> => {
      let series = await buyMissing(before && before.depth >= limit ? before : undefined, check)
      // Where candles between may be missing, all are bought.
      if (series.depth < limit) series = await buyMissing(undefined, check)
      this.#write(id, series)
      return series
    }

    for (;;) {
      const known = await this.#read(id)
      signal.throwIfAborted()
      const readFresh = () => ifFresh(this.#known.get(keyOf(id)))
      const series = ifFresh(known) ?? (await buyUnlessKnown(readFresh, (check) => update(known, check)))
      publish(() => series.candles.slice(-limit))
      const waitMs = series.at + everyMs * dailyBudget.requestStretch - clock.now()
      if (waitMs > 0) await sleep(clock, waitMs, signal)
    }
  }

  /** Resolves with the newest state; undefined if nothing valid is known. */
  async #read(id: SeriesId): Promise<KnownSeries | undefined> {
    const { clock } = this.#feed
    const stored = await this.#feed.store?.read(keyOf(id), (value) => checkStored(id, value, clock))
    const known = this.#known.get(keyOf(id))
    return stored && !(known && known.at >= stored.at) ? stored : known
  }

  #write(id: SeriesId, series: KnownSeries): void {
    const key = keyOf(id)
    this.#known.delete(key)
    this.#known.set(key, series)
    const [oldest] = this.#known.keys()
    if (this.#known.size > MAX_SERIES && oldest !== undefined) this.#known.delete(oldest)
    // After that time no candle of it is among the newest.
    const ttlMs = series.depth * BUCKET_SECONDS[id.bucket] * 1_000
    const stored = { ...id, ...series, at: this.#feed.clock.toUnix(series.at) }
    this.#feed.store?.write(key, stored, Math.max(MIN_TTL_MS, ttlMs))
  }
}

function keyOf({ address, bucket, currency }: SeriesId): string {
  return `etn-market:feed:candles:1:${address.toLowerCase()}:${bucket}:${currency}`
}
