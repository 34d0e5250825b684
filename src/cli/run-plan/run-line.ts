import { appendFileSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { type EtnMarketError, isEtnMarketError, type TokenCandlesParams } from 'etn-market'
import { methodOf } from '../call-params.ts'
import { reasonOf } from '../files.ts'
import { openJournal } from '../journal.ts'
import { addressParam } from '../plan-file.ts'
import { endOfActive, type PlanLine, startOfActive } from '../plan-line.ts'
import { seriesIdOf, seriesName } from '../series.ts'
import { openSeriesFile } from '../series-file.ts'
import { syncSeries } from '../sync-series.ts'
import {
  isFinal,
  isOverLimit,
  nameOf,
  type RunParts,
  repeat,
  reportFailure,
  reportLimit,
  sleepUntil,
  toIso,
} from './repeat.ts'

/** Watches the prices of a line in its hours, through the feed of the run. @throws the client's error if no later call can succeed */
export async function runPrices(line: PlanLine, parts: RunParts): Promise<void> {
  const { clock, signal } = parts
  if (line.times.once !== undefined) return
  while (!signal.aborted) {
    const now = clock.now()
    const begin = startOfActive(line.times.span, now)
    await sleepUntil(begin, parts)
    if (!signal.aborted) await watchUntil(endOfActive(line.times.span, begin), line, parts)
  }
}

async function watchUntil(end: number, line: PlanLine, parts: RunParts): Promise<void> {
  const { feed, clock, state, emit, signal } = parts
  const stopping = new AbortController()
  const stop = () => stopping.abort()
  signal.addEventListener('abort', stop)
  let failure: unknown
  const fail = (error: unknown) => {
    failure ??= error
    stop()
  }
  const { addresses = [], times, alert } = line
  const watch = feed.watch(addresses, {
    everyMs: times.everyMs,
    onPrice({ address, usd, etn, at, stale }) {
      state.count(line, { done: 1 })
      const price = { address, usd, etn, at: toIso(at), stale }
      emit({ event: 'price', ...nameOf(line), ...price })
      appendLine(line, parts, price)
    },
    onError(error) {
      // The feed goes on by itself.
      if (isEtnMarketError(error) && isOverLimit(error)) return void reportLimit(line, parts, error)
      try {
        reportFailure(line, parts, error)
      } catch (final) {
        fail(final)
      }
    },
  })
  const alerts = alert === undefined ? [] : addresses.map((address) => follow(address))

  async function follow(address: string): Promise<void> {
    try {
      for await (const { condition, price } of feed.alert(address, {
        ...alert,
        everyMs: times.everyMs,
        signal: stopping.signal,
      }))
        emit({ event: 'alert', ...nameOf(line), address, condition, usd: price.usd, at: toIso(price.at) })
    } catch (error) {
      if (!stopping.signal.aborted) fail(error)
    }
  }

  await sleepUntil(end, { clock, signal: stopping.signal })
  stop()
  signal.removeEventListener('abort', stop)
  watch.stop()
  await Promise.all(alerts)
  if (failure !== undefined && !signal.aborted) throw failure
}

/** Calls the operation of a line for each of its addresses. The journal of each time has the answers, so that none is bought twice. */
export function runSweep(line: PlanLine, parts: RunParts): Promise<void> {
  return repeat(line, parts, { work: (due) => sweep(line, parts, due), isFinishing: true })
}

async function sweep(line: PlanLine, parts: RunParts, due: number): Promise<void> {
  const { client, state, emit, file, signal } = parts
  const named = file(journalName(line, due))
  const journal = await openJournal(named)
  const counts = { done: 0, failed: 0, stored: 0, credits: 0 }
  let ending: EtnMarketError | undefined
  // Ends the sweep early, and still has the answers to what is in flight.
  const stopping = new AbortController()
  const stop = () => stopping.abort()
  signal.addEventListener('abort', stop)
  if (signal.aborted) stop()
  try {
    const params = (line.addresses ?? []).map((address) => ({
      ...line.params,
      ...addressParam(line.operation, address),
    }))
    const calls = methodOf(client, line.operation).many(params, {
      store: journal.store,
      signal: stopping.signal,
      whenAborted: 'finish',
      onProgress({ credits }) {
        counts.credits = credits
      },
    })
    for await (const { error, stored } of calls) {
      if (error !== undefined && (isFinal(error) || isOverLimit(error))) {
        ending ??= error
        stop()
        continue
      }
      if (error !== undefined) {
        counts.failed++
        reportFailure(line, parts, error)
        continue
      }
      counts.done++
      if (stored) counts.stored++
      else state.count(line, { done: 1 })
    }
  } finally {
    signal.removeEventListener('abort', stop)
    for (const text of journal.unwritten) {
      const message = `${named.name}: it was to take: ${text}`
      emit({ event: 'failed', ...nameOf(line), code: 'not_written', message, credits: 0 })
    }
    journal.close()
    const left = line.count - counts.done - counts.failed
    emit({ event: 'sweep', ...nameOf(line), file: named.name, total: line.count, left, ...counts })
  }
  if (ending !== undefined) throw ending
}

/** The journal of a time, such as `locks-2026-11-23.jsonl`. What is due more than once a day has the time in the name, too. */
function journalName({ file, operation, times }: PlanLine, due: number): string {
  const [, base = '', ending = ''] = /^(.*?)(\.[^./\\]*)?$/s.exec(file ?? `${operation}.jsonl`) ?? []
  const length = times.once === undefined ? 'YYYY-MM-DDTHH:MM'.length : 'YYYY-MM-DD'.length
  const time = new Date(due).toISOString().slice(0, length).replace(':', '')
  return `${base}-${time}${ending || '.jsonl'}`
}

const DEFAULT_FOLDER = 'candles'
const DEFAULT_LIMIT = 100

/** Keeps a file of candles for each address of a line up to date. */
export function runCandles(line: PlanLine, parts: RunParts): Promise<void> {
  async function work(): Promise<void> {
    for (const address of line.addresses ?? []) {
      if (parts.signal.aborted) return
      await sync(address, line, parts).catch((error) => reportFailure(line, parts, error))
    }
  }
  return repeat(line, parts, { work, isFinishing: false })
}

async function sync(address: string, line: PlanLine, { client, clock, state, emit, file }: RunParts): Promise<void> {
  const { limit = DEFAULT_LIMIT, ...rest } = line.params as Partial<TokenCandlesParams>
  const id = seriesIdOf({ ...rest, address })
  const { bucket, currency } = id
  const named = file(seriesName(line.file ?? DEFAULT_FOLDER, id, line.count > 1))
  mkdirSync(dirname(named.path), { recursive: true })
  const series = await openSeriesFile(named, id)
  let credits = 0
  try {
    const { added, updated } = await syncSeries(series, {
      bucket,
      limit,
      now: clock.now() / 1_000,
      async buy(count) {
        const { data, meta } = await client.token
          .candles({ address, bucket, currency, limit: count }, { validate: 'strict' })
          .withMeta()
        credits += meta.credits.charged
        return data
      },
    })
    state.count(line, { done: 1 })
    emit({ event: 'candles', ...nameOf(line), address, file: named.name, added, updated, credits })
  } finally {
    series.close()
  }
}

/** Makes the calls of a line that has no addresses. */
export function runCall(line: PlanLine, parts: RunParts): Promise<void> {
  const { client, clock, state, emit, signal } = parts
  async function work(): Promise<void> {
    for (let number = 0; number < line.count && !signal.aborted; number++) {
      const at = toIso(clock.now())
      // Without the signal: what is in flight is waited for.
      const { data, meta } = await methodOf(client, line.operation)(line.params, {}).withMeta()
      state.count(line, { done: 1 })
      emit({ event: 'answer', ...nameOf(line), params: line.params, data, credits: meta.credits.charged, at })
      appendLine(line, parts, { at, operation: line.operation, params: line.params, data })
    }
  }
  return repeat(line, parts, { work, isFinishing: false })
}

/** Appends what a line has bought to its file, if it has one. What the file does not take is in an event, and the run goes on. */
export function appendLine(line: PlanLine, { file, emit }: Pick<RunParts, 'file' | 'emit'>, value: object): void {
  if (line.file === undefined) return
  const { name, path } = file(line.file)
  const text = JSON.stringify(value)
  try {
    appendFileSync(path, `${text}\n`)
  } catch (error) {
    const message = `${name}: ${reasonOf(error)}. It was to take: ${text}`
    emit({ event: 'failed', ...nameOf(line), code: 'not_written', message, credits: 0 })
  }
}
