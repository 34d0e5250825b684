import { closeSync, existsSync, mkdirSync, openSync, readSync } from 'node:fs'
import { dirname } from 'node:path'
import { type EtnMarketError, isEtnMarketError, type OperationParams, type SweepOptions } from 'etn-market'
import { methodOf } from '../call-params.ts'
import { CommandError, EXIT } from '../failure.ts'
import { appendLine, reasonOf, statOpenFile, statPath } from '../files.ts'
import { openJournal } from '../journal.ts'
import { addressParam } from '../plan-file.ts'
import { endOfActive, type PlanLine, startOfActive } from '../plan-line.ts'
import type { SeriesId } from '../series.ts'
import { openSeriesFile } from '../series-file.ts'
import { syncSeries } from '../sync-series.ts'
import { journalName, seriesOf } from './outputs.ts'
import {
  isFinal,
  isOverLimit,
  nameOf,
  type RunParts,
  repeat,
  reportFailure,
  reportLimit,
  sleepWhile,
  toIso,
} from './repeat.ts'

/** Watches the prices of a line in its hours, through the feed of the run. @throws the client's error if no later call can succeed */
export async function runPrices(line: PlanLine, parts: RunParts): Promise<void> {
  const { clock, signal } = parts
  const { span } = line.times
  if (span === undefined) return
  while (!signal.aborted) {
    await sleepWhile(() => startOfActive(span, clock.now()) - clock.now(), parts)
    if (!signal.aborted) await watchWhileActive(span, line, parts)
  }
}

async function watchWhileActive(
  span: NonNullable<PlanLine['times']['span']>,
  line: PlanLine,
  parts: RunParts,
): Promise<void> {
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
  const written = readLastPrices(line, parts)
  const watch = feed.watch(addresses, {
    everyMs: times.everyMs,
    onPrice({ address, usd, etn, at, stale }) {
      state.count(line, { done: 1 })
      const price = { address, usd, etn, at: toIso(at), stale }
      emit({ event: 'price', ...nameOf(line), ...price })
      // One that an earlier run has bought is in the file already.
      if (written.get(address) !== price.at) writeAnswer(line, parts, price)
      written.delete(address)
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
      const options = { ...alert, everyMs: times.everyMs, signal: stopping.signal }
      for await (const { condition, price } of feed.alert(address, options))
        emit({ event: 'alert', ...nameOf(line), address, condition, usd: price.usd, at: toIso(price.at) })
    } catch (error) {
      if (!stopping.signal.aborted) fail(error)
    }
  }

  const left = () => (startOfActive(span, clock.now()) > clock.now() ? 0 : endOfActive(span, clock.now()) - clock.now())
  await sleepWhile(left, { clock, signal: stopping.signal })
  stop()
  signal.removeEventListener('abort', stop)
  watch.stop()
  await Promise.all(alerts)
  if (failure !== undefined && !signal.aborted) throw failure
}

/** Makes the calls of a line that has no addresses. */
export function runCall(line: PlanLine, parts: RunParts): Promise<void> {
  const { clock, state, emit } = parts
  async function work(): Promise<void> {
    // One by one: a sweep makes equal calls once.
    for (let number = 0; number < line.count; number++) {
      for await (const { data, error, credits } of buyEach(line, [line.params], parts, {})) {
        if (error !== undefined) throw error
        const at = toIso(clock.now())
        state.count(line, { done: 1 })
        emit({ event: 'answer', ...nameOf(line), params: line.params, data, credits, at })
        writeAnswer(line, parts, { at, operation: line.operation, params: line.params, data })
      }
    }
  }
  return repeat(line, parts, { work, isFinishing: false })
}

/** Calls the operation of a line for each of its addresses. The journal of each time has the answers, so that none is bought twice. */
export function runSweep(line: PlanLine, parts: RunParts): Promise<void> {
  /** What a journal did not take; it is written before anything else is bought. */
  const unwritten: string[] = []
  return repeat(line, parts, {
    isFinishing: true,
    begin: (turn) => ({ ...turn, journal: freeName(journalName(line, turn.last), parts) }),
    work: ({ last, journal = journalName(line, last) }) => sweep(line, parts, journal, unwritten),
  })
}

/** @param unwritten lines that the journal did not take, this time or an earlier one */
async function sweep(line: PlanLine, parts: RunParts, name: string, unwritten: string[]): Promise<void> {
  const { state, emit, file } = parts
  const journal = openJournal(file(name))
  const notWritten = (cause: unknown) =>
    new CommandError(`${name}: ${reasonOf(cause)}.`, 'journal_not_written', EXIT.refused, cause)
  try {
    for (let text = unwritten[0]; text !== undefined; text = unwritten[0]) {
      journal.restore(text)
      unwritten.shift()
    }
  } catch (error) {
    journal.close()
    throw notWritten(error)
  }
  const counts = { done: 0, failed: 0, stored: 0, credits: 0 }
  const params = (line.addresses ?? []).map((address) => ({ ...line.params, ...addressParam(line.operation, address) }))
  try {
    for await (const { error, stored, credits } of buyEach(line, params, parts, { store: journal.store })) {
      counts.credits += credits
      if (error !== undefined) {
        counts.failed++
        reportFailure(line, parts, error)
        continue
      }
      counts.done++
      if (stored) counts.stored++
      else state.count(line, { done: 1 })
    }
  } catch (error) {
    // The error of the sweep does not know the file.
    throw journal.failure === undefined ? error : notWritten(journal.failure)
  } finally {
    unwritten.push(...journal.unwritten)
    for (const text of journal.unwritten) {
      const message = `${name}: it was to take: ${text}`
      emit({ event: 'failed', ...nameOf(line), code: 'not_written', message, credits: 0 })
    }
    journal.close()
    const left = line.count - counts.done - counts.failed
    emit({ event: 'sweep', ...nameOf(line), file: name, total: line.count, left, ...counts })
  }
}

/** Each time has a journal of its own, also within a minute, and where the clock was set back. */
function freeName(name: string, { file }: RunParts): string {
  const [, base = name, ending = ''] = /^(.*)(\.[^./\\]*)$/s.exec(name) ?? []
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? name : `${base}-${number}${ending}`
    if (!existsSync(file(candidate).path)) return candidate
  }
}

