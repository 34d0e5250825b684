import { checkCallbacks, invalidOption, rejectUnknown, requireMilliseconds } from '../../errors/input.ts'
import { callSafely, messageOf } from '../../utils/runtime.ts'
import { codeOf, type Failure, isKeyRefused } from '../failures.ts'
import type { FeedContext } from '../feed.ts'
import { isStale, type Subscriber, type TrackedPrice, toFeedPrice } from '../prices/tracked-price.ts'
import { iterateLatest, type LatestValueStream } from '../requests/latest-value-stream.ts'
import type { Schedule } from '../schedule/schedule.ts'
import { MoveFilter, readMinChange } from './min-change.ts'
import type { FeedPrice, Watch, WatchOptions } from './types.ts'

/** What a watch needs of its feed: it says what it wants, and reads what is known. */
export type WatchingFeed = { readonly schedule: Pick<Schedule, 'join' | 'leave' | 'wake'> } & Pick<
  FeedContext,
  'clock' | 'lifetime' | 'table' | 'dailyBudget' | 'watches' | 'emit' | 'toChecksum'
>

export interface WatchTarget {
  /** As they were given, by their address in EIP-55 form. */
  readonly inputs: ReadonlyMap<string, readonly string[]>
  readonly everyMs: number
  /** The longest interval while the budget is too small; Infinity if any will do. */
  readonly atLeastEveryMs: number
}

export interface Subscription {
  readonly signal: AbortSignal | undefined
  /** Receives failures, and what `onPrice` throws. Without it, failures raise an event. */
  readonly onError?: ((error: unknown) => void) | undefined
  /** Whether a refused key ends the watch. */
  readonly endsIfRefused: boolean
  /** @param read returns the price with its age after it has waited to be read */
  onPrice(price: FeedPrice, read: () => FeedPrice): void
  /** Called with an input that is no longer watched. */
  onForget?(input: string): void
  /** Called once at the end, with an error unless the watch was stopped or the feed closed. */
  onEnd(error?: { reason: unknown }): void
}

/** Watches addresses under every input they were given as. It ends by `stop`, by its signal, or with the feed. */
export class RunningWatch implements Subscriber {
  everyMs: number
  /** The longest interval while the budget is too small; Infinity if any will do. */
  atLeastEveryMs: number
  readonly #context: WatchingFeed
  readonly #subscription: Subscription
  readonly #stopListening: () => void
  #inputs: WatchTarget['inputs']
  #prices: readonly TrackedPrice[] = []
  /** Addresses whose failure was reported and that have had no price since, and whether the known one was reported as stale. */
  readonly #failing = new Map<TrackedPrice, { readonly isLate: boolean }>()
  #reportedCode: string | undefined

  constructor(target: WatchTarget, subscription: Subscription, context: WatchingFeed) {
    this.#context = context
    this.#subscription = subscription
    this.#inputs = target.inputs
    this.everyMs = target.everyMs
    this.atLeastEveryMs = target.atLeastEveryMs
    context.watches.add(this)
    this.#enter(new Map())
    this.#stopListening = context.lifetime.onEnd(subscription.signal, (error) => this.stop(error))
  }

  get addresses(): number {
    return this.#inputs.size
  }

