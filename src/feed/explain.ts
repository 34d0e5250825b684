import type { Clock } from '../clock.ts'
import { creditsToUsd } from '../credits/cost.ts'
import type { Allowance } from './allowance.ts'
import { type Book, companionsOf } from './book.ts'
import { type ChooseParts, choose } from './choose.ts'
import { DAY_MS } from './demand.ts'
import type { Pace } from './pace.ts'
import { createQueue } from './queue.ts'
import type { Slot } from './riders.ts'
import { creditsFor, shareOut } from './route.ts'
import type { Consumer } from './watches.ts'

/** What is going to be bought, as long as the watches stay as they are and nobody looks anything up. */
export interface FeedPlan {
  /** The next calls, the first one first. */
  readonly calls: readonly PlannedPurchase[]
  /** By how much every interval is longer than promised, because of the budget. */
  readonly stretch: number
  readonly cost: PlannedRate
  /** What the same promises would cost with one call for each consumer, at the cheapest route and without any stretch. */
  readonly onePerConsumer: PlannedRate
}

export interface PlannedPurchase {
  /** Unix milliseconds. */
  readonly at: number
  /** Addresses that cannot wait any longer, in EIP-55 form. */
  readonly due: readonly string[]
  /** Addresses that ride along, because they would be due before the next call. */
  readonly riders: readonly string[]
  /** Requests that it takes. */
  readonly requests: number
  readonly credits: number
}

export interface PlannedRate {
  readonly creditsPerDay: number
  readonly usdPerDay: number
  readonly requestsPerDay: number
}

export interface ExplainParts {
  readonly clock: Clock
  readonly book: Book
  readonly pace: Pace
  readonly allowance: Allowance
}

interface PlannedSlot extends Slot {
  readonly address: string
}

/** Calls that are played through to see what a day costs, at most. */
const MOST_CALLS = 1_000

/** Plays the schedule through on a copy, with the very rules that it runs by. */
export function explain(
  { clock, book, pace, allowance }: ExplainParts,
  consumers: readonly Consumer[],
  shown: number,
): FeedPlan {
  const now = clock.now()
  const queue = createQueue<PlannedSlot>(({ dueAt }) => dueAt)
  const slots = new Map<string, PlannedSlot>()
  for (const { address, dueAt, lastsMs } of book.watched()) {
    const slot = { address, lastsMs, dueAt: Math.max(now, dueAt) }
    slots.set(address, slot)
    queue.put(slot)
  }
  const companions = ({ address, dueAt }: PlannedSlot) =>
    companionsOf({ ...book.open(address), dueAt, missedAt: Number.POSITIVE_INFINITY }).map(
      (quote) => slots.get(quote.address) as PlannedSlot,
    )
  const parts = { queue, tempo: book.demand.tempo(pace.stretch), allowance: allowance.fork(), companionsOf: companions }
  const calls = playThrough(parts, now + DAY_MS, Math.max(shown, MOST_CALLS))
  return {
    calls: calls.slice(0, shown),
    stretch: pace.stretch,
    cost: rateOf(calls),
    onePerConsumer: toRate(
      consumers.map(({ addresses, everyMs }) => ({ ...costOf(addresses), perDay: DAY_MS / everyMs })),
    ),
  }
}

type PlayParts = ChooseParts<PlannedSlot> & { readonly allowance: Pick<Allowance, 'spend'> }

function playThrough(parts: PlayParts, until: number, most: number) {
  const { queue, allowance } = parts
  const calls: PlannedPurchase[] = []
  for (let next = queue.peek(); next !== undefined && calls.length < most; next = queue.peek()) {
    const at = next.dueAt
    if (at > until && calls.length > 1) break
    const { due, riders } = choose(parts, 0, at)
    allowance.spend(creditsFor(due.length + riders.length), at)
    for (const slot of [...due, ...riders]) {
      slot.dueAt = at + slot.lastsMs
      queue.put(slot)
    }
    const names = (slots: readonly PlannedSlot[]) => slots.map(({ address }) => address)
    calls.push({ at, due: names(due), riders: names(riders), ...costOf(due.length + riders.length) })
  }
  return calls
}

function costOf(addresses: number): { credits: number; requests: number } {
  return { credits: creditsFor(addresses), requests: shareOut(Array.from({ length: addresses })).length }
}

/** From the first call to the last: what the last one buys is for the time after it. */
function rateOf(calls: readonly PlannedPurchase[]): PlannedRate {
  const [first] = calls
  const last = calls.at(-1)
  if (first === undefined || last === undefined || last.at === first.at) return toRate([])
  const perDay = DAY_MS / (last.at - first.at)
  return toRate(calls.slice(0, -1).map(({ credits, requests }) => ({ credits, requests, perDay })))
}

function toRate(parts: readonly { credits: number; requests: number; perDay: number }[]): PlannedRate {
  let creditsPerDay = 0
  let requestsPerDay = 0
  for (const { credits, requests, perDay } of parts) {
    creditsPerDay += credits * perDay
    requestsPerDay += requests * perDay
  }
  return { creditsPerDay, usdPerDay: creditsToUsd(creditsPerDay), requestsPerDay }
}
