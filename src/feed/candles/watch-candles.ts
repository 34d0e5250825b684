import { sleep } from '../../concurrency/clock.ts'
import { invalidOption, rejectUnknown, requireMilliseconds } from '../../errors/input.ts'
import { operations } from '../../generated/operations.ts'
import type { Candle } from '../../generated/types.ts'
import { defaultOf } from '../../operations/validate-params.ts'
import { toWatchFailed } from '../events.ts'
import type { Lifetime } from '../lifetime.ts'
import { followLatest } from '../requests/latest-value-stream.ts'
import {
  createFailureReport,
  createRequester,
  type RecurringRequests,
  type Requester,
  type RequesterParts,
} from '../requests/requester.ts'
import type { FeedClient } from '../types.ts'
import { BUCKET_SECONDS } from './buckets.ts'
import { addAnswer, countMissing, type KnownSeries, serviceTime } from './series.ts'
import { type CandleStore, isCandles, type SeriesId } from './store.ts'

/** Options of `feed.watchCandles`. */
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
 * The newest candles of a token, oldest first. The last one may still be open. Buckets without a trade are missing where the
 * service leaves them out.
 */
export type CandleSeries = readonly Candle[]

export interface CandleWatchParts extends RequesterParts {
  readonly client: FeedClient
  readonly candles: CandleStore
  readonly lifetime: Lifetime
  readonly recurring: RecurringRequests
  /** Returns the EIP-55 form of addresses; throws the client's error for an invalid one. */
  toChecksum(addresses: readonly string[]): string[]
}

const { base, perItem } = operations['token.candles'].credits
const OPTIONS = ['bucket', 'everyMs', 'limit', 'currency', 'signal']
const DEFAULT_LIMIT = 100

/** Keeps a series up to date, and yields it after each update. */
export function watchCandles(
  input: string,
  options: CandleWatchOptions,
  parts: CandleWatchParts,
): AsyncIterable<CandleSeries> {
  rejectUnknown('candle watch option', options, OPTIONS)
  const { bucket, everyMs, limit = DEFAULT_LIMIT, currency = defaultOf('token.candles', 'currency'), signal } = options
  requireMilliseconds('everyMs', everyMs)
  if (bucket === undefined) throw invalidOption('bucket', bucket, Object.keys(BUCKET_SECONDS).join(', '))
  const [address = input] = parts.toChecksum([input])
  parts.client.token.candles.estimate({ address, bucket, limit, currency })
  parts.lifetime.signal.throwIfAborted()
  const id = { address, bucket, currency }
  return followLatest<CandleSeries>({
    signal,
    lifetime: parts.lifetime,
    onRead: (series) => series,
    async follow(publish, ended) {
      const stopPlanning = parts.recurring.add({ ...planOf(id, limit, everyMs), everyMs })
      await follow(id, limit, everyMs, publish, ended, parts).finally(stopPlanning)
    },
  })
}

/** Each request asks for the open candle and for those that have ended since the one before. */
function planOf(id: SeriesId, limit: number, everyMs: number) {
  const candles = Math.min(limit, 1 + everyMs / (BUCKET_SECONDS[id.bucket] * 1_000))
  const { address, bucket, currency } = id
  return {
    operation: 'token.candles' as const,
    address,
    key: [address, bucket, currency].join(),
    credits: () => base + perItem * candles,
  }
}

async function follow(
  id: SeriesId,
  limit: number,
  everyMs: number,
  publish: (series: CandleSeries) => void,
  signal: AbortSignal,
  parts: CandleWatchParts,
): Promise<void> {
  const { clock, dailyBudget, candles } = parts
  const failures = createFailureReport((error) => parts.emit(toWatchFailed(id.address, error)))
  const requester = createRequester(parts, { signal, failures, everyMs: () => everyMs })
  const buyer = createCandleBuyer(id, limit, requester, parts)
  for (;;) {
    const known = await candles.read(id)
    signal.throwIfAborted()
    const ageMs = clock.now() - (known?.at ?? Number.NEGATIVE_INFINITY)
    const isFresh = known && known.depth >= limit && ageMs >= 0 && ageMs < everyMs * dailyBudget.requestStretch
    const series = isFresh ? known : await buyer.update(known)
    if (!isFresh) candles.write(id, series)
    publish(series.candles.slice(-limit))
    const waitMs = series.at + everyMs * dailyBudget.requestStretch - clock.now()
    if (waitMs > 0) await sleep(clock, waitMs, signal)
  }
}

/** Buys what is missing in a series. */
function createCandleBuyer(id: SeriesId, limit: number, requester: Requester, { clock }: CandleWatchParts) {
  const bucketSeconds = BUCKET_SECONDS[id.bucket]
  /** What the service's clock shows beyond the clock of the feed, in milliseconds; undefined before its first answer. */
  let clockOffset: number | undefined
  const serviceNow = () => (clockOffset === undefined ? clock.wall.now() : clock.now() + clockOffset)

  return {
    async update(known: KnownSeries | undefined): Promise<KnownSeries> {
      for (let previous = 0; ; ) {
        let asked = limit
        const { data, sentAt, headers } = await requester.request<Candle[]>(() => {
          const missing = countMissing(known, limit, serviceNow(), bucketSeconds)
          // The second request for the same candles asks for all, so that there is no third.
          asked = missing > previous ? missing : limit
          return {
            operation: 'token.candles',
            addresses: [id.address],
            worstCase: base + perItem * asked,
            params: { ...id, limit: asked },
            isUsable: isCandles,
          }
        })
        previous = asked
        const now = clock.now()
        clockOffset = serviceTime(headers?.date, data.at(-1), clock.wall.now()) - now
        const answer = { candles: data, asked, sentAt, tookMs: now - sentAt, serviceNow: now + clockOffset }
        const series = addAnswer(known, answer, limit, bucketSeconds)
        // A bucket ended between the decision and the answer: the rest is requested at once.
        if (series !== undefined) return series
      }
    },
  }
}