  update({ inputs, everyMs, atLeastEveryMs }: WatchTarget): void {
    const before = this.#inputs
    this.#inputs = inputs
    for (const tracked of this.#prices) if (!inputs.has(tracked.address)) this.#leave(tracked)
    this.everyMs = everyMs
    this.atLeastEveryMs = atLeastEveryMs
    this.#enter(before)
    for (const [address, ofAddress] of before)
      for (const input of ofAddress) if (!inputs.get(address)?.includes(input)) this.#subscription.onForget?.(input)
  }

  stop(error?: { reason: unknown }): void {
    if (!this.#context.watches.delete(this)) return
    for (const tracked of this.#prices) this.#leave(tracked)
    this.#context.schedule.wake()
    this.#stopListening()
    this.#subscription.onEnd(error)
  }

  onPrice(tracked: TrackedPrice): void {
    this.#endFailure(tracked)
    this.#report(tracked)
  }

  /** A price is older than the interval, and no newer one has arrived. */
  onLate(tracked: TrackedPrice): void {
    // A callback may have removed the address while its subscribers are called.
    if (this.#failing.get(tracked)?.isLate || !this.#inputs.has(tracked.address)) return
    this.#failing.set(tracked, { isLate: true })
    this.#report(tracked)
  }

  onFailure(tracked: TrackedPrice, { error }: Failure): void {
    if (tracked.isStale(this.everyMs, this.#context.clock.now())) this.onLate(tracked)
    if (!this.#isRunning || !this.#inputs.has(tracked.address)) return
    if (!this.#failing.has(tracked)) this.#failing.set(tracked, { isLate: false })
    const code = codeOf(error)
    if (code === this.#reportedCode) return
    this.#reportedCode = code
    const { onError, endsIfRefused } = this.#subscription
    const addresses = [...this.#inputs.keys()]
    if (onError) callSafely(onError, error)
    else this.#context.emit({ type: 'feed.watch_failed', addresses, code, message: messageOf(error) })
    if (endsIfRefused && isKeyRefused(error)) this.stop({ reason: error })
  }

  get #isRunning(): boolean {
    return this.#context.watches.has(this)
  }

  /** Wants the price of each address, and delivers those that are known and young enough under the inputs that are new. */
  #enter(before: WatchTarget['inputs']): void {
    const { clock, table, schedule, dailyBudget } = this.#context
    this.#prices = table.open(this.#inputs.keys())
    for (const tracked of this.#prices) schedule.join(tracked, this, !before.has(tracked.address))
    schedule.wake()
    const { stretch, atLeastStretch } = dailyBudget
    const now = clock.now()
    const stretchedMs = Math.min(this.everyMs * stretch, this.atLeastEveryMs * atLeastStretch)
    const isNew = (address: string) => (input: string) => !before.get(address)?.includes(input)
    const known = this.#prices.filter(
      (tracked) =>
        tracked.price !== undefined &&
        !isStale(now - tracked.at, Math.max(stretchedMs, tracked.maxAge(this.everyMs))) &&
        this.#inputs.get(tracked.address)?.some(isNew(tracked.address)),
    )
    // Later, so that the caller has the watch before its callback runs.
    queueMicrotask(() => {
      for (const tracked of known) this.#report(tracked, isNew(tracked.address))
    })
  }

  #leave(tracked: TrackedPrice): void {
    this.#endFailure(tracked)
    this.#context.schedule.leave(tracked, this)
  }

  #report(tracked: TrackedPrice, isWanted = (_input: string) => true): void {
    const { onPrice, onError } = this.#subscription
    for (const input of this.#inputs.get(tracked.address)?.filter(isWanted) ?? []) {
      const { clock } = this.#context
      const now = clock.now()
      const price = toFeedPrice(tracked, input, now, tracked.isStale(this.everyMs, now))
      if (price === undefined || !this.#isRunning) continue
      const read = () => {
        const ageMs = Math.floor(price.ageMs + clock.now() - now)
        if (ageMs === price.ageMs) return price
        return { ...price, ageMs, stale: price.stale || isStale(ageMs, tracked.maxAge(this.everyMs)) }
      }
      callSafely(
        () => onPrice(price, read),
        undefined,
        (error) => callSafely(onError, error),
      )
    }
  }

  #endFailure(tracked: TrackedPrice): void {
    this.#failing.delete(tracked)
    if (this.#failing.size === 0) this.#reportedCode = undefined
  }
}

/** `feed.watch`: a callback, or any number of iterations, each with a running watch of its own. */
export function watchPrices(
  addresses: string | readonly string[],
  options: WatchOptions,
  context: WatchingFeed,
): Watch {
  const { lifetime, toChecksum } = context
  rejectUnknown('watch option', options, ['everyMs', 'atLeastEveryMs', 'onPrice', 'onError', 'minChange', 'signal'])
  checkCallbacks(options)
  const { onPrice, onError, minChange, signal } = options
  const change = readMinChange(minChange)
  const intervals = readIntervals(options)
  lifetime.throwIfAborted()
  let target: WatchTarget = { inputs: groupByAddress(addresses, toChecksum), ...intervals }
  const running = new Set<RunningWatch>()

  /** Delivers to the callback, or to an iteration, which ends with the watch. */
  function start(stream?: LatestValueStream<FeedPrice>): RunningWatch {
    const filter = new MoveFilter(change)
    const subscription: Subscription = {
      signal,
      onError,
      endsIfRefused: stream !== undefined,
      onPrice(price, read) {
        // The price is back near the one that was read last.
        if (!filter.shouldDeliver(price)) return stream?.drop(price.address)
        if (stream) return stream.push(price.address, () => filter.recordDelivery(read()))
        return onPrice?.(filter.recordDelivery(price))
      },
      onForget(input) {
        filter.forget(input)
        stream?.drop(input)
      },
      onEnd(error) {
        running.delete(watch)
        stream?.end(error)
      },
    }
    const watch = new RunningWatch(target, subscription, context)
    running.add(watch)
    return watch
  }

  if (onPrice && !signal?.aborted) start()
  return {
    stop() {
      for (const watch of [...running]) watch.stop()
    },
    update(changes) {
      rejectUnknown('watch update', changes, ['addresses', 'everyMs', 'atLeastEveryMs'])
      lifetime.throwIfAborted()
      const { everyMs = target.everyMs, atLeastEveryMs = target.atLeastEveryMs } = changes
      const intervals = readIntervals({ everyMs, atLeastEveryMs })
      const { addresses } = changes
      const inputs = addresses === undefined ? target.inputs : groupByAddress(addresses, toChecksum)
      target = { inputs, ...intervals }
      for (const watch of [...running]) watch.update(target)
    },
    [Symbol.asyncIterator]: () => iterateLatest({ signal, lifetime, start }),
  }
}

export function groupByAddress(given: string | readonly string[], toChecksum: FeedContext['toChecksum']) {
  const inputs = typeof given === 'string' ? [given] : given
  const groups = new Map<string, string[]>()
  const addresses = toChecksum(inputs)
  for (const [index, input] of inputs.entries()) {
    const address = addresses[index] ?? input
    const group = groups.get(address) ?? []
    if (!group.includes(input)) group.push(input)
    groups.set(address, group)
  }
  return groups
}

/** Returns the interval of a watch, and the longest one under a stretch; Infinity if any will do. */
export function readIntervals(options: { everyMs: unknown; atLeastEveryMs?: unknown }) {
  const everyMs = requireMilliseconds('everyMs', options.everyMs)
  const { atLeastEveryMs = Number.POSITIVE_INFINITY } = options
  if (typeof atLeastEveryMs === 'number' && atLeastEveryMs >= everyMs) return { everyMs, atLeastEveryMs }
  throw invalidOption('atLeastEveryMs', atLeastEveryMs, 'a number of milliseconds, at least everyMs')
}
