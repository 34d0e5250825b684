import { monotonicNow, systemClock } from '../concurrency/clock.ts'
import { creditsLeft } from '../credits/budget-core.ts'
import type { FleetStatus } from '../fleet/types.ts'
import type { Member } from './member.ts'
import { STATUS } from './scripts/status.lua.ts'
import { parseGuards, windowEnd } from './view.ts'

export async function readStatus(member: Member): Promise<FleetStatus> {
  const { command, keys, config, limit, windowMs, slots, view } = member
  const sentAt = monotonicNow(systemClock)
  const [now, window, ...rest] = await command(STATUS, keys.status, [config])
  const [spent = 0, reserved = 0, uncertain = 0, taken = 0] = rest.slice(0, 4).map(Number)
  const guards = rest.slice(4)
  view.readGuards(Number(now), guards, sentAt)
  return {
    limit,
    spent,
    reserved,
    uncertain,
    available: creditsLeft(limit, { spent, reserved, uncertain }),
    resetsAt: windowMs > 0 ? windowEnd(windowMs, Number(window), Number(now)) : undefined,
    slots: { limit: slots, taken },
    cooldowns: parseGuards(guards),
  }
}
