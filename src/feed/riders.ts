import type { Queue } from './queue.ts'
import { BASE, CHUNK, creditsFor, PER_ITEM } from './route.ts'

/** An address as the schedule sees it. */
export interface Slot {
  /** When it has to be asked for at the latest, unix milliseconds. */
  dueAt: number
  /** How long a price of it lasts, milliseconds, with any stretch. */
  lastsMs: number
}

/** How calls go as long as the demand stays as it is. */
export interface Tempo {
  /** The time between calls when they go as well as they can, milliseconds. */
  readonly gapMs: number
  /** Whether one request at a time is too small for all who fall due. */
  readonly crowded: boolean
}

/** What one call buys. */
export interface Load<T> {
  /** Addresses that could not wait. */
  due: T[]
  /** Addresses that would have been due before the next call. */
  riders: T[]
}

/**
 * Takes everything that is due out of the queue, and the riders that make it cheapest.
 *
 * A rider is bought earlier than need be, which wastes the share of its 10 credits for the time that its old price would
 * still have lasted; but it puts the next call off, and calls are worth their base fee for every `gapMs` between them. The
 * riders are taken in the order of their deadlines: the next call is due at the deadline of the first who stays behind. Of all
 * such choices the one with the least sum of both costs is taken. No more are looked at than fit the last request. In a crowd a
 * seat that stays empty is worth its share of the base fee as well, because somebody else will have to pay for another.
 */
export function load<T extends Slot>(queue: Queue<T>, asked: number, now: number, { gapMs, crowded }: Tempo): Load<T> {
  const due: T[] = []
  for (let slot = queue.peek(); slot !== undefined && slot.dueAt <= now; slot = queue.peek()) {
    due.push(slot)
    queue.pop()
  }
  const forced = asked + due.length
  const seats = (CHUNK - (forced % CHUNK)) % CHUNK
  const horizon = now + gapMs
  const value = crowded ? PER_ITEM + BASE / CHUNK : PER_ITEM
  const putOff = (until: number | undefined) => (BASE * (horizon - Math.min(horizon, until ?? horizon))) / gapMs

  const seen: T[] = []
  let worth = 0
  let best = 0
  let least = putOff(queue.peek()?.dueAt)
  while (seen.length < seats) {
    const slot = queue.peek()
    if (slot === undefined || slot.dueAt >= horizon) break
    queue.pop()
    seen.push(slot)
    worth += value * Math.max(0, 1 - (slot.dueAt - now) / slot.lastsMs)
    const extra = creditsFor(forced + seen.length) - creditsFor(forced)
    // Who rides with two or fewer saves nothing: each pays a call of its own.
    if (extra >= creditsFor(seen.length)) continue
    const cost = extra - worth + putOff(queue.peek()?.dueAt)
    if (cost > least) continue
    least = cost
    best = seen.length
  }
  for (const slot of seen.slice(best)) queue.put(slot)
  return { due, riders: seen.slice(0, best) }
}
