import { creditsFor } from '../../credits/cheapest-requests.ts'
import type { TrackedPrice } from '../prices/tracked-price.ts'
import type { TickGroup } from './tick-plan.ts'

/** The next tick of a group goes with a look-up, where that costs less than to send it later. Returns its addresses. */
export function takeEarlyTick(
  groups: readonly TickGroup[],
  now: number,
  due: ReadonlySet<TrackedPrice>,
): readonly TrackedPrice[] {
  let most = 0
  let best: { group: TickGroup; next: readonly TrackedPrice[] } | undefined
  for (const group of groups) {
    const { periodMs, at, members, ticksAnyway } = group
    if (!ticksAnyway || at <= now) continue
    const next = members.filter(
      (tracked) =>
        tracked.waitsForTick && !due.has(tracked) && !tracked.isReopened(now) && tracked.isDueBefore(now + periodMs),
    )
    const credits = creditsFor(next.length)
    const saved = creditsFor(due.size) + credits - creditsFor(due.size + next.length)
    const gain = saved - ((at - now) / periodMs) * credits
    if (next.length === 0 || gain <= most) continue
    most = gain
    best = { group, next }
  }
  if (best === undefined) return []
  best.group.tick++
  best.group.at = now + best.group.periodMs
  return best.next
}
