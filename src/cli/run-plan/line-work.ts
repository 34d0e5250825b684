import { existsSync, mkdirSync, readSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Candle, EtnMarketError, OperationParams } from 'etn-market'
import type { SeriesId } from '../../candles/series.ts'
import { withFile } from '../../file-store/replace-file.ts'
import { methodOf } from '../call-params.ts'
import { CommandError, EXIT } from '../failure.ts'
import { reasonOf, statOpenFile, statPath } from '../files.ts'
import { openJournal } from '../journal.ts'
import { type LineTimes, leftOfActive, untilActive } from '../line-times.ts'
import { addressParam } from '../plan-line.ts'
import { openSeriesFile } from '../series.ts'
import { isForAllCalls } from '../session.ts'
import { journalName, seriesOf } from './outputs.ts'
import { abortWith, type RunningLine } from './running-line.ts'

const toIso = (ms: number): string => new Date(ms).toISOString()

/** Watches the prices of a line in its hours, through the feed of the run. @throws the client's error if no later call can succeed */
export async function runPrices(running: RunningLine): Promise<void> {
  const { clock, signal } = running.run
  const { span } = running.line.times
  if (span === undefined) return
  while (!signal.aborted) {
    await running.sleepWhile(() => untilActive(span, clock.now()))
    if (!signal.aborted) await watchWhileActive(span, running)
  }
}

async function watchWhileActive(span: NonNullable<LineTimes['span']>, running: RunningLine): Promise<void> {
  const { feed, clock, signal } = running.run
  const { addresses = [], times, alert } = running.line
  using stopping = abortWith(signal)
  let failure: unknown
  const fail = (error: unknown) => {
    failure ??= error
    stopping.abort()
  }
  const written = readLastPrices(running)
  feed.watch(addresses, {
    everyMs: times.everyMs,
    signal: stopping.signal,
    onPrice({ address, usd, etn, at, stale }) {
      running.countDone()
      const price = { address, usd, etn, at: toIso(at), stale }
      running.emit({ event: 'price', ...price })
      // One that an earlier run has bought is in the file already.
      if (written.get(address) !== price.at) running.appendAnswer(price)
      written.delete(address)
    },
    onError(error) {
      try {
        // The feed goes on by itself.
        if (running.reportLimit(error) === undefined) running.reportFailure(error)
      } catch (final) {
        fail(final)
      }
    },
  })

  async function follow(address: string): Promise<void> {
    try {
      const options = { ...alert, everyMs: times.everyMs, signal: stopping.signal }
      for await (const { condition, price } of feed.alert(address, options))
        running.emit({ event: 'alert', address, condition, usd: price.usd, at: toIso(price.at) })
    } catch (error) {
      if (!stopping.signal.aborted) fail(error)
    }
  }

  const alerts = alert === undefined ? [] : addresses.map(follow)
  await running.sleepWhile(() => leftOfActive(span, clock.now()), stopping.signal)
  stopping.abort()
  await Promise.all(alerts)
  if (failure !== undefined && !signal.aborted) throw failure
}

/** Enough for the last prices of thousands of tokens. */
const TAIL_BYTES = 2 ** 20

/** When the last price of each address in the file of a line was bought. */
function readLastPrices({ line, run }: RunningLine): Map<string, string> {
  const path = line.file === undefined ? undefined : run.file(line.file).path
  if (path === undefined || statPath(path)?.isFile() !== true) return new Map()
  const tail = withFile(path, 'r', (descriptor) => {
    const size = Number(statOpenFile(descriptor).size)
    const bytes = Buffer.alloc(Math.min(size, TAIL_BYTES))
    readSync(descriptor, bytes, 0, bytes.length, size - bytes.length)
    return bytes.toString()
  })
  const times = tail.matchAll(/^\{"address":"(0x[0-9a-fA-F]{40})",.*?"at":"([^"]*)"/gm)
  return new Map(Array.from(times, ([, address = '', at = '']) => [address, at]))
}

