import type { Allowance } from './allowance.ts'
import type { Queue } from './queue.ts'
import { type Load, load, type Slot, type Tempo } from './riders.ts'
import { creditsFor } from './route.ts'

export interface ChooseParts<T extends Slot> {
  readonly queue: Queue<T>
  readonly tempo: Tempo
  readonly allowance: Pick<Allowance, 'covers'>
  /** All that the watch for which an address is due watches, as far as it is not asked for already. */
  companionsOf(slot: T): Iterable<T>
}

/**
 * Takes out of the queue what one call buys: the load that looks cheapest, as long as calls of their own would have cost the
 * watches no less by now. Else the plain way: a watch that has an address due buys all of its addresses, and so not again for
 * its interval. That never costs more than one call for each watch at its own interval, whatever the others do.
 */
export function choose<T extends Slot>(parts: ChooseParts<T>, asked: number, now: number): Load<T> {
  const { queue, tempo, allowance, companionsOf } = parts
  const cheapest = load(queue, asked, now, tempo)
  const { due, riders } = cheapest
  if (allowance.covers(creditsFor(asked + due.length + riders.length) - creditsFor(asked), now)) return cheapest
  for (const slot of riders) queue.put(slot)
  const taken = new Set(due)
  const provided = new Set<T>()
  for (const slot of due) {
    if (provided.has(slot)) continue
    for (const companion of companionsOf(slot)) {
      provided.add(companion)
      taken.add(companion)
      queue.delete(companion)
    }
  }
  return { due, riders: [...taken].slice(due.length) }
}