const DEFAULT_LIMIT = 100

/** Keeps a file of candles for each address of a line up to date. */
export function runCandles(line: PlanLine, parts: RunParts): Promise<void> {
  async function work(_: unknown, isResumed: boolean): Promise<void> {
    for (const { id, name } of seriesOf(line)) {
      if (parts.signal.aborted) return
      // What an interruption, or a new address, leaves to do is what has no file.
      if (isResumed && statPath(parts.file(name).path)?.size) continue
      await sync(id, name, line, parts).catch((error) => {
        if (!parts.signal.aborted) reportFailure(line, parts, error)
      })
    }
  }
  return repeat(line, parts, { work, isFinishing: true })
}

async function sync(id: SeriesId, name: string, line: PlanLine, parts: RunParts): Promise<void> {
  const { clock, state, emit, file } = parts
  const { token: address, bucket, currency } = id
  const { limit = DEFAULT_LIMIT } = line.params as Partial<OperationParams['token.candles']>
  mkdirSync(dirname(file(name).path), { recursive: true })
  const series = await openSeriesFile(file(name), id)
  let credits = 0
  async function buy(count: number) {
    const params = [{ address, bucket, currency, limit: count }]
    for await (const { data, error, ...bought } of buyEach(line, params, parts, { validate: 'strict' })) {
      credits += bought.credits
      if (error !== undefined) throw error
      return data as Awaited<ReturnType<typeof parts.client.token.candles>>
    }
    throw parts.signal.reason
  }
  try {
    const { added, updated, gap } = await syncSeries(series, { bucket, limit, now: clock.now() / 1_000, buy })
    state.count(line, { done: 1 })
    emit({ event: 'candles', ...nameOf(line), address, file: name, added, updated, ...(gap && { gap }), credits })
  } finally {
    series.close()
  }
}

/**
 * Calls the operation of a line with each of some parameters. When the run is to end, nothing more is sent, and what is in flight is waited
 * for. @throws the error after which no further call of the line can succeed, when the others have ended
 */
async function* buyEach<Params extends object>(
  line: PlanLine,
  list: readonly Params[],
  { client, signal }: RunParts,
  options: SweepOptions,
) {
  let ending: EtnMarketError | undefined
  let [charged, reported] = [0, 0]
  const stopping = new AbortController()
  const stop = () => stopping.abort()
  signal.addEventListener('abort', stop)
  if (signal.aborted) stop()
  try {
    const calls = methodOf(client, line.operation).many(list, {
      ...options,
      signal: stopping.signal,
      whenAborted: 'finish',
      onProgress({ credits }) {
        charged = credits
      },
    })
    for await (const { data, error, stored } of calls) {
      if (error !== undefined && (isFinal(error) || isOverLimit(error))) {
        ending ??= error
        stop()
        continue
      }
      yield { data, error, stored, credits: charged - reported }
      reported = charged
    }
  } finally {
    signal.removeEventListener('abort', stop)
  }
  if (ending !== undefined) throw ending
}

/** Appends what a line has bought to its file, if it has one. What the file does not take is in an event, and the run goes on. */
function writeAnswer(line: PlanLine, { file, emit }: RunParts, value: object): void {
  if (line.file === undefined) return
  const { name, path } = file(line.file)
  const text = JSON.stringify(value)
  try {
    withFile(path, 'a+', (descriptor) => appendLine(descriptor, text))
  } catch (error) {
    const message = `${name}: ${reasonOf(error)}. It was to take: ${text}`
    emit({ event: 'failed', ...nameOf(line), code: 'not_written', message, credits: 0 })
  }
}

/** Enough for the last prices of thousands of tokens. */
const TAIL_BYTES = 2 ** 20

/** When the last price of each address in the file of a line was bought. */
function readLastPrices(line: PlanLine, { file }: RunParts): Map<string, string> {
  const path = line.file === undefined ? undefined : file(line.file).path
  if (path === undefined || statPath(path)?.isFile() !== true) return new Map()
  const text = withFile(path, 'r', (descriptor) => {
    const size = Number(statOpenFile(descriptor).size)
    const tail = Buffer.alloc(Math.min(size, TAIL_BYTES))
    readSync(descriptor, tail, 0, tail.length, size - tail.length)
    return tail.toString()
  })
  const times = text.matchAll(/^\{"address":"(0x[0-9a-fA-F]{40})",.*?"at":"([^"]*)"/gm)
  return new Map(Array.from(times, ([, address = '', at = '']) => [address, at]))
}

function withFile<T>(path: string, flags: 'a+' | 'r', use: (descriptor: number) => T): T {
  const descriptor = openSync(path, flags)
  try {
    return use(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
