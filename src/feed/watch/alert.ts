import { invalidOption, rejectUnknown } from '../../errors/input.ts'
import { compareDecimals, type Decimal, hasMovedBy, parseDecimal } from '../../utils/decimal.ts'
import { iterateLatest, type LatestValueStream } from '../requests/latest-value-stream.ts'
import { readAmount } from './min-change.ts'
import type { AlertOptions, FeedAlert, FeedPrice } from './types.ts'
import { groupByAddress, RunningWatch, readIntervals, type WatchingFeed } from './watch.ts'

const OPTIONS = ['above', 'below', 'movePercent', 'withinMs', 'everyMs', 'atLeastEveryMs', 'signal']
const MAX_UNREAD = 1_000

export function watchAlerts(address: string, options: AlertOptions, context: WatchingFeed): AsyncIterable<FeedAlert> {
  rejectUnknown('alert option', options, OPTIONS)
  const { clock, lifetime, toChecksum } = context
  const { signal } = options
  const intervals = readIntervals(options)
  const conditions = readConditions(options, intervals.everyMs)
  lifetime.throwIfAborted()
  const target = { inputs: groupByAddress([address], toChecksum), ...intervals }

  /** Each iteration has a watch of its own, and sees its prices from the first one on. */
  function iterate(): AsyncIterableIterator<FeedAlert> {
    const oldestAt = clock.now() - target.everyMs
    const detect = detectCrossings(conditions)
    let missed = 0
    let isFirst = true
    const reads = new WeakMap<FeedPrice, () => FeedPrice>()
    const aged = (price: FeedPrice) => reads.get(price)?.() ?? price
    const start = (stream: LatestValueStream<FeedAlert>) => {
      const onPrice = (price: FeedPrice, readPrice: () => FeedPrice) => {
        reads.set(price, readPrice)
        // A price that was already old at the start says nothing of now.
        const requestedAt = clock.now() - price.ageMs
        if (isFirst && requestedAt < oldestAt) return
        isFirst = false
        for (const crossing of detect(price, requestedAt)) stream.push(crossing, () => read(crossing))
      }
      const read = ({ condition, price, from }: Crossing) => {
        const alert = { condition, price: aged(price), from: from && aged(from), missed }
        missed = 0
        return alert
      }
      const watch = new RunningWatch(target, { signal, endsIfRefused: true, onPrice, onEnd: stream.end }, context)
      return { stop: () => watch.stop(), onDrop: () => void missed++ }
    }
    return iterateLatest({ signal, lifetime, start, maxUnread: MAX_UNREAD, keepsUnread: true })
  }
  return { [Symbol.asyncIterator]: iterate }
}

/** @throws InvalidRequestError naming the option */
export function readConditions(options: Omit<AlertOptions, 'everyMs'>, everyMs: number) {
  const { withinMs = Number.POSITIVE_INFINITY } = options
  const read = (name: 'above' | 'below' | 'movePercent') =>
    options[name] === undefined ? undefined : readAmount(name, options[name])
  const [above, below, movePercent] = [read('above'), read('below'), read('movePercent')]
  if (movePercent?.digits === 0n) throw invalidOption('movePercent', options.movePercent, 'above 0')
  if (!above && !below && !movePercent)
    throw invalidOption('alert', options, 'an object with above, below or movePercent')
  if (options.withinMs !== undefined && !(movePercent && typeof withinMs === 'number' && withinMs >= everyMs))
    throw invalidOption('withinMs', withinMs, 'a number of milliseconds, at least everyMs, beside movePercent')
  return { above, below, movePercent, withinMs }
}

/** Without `withinMs`, which is Infinity then, a move is one since the last move. */
type Conditions = ReturnType<typeof readConditions>

type Crossing = Pick<FeedAlert, 'condition' | 'price' | 'from'>

type Detector = (quote: Quote, before: FeedPrice | undefined) => Crossing | undefined

/** Returns a function that takes the prices of one token in their order, and returns what each crosses. */
export function detectCrossings(conditions: Conditions): (price: FeedPrice, at: number) => Crossing[] {
  const { above, below, movePercent, withinMs } = conditions
  const detectors: Detector[] = []
  if (above) detectors.push(detectLimit('above', (usd) => compareDecimals(usd, above) > 0))
  if (below) detectors.push(detectLimit('below', (usd) => compareDecimals(usd, below) < 0))
  if (movePercent) detectors.push(detectMove(movePercent, withinMs))
  let before: FeedPrice | undefined

  return (price, at) => {
    const usd = parseDecimal(price.usd)
    // Without a price, nothing is known: neither side is reached or left.
    if (usd === undefined) return []
    const crossings = detectors.flatMap((detect) => detect({ price, usd, at }, before) ?? [])
    before = price
    return crossings
  }
}

/** Fires once when the price goes beyond a limit, and again after it has been back. */
function detectLimit(condition: 'above' | 'below', isBeyond: (usd: Decimal) => boolean): Detector {
  let wasBeyond = false
  return ({ price, usd }, from) => {
    const crosses = !wasBeyond && isBeyond(usd)
    wasBeyond = isBeyond(usd)
    return crosses ? { condition, price, from } : undefined
  }
}

/** Fires when the price is far from the lowest or highest one, and then begins again with this price. */
function detectMove(percent: Decimal, withinMs: number): Detector {
  const lowest = new Extreme(withinMs, (a, b) => compareDecimals(a, b) <= 0)
  const highest = new Extreme(withinMs, (a, b) => compareDecimals(a, b) >= 0)
  return (quote) => {
    const from = [lowest, highest]
      .map((extreme) => extreme.before(quote.at))
      .find((other) => other !== undefined && hasMovedBy(other.usd, quote.usd, { percent }))
    for (const extreme of [lowest, highest]) {
      if (from) extreme.clear()
      extreme.add(quote)
    }
    return from && { condition: 'move', price: quote.price, from: from.price }
  }
}

interface Quote {
  readonly price: FeedPrice
  readonly usd: Decimal
  /** When the price was requested, by a clock that is never set. */
  readonly at: number
}

class Extreme {
  /** A monotonic queue: each price is less extreme than the one before it. */
  #queue: Quote[] = []
  readonly #withinMs: number
  readonly #isBeyond: (a: Decimal, b: Decimal) => boolean

  /** @param isBeyond whether the first price makes the second one irrelevant once it is the newer one */
  constructor(withinMs: number, isBeyond: (a: Decimal, b: Decimal) => boolean) {
    this.#withinMs = withinMs
    this.#isBeyond = isBeyond
  }

  add(quote: Quote): void {
    const queue = this.#queue
    while (queue.length > 0 && this.#isBeyond(quote.usd, (queue.at(-1) as Quote).usd)) queue.pop()
    // Without an end of the window, only the first price can ever be the extreme.
    if (queue.length === 0 || this.#withinMs < Number.POSITIVE_INFINITY) queue.push(quote)
  }

  /** The extreme of the prices from `at - withinMs` to `at`; undefined without any. */
  before(at: number): Quote | undefined {
    while (this.#queue[0] !== undefined && this.#queue[0].at < at - this.#withinMs) this.#queue.shift()
    return this.#queue[0]
  }

  clear(): void {
    this.#queue = []
  }
}
