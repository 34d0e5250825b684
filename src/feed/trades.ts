import { startTimer } from '../clock.ts'
import { isEtnMarketError } from '../errors/base.ts'
import { invalidOption, refuseUnknown } from '../errors/input.ts'
import { operations } from '../generated/operations.ts'
import type { Trade } from '../generated/types.ts'
import type { EngineParts } from './engine.ts'
import { callSafely } from './events.ts'
import type { Life } from './life.ts'
import { spend } from './purchase.ts'
import { createSeen } from './seen.ts'
import type { TradesOptions } from './types.ts'

export interface TradesParts extends Pick<EngineParts, 'client' | 'clock' | 'pace' | 'trouble' | 'emit'> {
  readonly life: Life
  isPaused(): boolean
}

const { base, perItem, maxItems: PAGE } = operations['trade.list'].credits
const WORST_CASE = base + perItem * PAGE
/** New trades that a request is to find: far from a full page, after which some may be missing. */
const AIM = PAGE / 2
/** How often a hidden page is looked at. */
const PAUSE_MS = 1_000

/** Asks for the newest page again and again, and gives what was not there before. */
export function followTrades(options: TradesOptions, parts: TradesParts): AsyncGenerator<Trade, void, undefined> {
  refuseUnknown('trades option', options, ['token', 'everyMs', 'signal', 'onGap'])
  const bounds = readBounds(options.everyMs)
  const params = { limit: PAGE, ...(options.token !== undefined && { token: options.token }) }
  parts.client.trade.list.estimate(params)
  parts.life.signal.throwIfAborted()
  return follow(params, bounds, options, parts)
}

async function* follow(
  params: { limit: number; token?: string },
  { min, max }: { min: number; max: number },
  { token, signal, onGap }: TradesOptions,
  parts: TradesParts,
): AsyncGenerator<Trade, void, undefined> {
  const { clock, pace, life, emit } = parts
  const ended = endOf(signal, life)
  const seen = createSeen()
  let everyMs = min
  try {
    for (;;) {
      const askedAt = clock.now()
      const page = await readPage(params, ended.signal, parts)
      const { fresh, gap } = seen.take(page, PAGE)
      if (gap) {
        emit({ type: 'feed.gap', token, ...gap })
        callSafely(onGap, undefined)
      }
      yield* fresh
      // Twice as slow at most, or twice as fast: one page says little.
      const factor = Math.min(2, Math.max(0.5, AIM / Math.max(1, fresh.length)))
      everyMs = Math.min(max, Math.max(min, everyMs * factor))
      const waitMs = askedAt + everyMs * pace.stretch - clock.now()
      if (waitMs > 0) await pause(waitMs, ended.signal, parts)
    }
  } catch (error) {
    if (!life.signal.aborted) throw error
  } finally {
    ended.leave()
  }
}

/** One page; waits for as long as requests are held up, whether by a failure or by a lack of credits. */
async function readPage(
  params: { limit: number; token?: string },
  signal: AbortSignal,
  parts: TradesParts,
): Promise<readonly Trade[]> {
  const { client, clock, pace, trouble, emit, isPaused } = parts
  for (;;) {
    signal.throwIfAborted()
    if (isPaused()) await pause(PAUSE_MS, signal, parts)
    else if (clock.now() < trouble.until) await pause(trouble.until - clock.now(), signal, parts)
    else {
      const sentAt = clock.now()
      try {
        const send = () => client.trade.list(params, { signal, retry: false })
        const { data, credits } = await spend(pace.budget, WORST_CASE, send)
        pace.noteUnplanned(credits)
        trouble.clear(sentAt)
        emit({ type: 'feed.bought', operation: 'trade.list', addresses: [], credits })
        return data
      } catch (error) {
        signal.throwIfAborted()
        const { passing } = trouble.note(error, sentAt)
        if (!passing && !isShortOfCredits(error)) throw error
      }
    }
  }
}

function isShortOfCredits(error: unknown): boolean {
  return isEtnMarketError(error) && /^(BudgetExceeded|InsufficientCredits)Error$/.test(error.name)
}

function pause(ms: number, signal: AbortSignal, { clock }: TradesParts): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const onAbort = () => {
      stopTimer()
      reject(signal.reason)
    }
    const stopTimer = startTimer(clock, ms, () => {
      signal.removeEventListener('abort', onAbort)
      resolve()
    })
    signal.addEventListener('abort', onAbort, { once: true })
  })
}

/** Ends with the caller's signal or with the feed, whichever is first. */
function endOf(signal: AbortSignal | undefined, life: Life) {
  const controller = new AbortController()
  const onAbort = () => controller.abort(signal?.reason)
  const onClose = () => controller.abort(life.signal.reason)
  if (signal?.aborted) onAbort()
  const stopListening = life.listen(signal, onAbort)
  if (life.signal.aborted) onClose()
  life.join(onClose)
  return {
    signal: controller.signal,
    leave() {
      stopListening()
      life.leave(onClose)
    },
  }
}

function readBounds(everyMs: TradesOptions['everyMs']): { min: number; max: number } {
  const bounds = typeof everyMs === 'number' ? { min: everyMs, max: everyMs } : everyMs
  refuseUnknown('everyMs', bounds, ['min', 'max'])
  const { min, max } = bounds
  if (!(typeof min === 'number' && typeof max === 'number' && min > 0 && max >= min && max < Number.POSITIVE_INFINITY))
    throw invalidOption('everyMs', JSON.stringify(everyMs), 'a number of milliseconds above 0, or { min, max } of such')
  return bounds
}
