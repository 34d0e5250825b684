import type { Clock } from '../../concurrency/clock.ts'
import { invalidOption, requireMilliseconds } from '../../errors/input.ts'
import { callSafely } from '../events.ts'
import { codeOf, type Failure } from '../failures.ts'
import type { DailyBudget } from '../prices/daily-budget.ts'
import { toFeedPrice } from '../prices/feed-price.ts'
import type { PriceTable, TrackedPrice, Watcher } from '../prices/tracked-price.ts'
import type { Schedule } from '../schedule/schedule.ts'
import type { FeedPrice } from './types.ts'

export interface WatchParts {
  readonly clock: Clock
  readonly table: PriceTable
  readonly dailyBudget: DailyBudget
  readonly schedule: Schedule
}

export interface WatchCallbacks {
  onPrice(price: FeedPrice): void
  /** Receives what `onPrice` throws. */
  onThrow(error: unknown): void
  /** Called once when prices fail to arrive, and again when the reason changes. */
  onFailure(error: unknown): void
}

/** Original inputs by their address in EIP-55 form. */
export type InputsByAddress = ReadonlyMap<string, readonly string[]>

/** What a watch keeps up to date. */
export interface WatchTarget {
  readonly inputs: InputsByAddress
  readonly everyMs: number
  /** The longest interval while the budget is too small; Infinity if any will do. */
  readonly atLeastEveryMs: number
}

/** A watch that has started. */
export interface RunningWatch {
  update(target: WatchTarget): void
  stop(): void
}

/** Watches addresses under every input they were given as. */
export function startWatch(target: WatchTarget, callbacks: WatchCallbacks, parts: WatchParts): RunningWatch {
  const { clock, table, dailyBudget, schedule } = parts
  let { inputs } = target
  /** Addresses whose failure was reported and that have had no price since. */
  const failing = new Set<TrackedPrice>()
  /** Addresses whose price was reported as stale, and that have had no other since. */
  const late = new Set<TrackedPrice>()
  let reportedCode: string | undefined
  let isRunning = true

  const isOld = (tracked: TrackedPrice) => clock.now() - tracked.at > tracked.maxAge(watcher.everyMs)
  const report = (tracked: TrackedPrice, stale: boolean, isWanted = (_input: string) => true) => {
    for (const input of inputs.get(tracked.address)?.filter(isWanted) ?? []) {
      const price = toFeedPrice(tracked, input, clock.now(), stale)
      if (price !== undefined && isRunning) callSafely(callbacks.onPrice, price, callbacks.onThrow)
    }
  }
  const endFailure = (tracked: TrackedPrice) => {
    failing.delete(tracked)
    late.delete(tracked)
    if (failing.size === 0) reportedCode = undefined
  }

  let prices = table.open(inputs.keys())
  const watcher: Watcher & { everyMs: number; atLeastEveryMs: number } = {
    everyMs: target.everyMs,
    atLeastEveryMs: target.atLeastEveryMs,
    onPrice(tracked) {
      endFailure(tracked)
      report(tracked, isOld(tracked))
    },
    onLate(tracked) {
      // A callback may have removed the address while its subscribers are called.
      if (late.has(tracked) || !inputs.has(tracked.address)) return
      late.add(tracked)
      failing.add(tracked)
      report(tracked, true)
    },
    onFailure(tracked, failure: Failure) {
      // A stream says that it will bring no price before one is missed.
      if (tracked.paceMs === 0 || isOld(tracked)) watcher.onLate(tracked)
      failing.add(tracked)
      const code = codeOf(failure.error)
      if (code === reportedCode || !isRunning || !inputs.has(tracked.address)) return
      reportedCode = code
      callbacks.onFailure(failure.error)
    },
  }

  function enter(before: InputsByAddress): void {
    for (const tracked of prices) {
      tracked.join(watcher)
      schedule.join(tracked, !before.has(tracked.address))
    }
    schedule.wake()
  }

  function leave(tracked: TrackedPrice): void {
    tracked.leave(watcher)
    endFailure(tracked)
    schedule.leave(tracked)
  }

  /** Delivers known prices under the inputs that are new. */
  function deliverKnown(before: InputsByAddress): void {
    const { stretch, atLeastStretch } = dailyBudget
    const oldest = clock.now() - Math.min(watcher.everyMs * stretch, watcher.atLeastEveryMs * atLeastStretch)
    const isNew = (address: string) => (input: string) => !before.get(address)?.includes(input)
    const known = prices.filter(
      (tracked) =>
        tracked.price !== undefined &&
        (tracked.at >= oldest || !isOld(tracked)) &&
        inputs.get(tracked.address)?.some(isNew(tracked.address)),
    )
    // Later, so that the caller has the watch before its callback runs.
    queueMicrotask(() => {
      for (const tracked of known) report(tracked, isOld(tracked), isNew(tracked.address))
    })
  }

  enter(new Map())
  deliverKnown(new Map())

  return {
    update(next) {
      if (!isRunning) return
      const before = inputs
      inputs = next.inputs
      for (const tracked of prices) if (!inputs.has(tracked.address)) leave(tracked)
      prices = table.open(inputs.keys())
      watcher.everyMs = next.everyMs
      watcher.atLeastEveryMs = next.atLeastEveryMs
      enter(before)
      deliverKnown(before)
    },
    stop() {
      if (!isRunning) return
      isRunning = false
      for (const tracked of prices) leave(tracked)
      schedule.wake()
    },
  }
}

/** Returns the EIP-55 form of addresses; throws the client's error for an invalid one. */
export type ToChecksum = (addresses: readonly string[]) => string[]

/** Each address once, with the different inputs that name it. */
export function groupByAddress(given: string | readonly string[], toChecksum: ToChecksum): InputsByAddress {
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

/** The price with its age after it has waited to be read. @param tracked where it comes from */
export function withAge(
  price: FeedPrice,
  waitedMs: number,
  everyMs: number,
  tracked: TrackedPrice | undefined,
): FeedPrice {
  const ageMs = price.ageMs + waitedMs
  const maxAgeMs = tracked?.maxAge(everyMs) ?? everyMs
  return waitedMs === 0 ? price : { ...price, ageMs, stale: price.stale || ageMs > maxAgeMs }
}

/** Returns the interval of a watch, and the longest one under a stretch; Infinity if any will do. */
export function readIntervals(options: { everyMs: unknown; atLeastEveryMs?: unknown }): {
  everyMs: number
  atLeastEveryMs: number
} {
  const everyMs = requireMilliseconds('everyMs', options.everyMs)
  const { atLeastEveryMs = Number.POSITIVE_INFINITY } = options
  if (typeof atLeastEveryMs === 'number' && atLeastEveryMs >= everyMs) return { everyMs, atLeastEveryMs }
  throw invalidOption('atLeastEveryMs', atLeastEveryMs, 'a number of milliseconds, at least everyMs')
}