export function runCall(running: RunningLine): Promise<void> {
  const { operation, params, count } = running.line
  async function work(): Promise<void> {
    for (let number = 0; number < count; number++) {
      const { data, credits } = await running.call(params)
      const at = toIso(running.run.clock.now())
      running.countDone()
      running.emit({ event: 'answer', params, data, credits, at })
      running.appendAnswer({ at, operation, params, data })
    }
  }
  return running.repeat({ work, isFinishing: false })
}

/** Calls the operation of a line for each of its addresses. The journal of each time has the answers, so that none is bought twice. */
export function runSweep(running: RunningLine): Promise<void> {
  const { line, run } = running
  /** What a journal did not take; it is written before anything else is bought. */
  const unwritten: string[] = []
  return running.repeat({
    isFinishing: true,
    // Each time has a journal of its own, also within a minute, and where the clock was set back.
    begin: (turn) => {
      let journal = journalName(line, turn.last)
      for (let number = 2; existsSync(run.file(journal).path); number++) journal = journalName(line, turn.last, number)
      return { ...turn, journal }
    },
    work: ({ last, journal = journalName(line, last) }) => sweep(running, journal, unwritten),
  })
}

async function sweep(running: RunningLine, name: string, unwritten: string[]): Promise<void> {
  const { line, run } = running
  using journal = openJournal(run.file(name))
  const counts = { done: 0, failed: 0, stored: 0, credits: 0 }
  try {
    for (let text = unwritten[0]; text !== undefined; text = unwritten[0]) {
      journal.restore(text)
      unwritten.shift()
    }
    const params = (line.addresses ?? []).map((address) => ({
      ...line.params,
      ...addressParam(line.operation, address),
    }))
    const calls = methodOf(run.client, line.operation).many(params, {
      store: journal.store,
      signal: run.signal,
      whenAborted: 'finish',
      onProgress({ credits }) {
        counts.credits = credits
      },
    })
    let ending: EtnMarketError | undefined
    for await (const { error, stored } of calls) {
      // Those after it fail alike, and send nothing.
      if (error !== undefined && isForAllCalls(error)) ending ??= error
      else if (error !== undefined) {
        counts.failed++
        running.reportFailure(error)
      } else {
        counts.done++
        if (stored) counts.stored++
        else running.countDone()
      }
    }
    if (ending !== undefined) throw ending
  } catch (error) {
    if (journal.failure === undefined) throw error
    // The error of the sweep does not know the file.
    const message = `${name}: ${reasonOf(journal.failure)}.`
    throw new CommandError(message, 'journal_not_written', EXIT.refused, journal.failure)
  } finally {
    const isRestored = unwritten.length === 0
    unwritten.push(...journal.unwritten)
    for (const text of journal.unwritten) running.reportUnwritten(`${name}: ${reasonOf(journal.failure)}.`, text)
    const left = line.count - counts.done - counts.failed
    if (isRestored) running.emit({ event: 'sweep', file: name, total: line.count, left, ...counts })
  }
}

export function runCandles(running: RunningLine): Promise<void> {
  const { line, run } = running
  async function work(_: unknown, isResumed: boolean): Promise<void> {
    for (const { id, name } of seriesOf(line)) {
      if (run.signal.aborted) return
      // What an interruption, or a new address, leaves to do is what has no file.
      if (isResumed && statPath(run.file(name).path)?.size) continue
      await sync(id, name, running).catch((error) => {
        if (!run.signal.aborted) running.reportFailure(error)
      })
    }
  }
  return running.repeat({ work, isFinishing: true })
}

async function sync(id: SeriesId, name: string, running: RunningLine): Promise<void> {
  const { clock, file, signal } = running.run
  const { limit = 100 } = running.line.params as Partial<OperationParams['token.candles']>
  const { path } = file(name)
  mkdirSync(dirname(path), { recursive: true })
  using series = await openSeriesFile('file', { name, path }, id, signal)
  let credits = 0
  async function buy(count: number): Promise<readonly Candle[]> {
    const bought = await running.call({ ...id, limit: count }, { validate: 'strict' })
    credits += bought.credits
    return bought.data as readonly Candle[]
  }
  const { added, updated, gap } = await series.sync({ limit, now: clock.now() / 1_000, buy })
  running.countDone()
  running.emit({ event: 'candles', address: id.address, file: name, added, updated, ...(gap && { gap }), credits })
}
