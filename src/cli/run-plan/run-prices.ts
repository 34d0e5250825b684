import { isEtnMarketError } from 'etn-market'
import type { PlanLine } from '../plan-line.ts'
import { endOfActive, startOfActive } from '../plan-times.ts'
import { appendLine } from './append-line.ts'
import { reportFailure, reportLimit, sleepUntil } from './repeat.ts'
import { isOverLimit, nameOf, type RunParts, toIso } from './run-parts.ts'

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
